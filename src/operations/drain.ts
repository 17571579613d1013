import type { Client } from "../client/client.js";
import { TransportError } from "../errors/errors.js";
import { isConflict, isForbidden, isNotFound } from "../errors/predicates.js";
import type { StatusError } from "../errors/status-error.js";
import { linkAbort } from "../internal/abort.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
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

/** Options of `drain`. */
export interface DrainOptions extends DrainRules {
  /** Takes only pods with these labels. Default: all. */
  readonly podSelector?: string;
  /** Deletes the pods without asking disruption budgets. Default false. */
  readonly disableEviction?: boolean;
  /** Seconds each pod is given to end. Default: its own. */
  readonly gracePeriodSeconds?: number;
  /** Goes through every step that the server can judge and changes nothing. */
  readonly dryRun?: "All";
  /** Longest time for all of it in milliseconds; pods that budgets hold back are tried again until then. Default: no limit. */
  readonly timeoutMs?: number;
  /** Milliseconds between two tries to evict a pod where the server does not say. Default 5,000. */
  readonly everyMs?: number;
  /** Milliseconds between two looks at whether evicted pods are gone. Default 1,000. */
  readonly pollMs?: number;
  /** Called when a pod is about to be taken, when its end has begun, and when it is gone. */
  readonly onProgress?: (progress: DrainProgress) => void;
  /** Ends the drain; the node stays cordoned. */
  readonly signal?: AbortSignal;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** A step in the life of a pod that is taken from its node. */
export interface DrainProgress extends DrainPod {
  /** What has happened. */
  readonly step: "taken" | "ending" | "gone";
}

/** A pod of the node. */
export interface DrainPod {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** What is special about it: why it was left, or what `force` or `deleteEmptyDirData` let pass. */
  readonly reason?: string;
}

/** What a drain did. */
export interface DrainResult {
  /** Pods that were taken from the node, and are gone unless it was a dry run. */
  readonly taken: readonly DrainPod[];
  /** Pods that were left there, as those of DaemonSets. */
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
 * Empties a node by `kubectl drain`'s rules: cordons it, evicts its pods as far as disruption budgets allow, and resolves when they are gone.
 * Before the first pod is taken all are looked at; rejects with a `DrainError` that names those which may not be taken unless told (of DaemonSets, with
 * local storage, without a controller), and at the end those that could not be. The node stays cordoned either way.
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
              new TransportError(`drain node ${JSON.stringify(node)}: not done within ${timeoutMs} ms`, {
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

/** One drain. */
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
    let state: DaemonSetState = "not asked";
    if (owner !== undefined) {
      const key = `${namespace}/${owner}`;
      const asked =
        daemonSets.get(key) ??
        client
          .resource(daemonSetKind)
          .namespace(namespace)
          .getOptional(owner, { signal })
          .then((found) => (found === undefined ? "gone" : "there"));
      daemonSets.set(key, asked);
      state = await asked;
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

/** Takes all pods side by side, as each waits for budgets of its own; answers with those that stay. */
async function takeAll(run: DrainRun, taken: readonly Taken[]): Promise<UndrainedPod[]> {
  const { options } = run;
  const failures: UndrainedPod[] = [];
  const tell = (one: Taken, step: DrainProgress["step"]): void => options.onProgress?.({ ...one.progress, step });
  const untilGone = createGoneWaiter(run);
  await Promise.all(
    taken.map(async (one) => {
      try {
        tell(one, "taken");
        if ((await take(run, one.pod)) && options.dryRun === undefined) {
          tell(one, "ending");
          await untilGone(one.pod.metadata?.uid ?? "");
        }
        tell(one, "gone");
      } catch (error) {
        const { namespace, name } = one.progress;
        failures.push({ namespace, name, reason: error instanceof Error ? error.message : String(error), error });
      }
    }),
  );
  return failures;
}

/** Waits for pods to be gone: one list for all that are waited for. */
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

/** Evicts or deletes one pod. Answers whether it is on its way out, `false` where it is gone already. */
async function take({ client, options, clock, signal }: DrainRun, pod: DrainedPod): Promise<boolean> {
  const { gracePeriodSeconds, dryRun, everyMs = 5000 } = options;
  const { namespace = "", name = "", uid } = pod.metadata ?? {};
  const pods = client.resource(podKind).namespace(namespace);
  // Another pod of the same name, as a StatefulSet makes it elsewhere, is not meant.
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
      if (isNotFound(error)) return false;
      // In a namespace that is being deleted nothing can be evicted, but its pods are deleted soon; a conflict may be another pod of the name.
      if (!isConflict(error) && !isOfEndingNamespace(error)) throw error;
      const now = await pods.getOptional(name, { signal });
      if (now?.metadata?.uid !== uid) return false;
      if (typeof now?.metadata?.deletionTimestamp === "string") return true;
      await sleep(everyMs, clock, signal);
    }
  }
}

function isOfEndingNamespace(error: unknown): error is StatusError {
  return isForbidden(error) && error.details?.causes?.some((cause) => cause.reason === "NamespaceTerminating") === true;
}
