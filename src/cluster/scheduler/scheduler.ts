import type { Informer } from "../../cache/informer/informer.js";
import type { Controller } from "../../controller/reconcile/controller.js";
import { createController } from "../../controller/reconcile/create-controller.js";
import { ClosedError } from "../../errors/errors.js";
import { deepEqual } from "../../internal/deep-equal.js";
import { Namespace, Node, Pod } from "../../kinds/core/v1.js";
import { PodDisruptionBudget } from "../../kinds/policy/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import { isActive, isFinished } from "../controllers/shared/pods.js";
import { createClaimBinder } from "./claim-binder.js";
import { createDeviceBinder, type DeviceBinder } from "./device-binder.js";
import { AllocationError } from "./devices/allocation-error.js";
import { resourcesOf } from "./devices/extended-resources.js";
import { NominatedPods } from "./nominated-pods.js";
import { deviceRuleName, dynamicResources } from "./plugins/dynamic-resources.js";
import { imageLocality } from "./plugins/image-locality.js";
import { interPodAffinity } from "./plugins/inter-pod-affinity.js";
import { balancedAllocation, nodePorts, nodeResourcesFit } from "./plugins/node-resources.js";
import { nodeAffinity, nodeDeclaredFeatures, nodeUnschedulable, taintToleration } from "./plugins/node-rules.js";
import type { ClusterChange, SchedulerPlugin } from "./plugins/plugin.js";
import { podTopologySpread } from "./plugins/pod-topology-spread.js";
import { volumeBinding } from "./plugins/volume-binding.js";
import { nodeVolumeLimits } from "./plugins/volume-limits.js";
import { volumeRestrictions, volumeZone } from "./plugins/volumes.js";
import { PodBinder } from "./pod-binder.js";
import { type PreemptionPlan, planPreemption } from "./preemption.js";
import { SchedulingQueue } from "./scheduling-queue.js";
import { bestNode, type Filtered, failureMessage, filterNodes, type Selection } from "./select-node.js";
import { type PodInfo, podInfo } from "./snapshot/node-info.js";
import { podRequests } from "./snapshot/pod-resources.js";
import { SchedulerSnapshot } from "./snapshot/scheduler-snapshot.js";
import { createStatusWriter, type StatusWriter } from "./write-pod-status.js";

/** Name of the scheduler that pods request by default. */
const schedulerName = "default-scheduler";

