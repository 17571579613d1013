import { isAbsent } from "../client/call/failure.js";
import type { Client } from "../client/client.js";
import { TransportError } from "../errors/errors.js";
import { isConflict, isNamespaceTerminating } from "../errors/predicates.js";
import { linkAbort } from "../internal/abort.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import type { Kind } from "../meta/kind.js";
import { DrainError, type UndrainedPod } from "./drain-error.js";
import {
  type DaemonSetState,
  type DrainedPod,
  type DrainRules,
  daemonSetOf,
  decideDrain,
  isIgnored,
} from "./drain-plan.js";
import { evict } from "./evict.js";
import { cordon } from "./rollout.js";

/** Options for `drain`. */
export interface DrainOptions extends DrainRules {
  /** Label selector for the pods to remove. Default: all. */
  readonly podSelector?: string | undefined;
  /** True to delete pods instead of evicting them, which bypasses disruption budgets. Default `false`. */
  readonly disableEviction?: boolean | undefined;
  /** Grace period for each pod in seconds. Default: the pod's own. */
  readonly gracePeriodSeconds?: number | undefined;
  /** `All`: the server validates every step but changes nothing. */
  readonly dryRun?: "All" | undefined;
  /**
   * Time limit for the whole drain in milliseconds. Evictions that budgets block are retried until then. Default: no
   * limit.
   */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two attempts to evict a pod if the server doesn't send a delay. Default 5,000. */
  readonly everyMs?: number | undefined;
  /** Polling interval in milliseconds for evicted pods to be gone. Default 1,000. */
  readonly pollMs?: number | undefined;
  /**
   * Callback before a pod is removed (`taken`), when it starts terminating (`ending`), and when it is gone (`gone`). Its
   * exceptions are ignored.
   */
  readonly onProgress?: ((progress: DrainProgress) => void) | undefined;
  /** Signal that aborts the drain. The node stays cordoned. */
  readonly signal?: AbortSignal | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Progress of one pod's removal. */
export interface DrainProgress extends DrainPod {
  /** Step that was reached. */
  readonly step: "taken" | "ending" | "gone";
}

/** A pod on the node. */
export interface DrainPod {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** Reason why the pod was skipped, or which of its properties `force` or `deleteEmptyDirData` permitted. */
  readonly reason?: string | undefined;
}

/** Result of `drain`. */
export interface DrainResult {
  /** Pods that were removed from the node. After a dry run they are still there. */
  readonly taken: readonly DrainPod[];
  /** Pods that were skipped, such as those of DaemonSets. */
  readonly left: readonly DrainPod[];
}

const nodeKind: Kind<object, "Cluster"> = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };
const podKind: Kind<DrainedPod, "Namespaced", { eviction: object }> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  scope: "Namespaced",
};
const daemonSetKind: Kind<object, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  scope: "Namespaced",
};

/**
 * Drains a node by `kubectl drain`'s rules: cordons it, evicts its pods as disruption budgets allow, and resolves when
 * they are gone.
 *
 * All pods are checked before the first one is removed. Rejects with a `DrainError` that lists the pods that need an
 * explicit option (pods of DaemonSets, with `emptyDir` volumes, or without a controller), and at the end those that
 * couldn't be removed. In either case the node stays cordoned.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { drain } from "kubestream/operations";
 *
 * const client = await connect();
 * const { taken, left } = await drain(client, "node-1", {
 *   ignoreDaemonSets: true,
 *   timeoutMs: 10 * 60_000,
 *   onProgress: ({ step, namespace, name }) => console.log(step, `${namespace}/${name}`),
 * });
 * console.log(taken.length, "removed,", left.length, "skipped");
 * ```
 */
export async function drain(
  client: Pick<Client, "resource">,
  node: string,
  options: DrainOptions = {},
): Promise<DrainResult> {
  const { clock = systemClock, timeoutMs, dryRun } = options;
  const link = linkAbort(options.signal);
  const timer =
    timeoutMs === undefined
      ? undefined
      : clock.setTimer(
          () =>
            link.abort(
              new TransportError(`drain node ${JSON.stringify(node)}: timed out after ${timeoutMs} ms`, {
                code: "ETIMEDOUT",
              }),
            ),
          timeoutMs,
        );
  try {
    const request = { signal: link.signal };
    await cordon(client.resource(nodeKind) as never, node, { ...request, ...(dryRun && { dryRun }) });
    const run: DrainRun = { client, node, options, clock, signal: link.signal };
    const { taken, left } = await plan(run);
    const failures = await takeAll(run, taken);
    if (options.signal?.aborted === true) throw options.signal.reason;
    if (failures.length > 0) throw new DrainError(node, failures);
    return { taken: taken.map(({ progress }) => progress), left };
  } finally {
    timer?.cancel();
    link.release();
  }
}

interface Taken {
  readonly pod: DrainedPod;
  readonly progress: DrainPod;
}

