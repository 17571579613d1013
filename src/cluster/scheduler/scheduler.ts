import type { Informer } from "../../cache/informer/informer.js";
import type { Controller } from "../../controller/reconcile/controller.js";
import { createController } from "../../controller/reconcile/create-controller.js";
import { ClosedError } from "../../errors/errors.js";
import { isNotFound } from "../../errors/predicates.js";
import { linkAbort, orAborted } from "../../internal/abort.js";
import { deepEqual } from "../../internal/deep-equal.js";
import { Namespace, Node, Pod } from "../../kinds/core/v1.js";
import { PodDisruptionBudget } from "../../kinds/policy/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { bind } from "../../operations/pod-operations.js";
import type { ClusterContext } from "../controllers/context.js";
import { isActive, isFinished } from "../controllers/shared/pods.js";
import { createClaimBinder, VolumeBindingError } from "./claim-binder.js";
import { createDeviceBinder, type DeviceBinder } from "./device-binder.js";
import { AllocationError, DeviceBindingError } from "./devices/allocation-error.js";
import { resourcesOf } from "./devices/extended-resources.js";
import { dynamicResources } from "./plugins/dynamic-resources.js";
import { imageLocality } from "./plugins/image-locality.js";
import { interPodAffinity } from "./plugins/inter-pod-affinity.js";
import { balancedAllocation, nodePorts, nodeResourcesFit } from "./plugins/node-resources.js";
import { nodeAffinity, nodeDeclaredFeatures, nodeUnschedulable, taintToleration } from "./plugins/node-rules.js";
import type { ClusterChange, SchedulerPlugin } from "./plugins/plugin.js";
import { podTopologySpread } from "./plugins/pod-topology-spread.js";
import { volumeBinding } from "./plugins/volume-binding.js";
import { nodeVolumeLimits } from "./plugins/volume-limits.js";
import { volumeRestrictions, volumeZone } from "./plugins/volumes.js";
import { type PreemptionPlan, planPreemption } from "./preemption.js";
import { bestNode, type Filtered, failureMessage, filterNodes, type Selection } from "./select-node.js";
import { type NodeInfo, type PodInfo, podInfo } from "./snapshot/node-info.js";
import { podRequests } from "./snapshot/pod-resources.js";
import { SchedulerSnapshot } from "./snapshot/scheduler-snapshot.js";
import { retryAnywayMs, WaitingPods } from "./waiting-pods.js";
import { createStatusWriter } from "./write-pod-status.js";

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
  readonly #waiting = new WaitingPods();
  readonly #delayed = new Set<string>();
  readonly #nominated = new Map<string, PodInfo>();
  readonly #claims: ReturnType<typeof createClaimBinder>;
  readonly #devices: DeviceBinder;
  readonly #deviceRule: SchedulerPlugin;
  readonly #volumeRule: SchedulerPlugin;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #selection: Selection;
  readonly #status: ReturnType<typeof createStatusWriter>;
  /** Aborts the binding of pods, which goes on after their turn, when the scheduler stops. */
  readonly #lifetime = new AbortController();
  #from = 0;
  #retryTimer = false;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#budgets = context.cache(PodDisruptionBudget);
    const namespaces = context.cache(Namespace);
    this.#snapshot = new SchedulerSnapshot((name) => namespaces.store.get(name)?.metadata?.labels);
    this.#claims = createClaimBinder(context, {
      changed: () => this.#changed({ type: "volume" }),
      limitRaised: () => this.#changed({ type: "volumeLimit" }),
    });
    this.#volumeRule = volumeBinding(this.#claims.reader);
    this.#status = createStatusWriter(context, schedulerName);
    this.#devices = createDeviceBinder(context, {
      changed: (claim) => this.#changed({ type: "device", claim }),
      classChanged: (deviceClass) => {
        this.#changed({ type: "device" });
        this.#changed({ type: "deviceClass", resources: resourcesOf(deviceClass) });
      },
      waiting: (pod, node) => this.#status.waiting(pod, node),
    });
    this.#deviceRule = dynamicResources(this.#devices.reader);
    const plugins: readonly SchedulerPlugin[] = [
      nodeUnschedulable,
      taintToleration,
      nodeAffinity,
      nodePorts,
      nodeResourcesFit(this.#devices.reader),
      volumeRestrictions(this.#claims.reader),
      nodeVolumeLimits(this.#claims.reader),
      this.#volumeRule,
      volumeZone(this.#claims.reader),
      podTopologySpread,
      interPodAffinity,
      this.#deviceRule,
      balancedAllocation,
      imageLocality,
      nodeDeclaredFeatures,
    ];
    this.#selection = {
      plugins,
      cluster: this.#snapshot,
      withNominated: (node, pod) => this.#withNominated(node, pod),
    };
    this.controller = createController({
      name: "scheduler",
      for: context.client.resource(Pod),
      // The handlers below decide when it is a pod's turn.
      predicates: [() => false],
      clock: context.clock,
      log: context.log,
      reconcile: async (_, { signal }) => {
        const info = this.#waiting.take(context.clock.now());
        if (info !== undefined)
          await this.#schedule(info, signal).catch((error: unknown) => this.#abandon(info, error, signal));
      },
    });
    const end = (): void => this.#lifetime.abort(new ClosedError("the scheduler was stopped"));
    this.controller.done.then(end, end);
    this.#follow();
  }

  #follow(): void {
    const { cache } = this.#context;
    cache(Node).addHandler((change) => {
      if (change.type === "deleted") {
        this.#snapshot.removeNode(change.object.metadata!.name!);
        this.#changed({ type: "node", old: change.object });
        return;
      }
      const old = change.type === "updated" ? change.old : undefined;
      this.#snapshot.setNode(change.object);
      if (old === undefined || !deepEqual(nodeTraits(change.object), nodeTraits(old)))
        this.#changed({ type: "node", now: change.object, old });
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
        this.#waiting.remove(pod.metadata!.uid!);
        this.#nominated.delete(pod.metadata!.uid!);
        this.#snapshot.setPod(pod, node);
        if (old?.spec?.nodeName === undefined) this.#changed({ type: "pod", now: pod });
        else if (!deepEqual(old.metadata?.labels, pod.metadata?.labels) || isResized(pod, old))
          this.#changed({ type: "pod", now: pod, old });
        return;
      }
      if (!isWaiting(pod)) {
        this.#waiting.remove(pod.metadata!.uid!);
        return;
      }
      // A pod that waits for its volumes or devices has its place already.
      if (this.#snapshot.hasPod(pod.metadata!.uid!)) return;
      const info = podInfo(pod);
      if (pod.status?.nominatedNodeName === undefined) this.#nominated.delete(info.uid);
      else this.#nominated.set(info.uid, info);
      // A change of the status alone is the scheduler's own.
      const isSame =
        old !== undefined &&
        isWaiting(old) &&
        old.metadata?.generation === pod.metadata?.generation &&
        deepEqual(old.metadata?.labels, pod.metadata?.labels) &&
        deepEqual(old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses);
      if (isSame) this.#waiting.refresh(info);
      else this.#activate(info);
    });
  }

  #forget(pod: DeepReadonly<Pod>): void {
    const uid = pod.metadata!.uid!;
    this.#waiting.remove(uid);
    const wasNominated = this.#nominated.delete(uid);
    if (this.#snapshot.removePod(uid) || wasNominated) this.#changed({ type: "pod", old: pod });
  }

  /** Lets a pod have its turn, unless it is held back. */
  #activate(info: PodInfo): void {
    if (this.#holdsBack(info)) return;
    this.#waiting.add(info);
    this.#enqueue(info);
  }

  /** Holds a pod back until what its claims depend on is read, and the claims for its devices exist. */
  #holdsBack(info: PodInfo): boolean {
    const rule = this.#claims.isWaiting(info.pod)
      ? this.#volumeRule
      : this.#devices.isWaiting(info, this.#snapshot.nodes)
        ? this.#deviceRule
        : undefined;
    if (rule !== undefined) this.#waiting.hold(info, rule);
    return rule !== undefined;
  }

  #enqueue({ pod, priority }: PodInfo): void {
    const { namespace, name } = pod.metadata!;
    this.controller.enqueue({ namespace: namespace!, name: name! }, { priority });
  }

  /** Tries pods again that may fit after a change: when their back-off is over, or when there is nothing else to do. */
  #changed(change: ClusterChange): void {
    const nowMs = this.#context.clock.now();
    for (const info of this.#waiting.affectedBy(change, this.#snapshot)) {
      const delayMs = this.#waiting.backOff(info.uid, nowMs);
      if (delayMs === 0) this.#activate(info);
      else if (!this.#holdsBack(info)) {
        this.#activateLater(info.uid, delayMs);
        if (this.#waiting.rest(info, nowMs + delayMs)) this.#enqueue(info);
      }
    }
  }

  #activateLater(uid: string, delayMs: number): void {
    if (this.#delayed.has(uid)) return;
    this.#delayed.add(uid);
    this.#context.clock.setTimer(() => {
      this.#delayed.delete(uid);
      const info = this.#waiting.unschedulable(uid);
      if (info !== undefined) this.#activate(info);
    }, delayMs);
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
    else await this.#bind(info, node, signal);
  }

  async #bind(info: PodInfo, node: NodeInfo, signal: AbortSignal): Promise<void> {
    const { pod, uid } = info;
    const { namespace, name } = pod.metadata!;
    // Reserve the place before the cache shows it.
    this.#snapshot.setPod({ ...pod, spec: { ...pod.spec!, nodeName: node.name } }, node.name);
    const finish = async (): Promise<void> => {
      try {
        const pods = this.#context.client.resource(Pod).namespace(namespace!);
        await bind(pods, name!, node.name, { signal: this.#lifetime.signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        this.#leave(info);
        await this.#devices.discard(pod, this.#lifetime.signal);
        return;
      }
      this.#waiting.remove(uid);
      this.#status.event(pod, "Scheduled", `Successfully assigned ${namespace}/${name} to ${node.name}`);
    };
    const prepared = this.#prepare(info, node);
    const bound = (prepared?.then(finish) ?? finish()).catch((error: unknown) => this.#afterFailure(info, error));
    if (prepared === undefined) {
      await orAborted(bound, signal);
      return;
    }
    // The next pod doesn't wait for the volumes and devices of this one.
    bound.catch((error: unknown) => {
      const request = { namespace: namespace!, name: name! };
      this.#context.log({ level: "warn", controller: "scheduler", request, message: "binding failed", error });
    });
  }

  /**
   * Binds the volumes of a pod and allocates its devices, and nominates the node until the pod is bound. The first failure
   * cancels the rest. Returns `undefined` if nothing is to be done.
   */
  #prepare(info: PodInfo, node: NodeInfo): Promise<void> | undefined {
    const link = linkAbort(this.#lifetime.signal);
    const work = [
      this.#claims.prepare(info.pod, node, link.signal),
      this.#devices.prepare(info, node, link.signal),
    ].filter((each) => each !== undefined);
    if (work.length === 0) {
      link.release();
      return undefined;
    }
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown): void => {
      failure ??= { error };
      link.abort(error);
    };
    // It's for others, such as a cluster autoscaler: without it, the pod is bound all the same.
    const nominated = this.#status.nominate(info.pod, node.name, link.signal).catch(() => undefined);
    return Promise.all([nominated, ...work.map((each) => each.catch(fail))]).then(() => {
      link.release();
      if (failure !== undefined) throw failure.error;
    });
  }

  /** Tries a pod later that couldn't be bound, and reports why. */
  async #afterFailure(info: PodInfo, error: unknown): Promise<void> {
    const { signal } = this.#lifetime;
    if (signal.aborted) return;
    const { pod, uid } = info;
    this.#leave(info);
    const current = this.#context.cache(Pod).store.get(`${pod.metadata!.namespace}/${pod.metadata!.name}`);
    if (current?.metadata?.uid !== uid) {
      await this.#devices.discard(pod, signal);
      return;
    }
    this.#waiting.fail(podInfo(current), new Set());
    this.#activateLater(uid, Math.max(1_000, this.#waiting.backOff(uid, this.#context.clock.now())));
    await this.#devices.release(pod, signal);
    const rule = this.#ruleOf(error);
    if (rule === undefined) {
      await this.#status.denominate(current, signal);
      throw error;
    }
    const message = `running PreBind plugin "${rule.name}": ${(error as Error).message}`;
    await this.#status.unschedulable(pod, { reason: "SchedulerError", message }, signal);
  }

  /** Gives back the place of a pod that couldn't be bound. */
  #leave({ pod, uid }: PodInfo): void {
    if (this.#snapshot.removePod(uid)) this.#changed({ type: "pod", old: pod });
  }

  /** Returns the rule that couldn't prepare a pod's volumes or devices on its node. */
  #ruleOf(error: unknown): SchedulerPlugin | undefined {
    if (error instanceof VolumeBindingError) return this.#volumeRule;
    return error instanceof DeviceBindingError ? this.#deviceRule : undefined;
  }

  async #fail(info: PodInfo, filtered: Filtered, signal: AbortSignal): Promise<void> {
    const { nodes } = this.#snapshot;
    this.#waiting.fail(info, filtered.rejectedBy);
    this.#retryEventually();
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
  async #abandon({ pod, uid }: PodInfo, error: unknown, signal: AbortSignal): Promise<void> {
    if (!(error instanceof AllocationError)) throw error;
    this.#waiting.fail(podInfo(pod), new Set());
    this.#activateLater(uid, this.#waiting.backOff(uid, this.#context.clock.now()));
    const message = `running "${this.#deviceRule.name}" filter plugin: ${error.message}`;
    await this.#status.unschedulable(pod, { reason: "SchedulerError", message }, signal);
  }

  async #preempt(info: PodInfo, { node, victims }: PreemptionPlan, signal: AbortSignal): Promise<void> {
    const nominated = { ...info.pod, status: { ...info.pod.status, nominatedNodeName: node.name } };
    const displaced = [...this.#nominated.values()].filter(
      ({ priority, pod }) => priority < info.priority && pod.status?.nominatedNodeName === node.name,
    );
    this.#nominated.set(info.uid, podInfo(nominated));
    for (const { pod } of displaced) await this.#status.denominate(pod, signal);
    for (const victim of victims) await this.#status.preempt(victim.pod, info.pod, node.name, signal);
  }

  /** Returns a node with the pods of at least the same priority that are nominated for it. */
  #withNominated(node: NodeInfo, { uid, priority }: PodInfo): NodeInfo | undefined {
    if (this.#nominated.size === 0) return undefined;
    const expected = [...this.#nominated.values()].filter(
      (other) => other.uid !== uid && other.priority >= priority && other.pod.status?.nominatedNodeName === node.name,
    );
    if (expected.length === 0) return undefined;
    const crowded = node.clone();
    for (const other of expected) crowded.add(other);
    return crowded;
  }

  /** Tries all pods again once in a while, in case a change was missed. */
  #retryEventually(): void {
    if (this.#retryTimer) return;
    this.#retryTimer = true;
    const retry = (): void => {
      this.#retryTimer = false;
      for (const info of this.#waiting.allUnschedulable()) this.#activate(info);
    };
    this.#context.clock.setTimer(retry, retryAnywayMs, { upkeep: true });
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
