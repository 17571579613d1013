import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/source.js";
import { isNotFound } from "../../../errors/predicates.js";
import type { Timer } from "../../../internal/clock.js";
import { Lease } from "../../../kinds/coordination/v1.js";
import { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";
import { allSettled } from "../shared/pod-control.js";
import { isReady } from "../shared/pods.js";
import { changedTaints, readiness, unknownConditions } from "./node-health.js";

/** Time in milliseconds without a heartbeat after which a node is lost. */
const graceMs = 50_000;
/** The same for a node that has never sent one. */
const startGraceMs = 60_000;

/** Last heartbeat of a node, and when it was seen. */
interface Heartbeat {
  readonly text: string;
  readonly seenMs: number;
}

/**
 * Creates the controller that notices when a node stops sending heartbeats: its conditions become `Unknown`, its pods
 * aren't ready any more. It also gives nodes the taints that their conditions stand for.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller
 */
export function createNodeLifecycleController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const leases = context.cache(Lease);
  const pods = context.cache(Pod);
  const nodes = client.resource(Node);
  const events = context.recorder("node-controller");
  const heartbeats = new Map<string, Heartbeat>();
  const timers = new Map<string, Timer>();

  /** Returns when the last heartbeat of a node was seen. Heartbeats are leases, or statuses without them. */
  function lastSeen(node: DeepReadonly<Node>, name: string): Heartbeat {
    const lease = leases.store.get(`kube-node-lease/${name}`)?.spec?.renewTime ?? "";
    const status = node.status?.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime ?? "";
    const text = `${lease} ${status}`;
    const known = heartbeats.get(name);
    if (known?.text === text) return known;
    const seen = { text, seenMs: clock.now() };
    heartbeats.set(name, seen);
    return seen;
  }

  /** Checks a node again when its next heartbeat is overdue. */
  function watchOver(name: string, remainingMs: number): void {
    timers.get(name)?.cancel();
    // A heartbeat that arrives in time sets the timer again, so time may skip over it.
    const check = (): void => controller.enqueue({ name });
    timers.set(name, clock.setTimer(check, Math.max(1, remainingMs), { upkeep: true }));
  }

  function forget(name: string): void {
    timers.get(name)?.cancel();
    timers.delete(name);
    heartbeats.delete(name);
  }

  async function markPodsNotReady(name: string, signal: AbortSignal): Promise<void> {
    const affected = pods.store.list().filter((pod) => pod.spec?.nodeName === name && isReady(pod));
    await allSettled(
      affected.map(async (pod) => {
        const { namespace = "", name: podName = "" } = pod.metadata ?? {};
        const handle = client.resource(Pod).namespace(namespace).subresource("status");
        const write = handle.update(
          podName,
          (fresh) => {
            const ready = fresh.status?.conditions?.find(({ type }) => type === "Ready");
            if (ready?.status !== "True") return;
            ready.status = "False";
            ready.lastTransitionTime = formatTime(clock.now());
          },
          { signal },
        );
        await ignoreNotFound(write);
        events.event(pod, { type: "Warning", reason: "NodeNotReady", note: "Node is not ready" });
      }),
    );
  }

  const controller = createController({
    name: "node-lifecycle",
    for: client.resource(Node),
    watches: [
      kindSource(
        client.resource(Lease).namespace("kube-node-lease"),
        enqueueMapped(({ metadata }) => [{ name: metadata!.name! }]),
      ),
    ],
    concurrency: 2,
    clock,
    log,
    async reconcile({ name }, { object, signal }) {
      if (object === undefined) {
        forget(name);
        return;
      }
      let node = object;
      const { seenMs } = lastSeen(node, name);
      const wasReady = readiness(node);
      const remainingMs = seenMs + (wasReady === undefined ? startGraceMs : graceMs) - clock.now();
      watchOver(name, remainingMs > 0 ? remainingMs : graceMs);
      // A node that registers gets its first status soon.
      if (wasReady === undefined && remainingMs > 0) return;
      if (remainingMs <= 0 && wasReady !== "Unknown") {
        node = await nodes.subresource("status").update(
          name,
          (fresh) => {
            fresh.status = { ...fresh.status, conditions: unknownConditions(fresh, clock.now()) };
          },
          { signal },
        );
      }
      if (readiness(node) !== "True" && wasReady === "True") {
        const note = `Node ${name} status is now: NodeNotReady`;
        events.event(node, { reason: "NodeNotReady", note });
      }
      if (readiness(node) !== "True") await markPodsNotReady(name, signal);
      if (changedTaints(node, clock.now()) === undefined) return;
      await nodes.update(
        name,
        (fresh) => {
          const taints = changedTaints(fresh, clock.now());
          if (taints !== undefined) fresh.spec = { ...fresh.spec, taints };
        },
        { signal },
      );
    },
  });
  return controller;
}

async function ignoreNotFound(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