/** State of one drain. */
interface DrainRun {
  readonly client: Pick<Client, "resource">;
  readonly node: string;
  readonly options: DrainOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function listPods({ client, node, options: { podSelector }, signal }: DrainRun): Promise<DrainedPod[]> {
  const found: DrainedPod[] = [];
  const selectors = {
    fieldSelector: `spec.nodeName=${node}`,
    ...(podSelector !== undefined && { labelSelector: podSelector }),
  };
  for await (const pod of client.resource(podKind).items({ ...selectors, signal })) found.push(pod);
  return found;
}

async function plan(run: DrainRun): Promise<{ taken: Taken[]; left: DrainPod[] }> {
  const { client, node, options, clock, signal } = run;
  const [taken, left, refused]: [Taken[], DrainPod[], UndrainedPod[]] = [[], [], []];
  const daemonSets = new Map<string, Promise<DaemonSetState>>();
  for (const pod of await listPods(run)) {
    const { namespace = "", name = "" } = pod.metadata ?? {};
    const owner = daemonSetOf(pod);
    let state: DaemonSetState = "unknown";
    if (owner !== undefined) {
      const key = `${namespace}/${owner}`;
      const lookup =
        daemonSets.get(key) ??
        client
          .resource(daemonSetKind)
          .namespace(namespace)
          .getOptional(owner, { signal })
          .then((found) => (found === undefined ? "missing" : "exists"));
      daemonSets.set(key, lookup);
      state = await lookup;
    }
    const { action, reason } = decideDrain(pod, options, state, clock.now());
    const progress = { namespace, name, ...(reason !== undefined && { reason }) };
    if (action === "take") taken.push({ pod, progress });
    else if (action === "leave") left.push(progress);
    else refused.push({ namespace, name, reason: reason! });
  }
  if (refused.length > 0) throw new DrainError(node, refused);
  return { taken, left };
}

/** Removes all pods concurrently, because each may wait for its own budget. Returns the pods that remain. */
async function takeAll(run: DrainRun, taken: readonly Taken[]): Promise<UndrainedPod[]> {
  const { options } = run;
  const failures: UndrainedPod[] = [];
  const onProgress = quietly(options.onProgress);
  const report = ({ progress }: Taken, step: DrainProgress["step"]): void => onProgress({ ...progress, step });
  const untilGone = createGoneWaiter(run);
  await Promise.all(
    taken.map(async (one) => {
      try {
        report(one, "taken");
        if ((await take(run, one.pod)) && options.dryRun === undefined) {
          report(one, "ending");
          await untilGone(one.pod.metadata?.uid ?? "");
        }
        report(one, "gone");
      } catch (error) {
        const { namespace, name } = one.progress;
        failures.push({ namespace, name, reason: error instanceof Error ? error.message : String(error), error });
      }
    }),
  );
  return failures;
}

/** Waits for pods to be gone, with one list request per poll for all of them. */
function createGoneWaiter(run: DrainRun): (uid: string) => Promise<void> {
  const { options, clock, signal } = run;
  const waiting = new Map<string, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>();
  let running = false;

  async function poll(): Promise<void> {
    running = true;
    try {
      for (;;) {
        const there = new Map((await listPods(run)).map((pod) => [pod.metadata?.uid ?? "", pod]));
        for (const [uid, { resolve }] of [...waiting]) {
          const now = there.get(uid);
          if (now !== undefined && !isIgnored(now, options, clock.now())) continue;
          waiting.delete(uid);
          resolve();
        }
        if (waiting.size === 0) break;
        await sleep(options.pollMs ?? 1000, clock, signal);
      }
    } catch (error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    } finally {
      running = false;
    }
  }

  return (uid) =>
    new Promise((resolve, reject) => {
      waiting.set(uid, { resolve, reject });
      if (!running) void poll();
    });
}

/** Evicts or deletes one pod. Returns true if it is terminating, `false` if it is already gone. */
async function take({ client, options, clock, signal }: DrainRun, pod: DrainedPod): Promise<boolean> {
  const { gracePeriodSeconds, dryRun, everyMs = 5000 } = options;
  const { namespace = "", name = "", uid } = pod.metadata ?? {};
  const pods = client.resource(podKind).namespace(namespace);
  // The UID protects a new pod of the same name, such as one that a StatefulSet created on another node.
  const common = {
    signal,
    ...(uid !== undefined && { preconditions: { uid } }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(dryRun && { dryRun }),
  };
  for (;;) {
    try {
      if (options.disableEviction !== true)
        return await evict(pods, name, { ...common, patienceMs: Infinity, everyMs, clock });
      await pods.delete(name, common);
      return true;
    } catch (error) {
      if (isAbsent(error, name)) return false;
      // A terminating namespace rejects evictions, but deletes its pods anyway. A conflict means that the UID may differ.
      if (!isConflict(error) && !isNamespaceTerminating(error)) throw error;
      const now = await pods.getOptional(name, { signal });
      if (now?.metadata?.uid !== uid) return false;
      if (typeof now?.metadata?.deletionTimestamp === "string") return true;
      await sleep(everyMs, clock, signal);
    }
  }
}
