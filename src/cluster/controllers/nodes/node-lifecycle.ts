import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isNotFound } from "../../../errors/predicates.js";
import { Lease } from "../../../kinds/coordination/v1.js";
import { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";
import { forAll } from "../shared/in-lanes.js";
import { isReady } from "../shared/pods.js";
import { CacheTime } from "./cache-time.js";
import { Heartbeats } from "./heartbeats.js";
import { changedTaints, evictsPods, readyCondition, unknownConditions } from "./node-health.js";
import { hasOlderLabels, setOlderLabels } from "./older-labels.js";
import { allLost, countZones, EvictionLimiter, evictionRate, zoneOf } from "./zones.js";

/** Time in milliseconds without a heartbeat after which a node is lost. */
const graceMs = 50_000;
/** The same for a node that has never sent one. */
const startGraceMs = 60_000;

/**
 * Creates the controller that notices when a node stops sending heartbeats: its conditions become `Unknown`, its pods
 * aren't ready any more. It also gives nodes the taints that their conditions stand for. Those that evict pods come at a
 * limited rate in each zone, and not at all while a small zone has lost most of its nodes, or the cluster all of them.
 * The same write gives a node the older names of its labels, and the time that kubelets may cache Secrets, which
 * upstream's controller `ttl` does.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller
 */
export function createNodeLifecycleController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const leases = context.cache(Lease);
  const pods = context.cache(Pod);
  const nodes = client.resource(Node);
  const events = context.recorder("node-controller");
  const heartbeats = new Heartbeats(clock, (name) => controller.enqueue({ name }));
  const inventory = context.cache(Node).store;
  const lost = new Set<string>();
  const limiters = new Map<string, EvictionLimiter>();
  const cacheTime = new CacheTime();
  const uids = new Map<string, string>();
  /** Returns the time until a node is lost if it sends no heartbeat, in milliseconds. */
  const remaining = (node: DeepReadonly<Node>): number => {
    const name = node.metadata!.name!;
    const ready = readyCondition(node);
    const renewTime = leases.store.get(`kube-node-lease/${name}`)?.spec?.renewTime ?? "";
    const seenMs = heartbeats.seenAt(name, `${renewTime} ${ready?.lastHeartbeatTime ?? ""}`);
    return seenMs + (ready === undefined ? startGraceMs : graceMs) - clock.now();
  };
  const isLost = (node: DeepReadonly<Node>): boolean => readyCondition(node)?.status !== "True" || remaining(node) <= 0;
  /** A node that is lost or comes back may let others lose their pods, or keep them. */
  const note = (name: string, isReady: boolean): void => {
    if (isReady ? !lost.delete(name) : lost.has(name)) return;
    for (const other of lost) controller.enqueue({ name: other });
    if (!isReady) lost.add(name);
  };
  const forget = (name: string): void => {
    const uid = uids.get(name);
    if (uid === undefined) return;
    uids.delete(name);
    heartbeats.forget(name);
    note(name, true);
    events.event({ apiVersion: "v1", kind: "Node", name, uid }, removal(name));
  };
  /** Returns the milliseconds until a node that isn't ready may lose its pods. */
  const evictionDelay = (node: DeepReadonly<Node>): number => {
    const zones = countZones(inventory.list(), isLost);
    const noneReady = allLost(zones);
    // A taint that it has already may change with its condition.
    if (!noneReady && evictsPods(node)) return 0;
    const zone = zoneOf(node);
    const limiter = limiters.get(zone) ?? new EvictionLimiter();
    limiters.set(zone, limiter);
    return limiter.take(noneReady ? 0 : evictionRate(zones.get(zone) ?? { ready: 0, lost: 0 }), clock.now());
  };

  const controller = createController({
    name: "node-lifecycle",
    for: client.resource(Node),
    watches: [kindSource(client.resource(Lease), enqueueMapped(nodeOfLease))],
    concurrency: 2,
    clock,
    log,
    async reconcile({ name }, { object, signal }) {
      cacheTime.resize(inventory.size);
      if (object === undefined) {
        forget(name);
        return undefined;
      }
      // A node with a time was registered before this controller started, such as in a restored cluster.
      if (!uids.has(name) && !cacheTime.isKnown(object)) events.event(object, registration(name));
      uids.set(name, object.metadata!.uid!);
      let node = object;
      const remainingMs = remaining(node);
      const wasReady = readyCondition(node)?.status;
      heartbeats.checkIn(name, remainingMs > 0 ? remainingMs : graceMs);
      // A node that registers gets its first status soon.
      const isNew = wasReady === undefined && remainingMs > 0;
      if (remainingMs <= 0 && wasReady !== "Unknown") {
        node = await nodes.subresource("status").update(
          name,
          (fresh) => {
            fresh.status = { ...fresh.status, conditions: unknownConditions(fresh, clock.now()) };
          },
          { signal },
        );
      }
      const isReady = isNew || readyCondition(node)?.status === "True";
      note(name, isReady);
      if (!isReady && wasReady === "True")
        events.event(node, { reason: "NodeNotReady", note: `Node ${name} status is now: NodeNotReady` });
      // The kubelet that reports a node that isn't ready reports its pods, too.
      if (readyCondition(node)?.status === "Unknown")
        await forAll(readyPods(pods.store.list(), name), (pod) => markNotReady(context, pod, signal));
      const delayMs = isReady ? Number.POSITIVE_INFINITY : evictionDelay(node);
      const evict = delayMs === 0;
      await mark(context, node, { cacheTime, evict }, signal);
      return Number.isFinite(delayMs) && !evict ? { requeueAfterMs: delayMs } : undefined;
    },
  });
  return controller;
}

/** Gives a node the taints that its conditions stand for, its time, and the older names of its labels. */
async function mark(
  { client, clock }: ClusterContext,
  node: DeepReadonly<Node>,
  { cacheTime, evict }: { readonly cacheTime: CacheTime; readonly evict: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (changedTaints(node, clock.now(), evict) === undefined && cacheTime.isSet(node) && hasOlderLabels(node)) return;
  await client.resource(Node).update(
    node.metadata!.name!,
    (fresh) => {
      const taints = changedTaints(fresh, clock.now(), evict);
      if (taints !== undefined) fresh.spec = { ...fresh.spec, taints };
      cacheTime.set(fresh);
      setOlderLabels(fresh);
    },
    { signal },
  );
}

function nodeOfLease({ metadata: { name, namespace } = {} }: DeepReadonly<Lease>): { name: string }[] {
  return namespace === "kube-node-lease" ? [{ name: name! }] : [];
}

function registration(name: string): { reason: string; note: string } {
  return { reason: "RegisteredNode", note: `Node ${name} event: Registered Node ${name} in Controller` };
}

function removal(name: string): { reason: string; note: string } {
  return { reason: "RemovingNode", note: `Node ${name} event: Removing Node ${name} from Controller` };
}

function readyPods(pods: readonly DeepReadonly<Pod>[], node: string): readonly DeepReadonly<Pod>[] {
  return pods.filter((pod) => pod.spec?.nodeName === node && isReady(pod));
}

async function markNotReady(context: ClusterContext, pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  try {
    await context.client
      .resource(Pod)
      .namespace(namespace)
      .subresource("status")
      .update(
        name,
        (fresh) => {
          const ready = fresh.status?.conditions?.find(({ type }) => type === "Ready");
          if (ready?.status !== "True") return;
          ready.status = "False";
          ready.lastTransitionTime = formatTime(context.clock.now());
        },
        { signal },
      );
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const note = "Node is not ready";
  context.recorder("node-controller").event(pod, { type: "Warning", reason: "NodeNotReady", note });
}