/**
 * Creates the scheduler, which assigns each pod to a node.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
export function createScheduler(context: ClusterContext): Controller {
  return new Scheduler(context).controller;
}

class Scheduler {
  readonly controller: Controller;
  readonly #context: ClusterContext;
  readonly #snapshot: SchedulerSnapshot;
  readonly #queue: SchedulingQueue;
  readonly #nominated = new NominatedPods();
  readonly #devices: DeviceBinder;
  readonly #binder: PodBinder;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #selection: Selection;
  readonly #status: StatusWriter;
  #from = 0;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#budgets = context.cache(PodDisruptionBudget);
    const namespaces = context.cache(Namespace);
    this.#snapshot = new SchedulerSnapshot((name) => namespaces.store.get(name)?.metadata?.labels);
    this.#status = createStatusWriter(context, schedulerName);
    const changed = (change: ClusterChange): void => this.#queue.changed(change);
    const claims = createClaimBinder(context, {
      changed: () => changed({ type: "volume" }),
      limitRaised: () => changed({ type: "volumeLimit" }),
    });
    this.#devices = createDeviceBinder(context, {
      changed: (claim) => changed({ type: "device", claim }),
      classChanged: (deviceClass) => {
        changed({ type: "device" });
        changed({ type: "deviceClass", resources: resourcesOf(deviceClass) });
      },
      waiting: (pod, node) => this.#status.waiting(pod, node),
    });
    const volumeRule = volumeBinding(claims.reader);
    const deviceRule = dynamicResources(this.#devices.reader);
    const plugins: readonly SchedulerPlugin[] = [
      nodeUnschedulable,
      taintToleration,
      nodeAffinity,
      nodePorts,
      nodeResourcesFit(this.#devices.reader),
      volumeRestrictions(claims.reader),
      nodeVolumeLimits(claims.reader),
      volumeRule,
      volumeZone(claims.reader),
      podTopologySpread,
      interPodAffinity,
      deviceRule,
      balancedAllocation,
      imageLocality,
      nodeDeclaredFeatures,
    ];
    this.#selection = {
      plugins,
      cluster: this.#snapshot,
      withNominated: (node, pod) => this.#nominated.expectedOn(node, pod),
    };
    this.#queue = new SchedulingQueue({
      clock: context.clock,
      cluster: this.#snapshot,
      // Until what its claims depend on is read, and the claims for its devices exist.
      heldBy: (info) => {
        if (claims.isWaiting(info.pod)) return volumeRule;
        return this.#devices.isWaiting(info, this.#snapshot.nodes) ? deviceRule : undefined;
      },
      request: ({ pod, priority }) => {
        const { namespace, name } = pod.metadata!;
        this.controller.enqueue({ namespace: namespace!, name: name! }, { priority });
      },
    });
    this.controller = createController({
      name: "scheduler",
      for: context.client.resource(Pod),
      // The handlers below decide when it is a pod's turn.
      predicates: [() => false],
      clock: context.clock,
      log: context.log,
      reconcile: async (_, { signal }) => {
        const info = this.#queue.take();
        if (info !== undefined)
          await this.#schedule(info, signal).catch((error: unknown) => this.#abandon(info, error, signal));
      },
    });
    const lifetime = new AbortController();
    const end = (): void => lifetime.abort(new ClosedError("the scheduler was stopped"));
    this.controller.done.then(end, end);
    this.#binder = new PodBinder({
      context,
      claims,
      devices: this.#devices,
      snapshot: this.#snapshot,
      queue: this.#queue,
      status: this.#status,
      lifetime: lifetime.signal,
    });
    this.#follow();
  }

  #follow(): void {
    const { cache } = this.#context;
    cache(Node).addHandler((change) => {
      if (change.type === "deleted") {
        this.#snapshot.removeNode(change.object.metadata!.name!);
        this.#queue.changed({ type: "node", old: change.object });
        return;
      }
      const old = change.type === "updated" ? change.old : undefined;
      this.#snapshot.setNode(change.object);
      if (old === undefined || !deepEqual(nodeTraits(change.object), nodeTraits(old)))
        this.#queue.changed({ type: "node", now: change.object, old });
    });
    cache(Pod).addHandler((change) => {
      const { object: pod, type } = change;
      if (type === "deleted" || isFinished(pod)) {
        this.#forget(pod);
        return;
      }
      const node = pod.spec?.nodeName ?? "";
      const old = type === "updated" ? change.old : undefined;
      if (node !== "") {
        this.#queue.remove(pod.metadata!.uid!);
        this.#nominated.delete(pod.metadata!.uid!);
        this.#snapshot.setPod(pod, node);
        if (old?.spec?.nodeName === undefined) this.#queue.changed({ type: "pod", now: pod });
        else if (!deepEqual(old.metadata?.labels, pod.metadata?.labels) || isResized(pod, old))
          this.#queue.changed({ type: "pod", now: pod, old });
        return;
      }
      if (!isWaiting(pod)) {
        this.#queue.remove(pod.metadata!.uid!);
        return;
      }
      // A pod that waits for its volumes or devices has its place already.
      if (this.#snapshot.hasPod(pod.metadata!.uid!)) return;
      const info = podInfo(pod);
      this.#nominated.set(info);
      // A change of the status alone is the scheduler's own.
      const isSame =
        old !== undefined &&
        isWaiting(old) &&
        old.metadata?.generation === pod.metadata?.generation &&
        deepEqual(old.metadata?.labels, pod.metadata?.labels) &&
        deepEqual(old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses);
      if (isSame) this.#queue.refresh(info);
      else this.#queue.add(info);
    });
  }

  #forget(pod: DeepReadonly<Pod>): void {
    const uid = pod.metadata!.uid!;
    this.#queue.remove(uid);
    const wasNominated = this.#nominated.delete(uid);
    if (this.#snapshot.removePod(uid) || wasNominated) this.#queue.changed({ type: "pod", old: pod });
  }

  async #schedule(info: PodInfo, signal: AbortSignal): Promise<void> {
    const { nodes } = this.#snapshot;
    const nominated = this.#snapshot.node(info.pod.status?.nominatedNodeName ?? "");
    const preferred = nominated && filterNodes(info, this.#selection, nodes.indexOf(nominated));
    // The place that other pods were removed from comes first.
    const filtered =
      preferred?.fitting[0] === nominated && preferred !== undefined
        ? { ...preferred, fitting: preferred.fitting.slice(0, 1) }
        : filterNodes(info, this.#selection, this.#from);
    if (nodes.length > 0) this.#from = (this.#from + filtered.checked) % nodes.length;
    const node = bestNode(info, filtered.fitting, this.#selection, this.#context.random);
    if (node === undefined) await this.#fail(info, filtered, signal);
    else await this.#binder.bind(info, node, signal);
  }

  async #fail(info: PodInfo, filtered: Filtered, signal: AbortSignal): Promise<void> {
    const { nodes } = this.#snapshot;
    this.#queue.reject(info, filtered.rejectedBy);
    if (nodes.length === 0) {
      await this.#status.unschedulable(info.pod, { message: "no nodes available to schedule pods" }, signal);
      return;
    }
    const devices = await this.#devices.free(info, filtered, signal);
    const plan = planPreemption(info, filtered, this.#selection, this.#budgets.store.list());
    const isPlan = typeof plan === "object";
    if (isPlan) await this.#preempt(info, plan, signal);
    const message = failureMessage(nodes.length, filtered, { devices, preemption: isPlan ? undefined : plan });
    const keeps = typeof plan === "string" && plan.startsWith("not eligible due to a terminating pod");
    const nominated = isPlan ? plan.node.name : keeps ? info.pod.status?.nominatedNodeName : undefined;
    await this.#status.unschedulable(info.pod, { message, nominated }, signal);
  }

  /** Reports that a pod can't be scheduled because of an invalid claim or class, and tries it again later. */
  async #abandon({ pod }: PodInfo, error: unknown, signal: AbortSignal): Promise<void> {
    if (!(error instanceof AllocationError)) throw error;
    this.#queue.retry(podInfo(pod));
    const message = `running "${deviceRuleName}" filter plugin: ${error.message}`;
    await this.#status.unschedulable(pod, { reason: "SchedulerError", message }, signal);
  }

  async #preempt(info: PodInfo, { node, victims }: PreemptionPlan, signal: AbortSignal): Promise<void> {
    const nominated = { ...info.pod, status: { ...info.pod.status, nominatedNodeName: node.name } };
    const displaced = this.#nominated.below(info.priority, node.name);
    this.#nominated.set(podInfo(nominated));
    for (const { pod } of displaced) await this.#status.denominate(pod, signal);
    for (const victim of victims) await this.#status.preempt(victim.pod, info.pod, node.name, signal);
  }
}

function isWaiting(pod: DeepReadonly<Pod>): boolean {
  const { nodeName, schedulerName: requested, schedulingGates = [] } = pod.spec ?? {};
  return nodeName === undefined && requested === schedulerName && schedulingGates.length === 0 && isActive(pod);
}

/** Returns true if a pod takes other resources than before, which may leave room for others. */
function isResized(pod: DeepReadonly<Pod>, old: DeepReadonly<Pod>): boolean {
  const options = { whileResized: true };
  return !deepEqual(podRequests(pod, options), podRequests(old, options));
}

/** Returns the parts of a node that plugins decide by. */
function nodeTraits({ metadata, spec, status }: DeepReadonly<Node>): unknown {
  return [metadata?.labels, spec?.unschedulable, spec?.taints, status?.allocatable, status?.declaredFeatures];
}
