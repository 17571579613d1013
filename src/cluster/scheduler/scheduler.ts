import type { Controller } from "../../controller/reconcile/controller.js";
import { createController } from "../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../controller/reconcile/enqueue.js";
import { kindSource } from "../../controller/reconcile/source.js";
import { Node, Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { bind } from "../../operations/pod-operations.js";
import type { ClusterContext } from "../controllers/context.js";
import { isActive } from "../controllers/shared/pods.js";

/** Name of the scheduler that pods request by default. */
const schedulerName = "default-scheduler";

/**
 * Creates the scheduler, which assigns each pod to a node.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
export function createScheduler(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const nodes = context.cache(Node);
  const events = context.recorder("default-scheduler");
  pods.store.addIndex("node", ({ spec }) => [spec?.nodeName ?? ""]);

  const waiting = (): { namespace: string; name: string }[] =>
    pods.store
      .byIndex("node", "")
      .filter(isWaiting)
      .map(({ metadata }) => ({ namespace: metadata!.namespace!, name: metadata!.name! }));

  return createController({
    name: "scheduler",
    for: client.resource(Pod),
    predicates: [({ object }) => isWaiting(object)],
    watches: [kindSource(client.resource(Node), enqueueMapped(waiting))],
    clock,
    log,
    async reconcile({ namespace, name }, { object: pod, signal }) {
      if (pod === undefined || !isWaiting(pod)) return;
      const loads = nodes.store
        .list()
        .filter(({ spec }) => spec?.unschedulable !== true)
        .map((node) => ({ node, load: pods.store.byIndex("node", node.metadata!.name!).filter(isActive).length }))
        .sort((a, b) => a.load - b.load);
      const target = loads[0]?.node.metadata?.name;
      if (target === undefined) {
        events.event(pod, {
          type: "Warning",
          reason: "FailedScheduling",
          action: "Scheduling",
          note: "no nodes available to schedule pods",
        });
        return;
      }
      await bind(client.resource(Pod).namespace(namespace), name, target, { signal });
      const note = `Successfully assigned ${namespace}/${name} to ${target}`;
      events.event(pod, { reason: "Scheduled", action: "Binding", note });
    },
  });
}

function isWaiting(pod: DeepReadonly<Pod>): boolean {
  return pod.spec?.nodeName === undefined && pod.spec?.schedulerName === schedulerName && isActive(pod);
}
