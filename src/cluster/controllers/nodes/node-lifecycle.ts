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
import { allSettled } from "../shared/pod-control.js";
import { isReady } from "../shared/pods.js";
import { Heartbeats } from "./heartbeats.js";
import { changedTaints, readyCondition, unknownConditions } from "./node-health.js";

/** Time in milliseconds without a heartbeat after which a node is lost. */
const graceMs = 50_000;
/** The same for a node that has never sent one. */
const startGraceMs = 60_000;

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
  const heartbeats = new Heartbeats(clock, (name) => controller.enqueue({ name }));

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
        heartbeats.forget(name);
        return;
      }
      let node = object;
      const renewTime = leases.store.get(`kube-node-lease/${name}`)?.spec?.renewTime ?? "";
      const seenMs = heartbeats.seenAt(name, `${renewTime} ${readyCondition(node)?.lastHeartbeatTime ?? ""}`);
      const wasReady = readyCondition(node)?.status;
      const remainingMs = seenMs + (wasReady === undefined ? startGraceMs : graceMs) - clock.now();
      heartbeats.checkIn(name, remainingMs > 0 ? remainingMs : graceMs);
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
      if (readyCondition(node)?.status !== "True" && wasReady === "True") {
        const note = `Node ${name} status is now: NodeNotReady`;
        events.event(node, { reason: "NodeNotReady", note });
      }
      if (readyCondition(node)?.status !== "True")
        await allSettled(readyPods(pods.store.list(), name).map((pod) => markNotReady(context, pod, signal)));
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
