import { isNotFound } from "../../errors/predicates.js";
import { linkAbort, orAborted } from "../../internal/abort.js";
import { Pod } from "../../kinds/core/v1.js";
import { bind } from "../../operations/pod-operations.js";
import type { ClusterContext } from "../controllers/context.js";
import { type ClaimBinder, VolumeBindingError } from "./claim-binder.js";
import type { DeviceBinder } from "./device-binder.js";
import { DeviceBindingError } from "./devices/allocation-error.js";
import { deviceRuleName } from "./plugins/dynamic-resources.js";
import { volumeRuleName } from "./plugins/volume-binding.js";
import type { SchedulingQueue } from "./scheduling-queue.js";
import { type NodeInfo, type PodInfo, podInfo } from "./snapshot/node-info.js";
import type { SchedulerSnapshot } from "./snapshot/scheduler-snapshot.js";
import type { StatusWriter } from "./write-pod-status.js";

/** Parts of a scheduler that its binder shares. */
export interface PodBinderParts {
  readonly context: ClusterContext;
  readonly claims: ClaimBinder;
  readonly devices: DeviceBinder;
  readonly snapshot: SchedulerSnapshot;
  readonly queue: SchedulingQueue;
  readonly status: StatusWriter;
  /** Aborts bindings, which go on after a pod's turn, when the scheduler stops. */
  readonly lifetime: AbortSignal;
}

/** Binds pods to nodes, with their volumes and devices. */
export class PodBinder {
  readonly #parts: PodBinderParts;

  constructor(parts: PodBinderParts) {
    this.#parts = parts;
  }

  /**
   * Binds a pod to a node. If its volumes or devices have to be prepared first, that goes on after this returns, so that
   * the next pod doesn't wait for them.
   */
  async bind(info: PodInfo, node: NodeInfo, signal: AbortSignal): Promise<void> {
    const { context, snapshot } = this.#parts;
    const { pod } = info;
    const { namespace, name } = pod.metadata!;
    // Reserve the place before the cache shows it.
    snapshot.setPod({ ...pod, spec: { ...pod.spec!, nodeName: node.name } }, node.name);
    const prepared = this.#prepare(info, node);
    const bound = (prepared?.then(() => this.#write(info, node)) ?? this.#write(info, node)).catch((error: unknown) =>
      this.#afterFailure(info, error),
    );
    if (prepared === undefined) {
      await orAborted(bound, signal);
      return;
    }
    bound.catch((error: unknown) => {
      const request = { namespace: namespace!, name: name! };
      context.log({ level: "warn", controller: "scheduler", request, message: "binding failed", error });
    });
  }

  /**
   * Binds the volumes of a pod and allocates its devices, and nominates the node until the pod is bound. The first failure
   * cancels the rest. Returns `undefined` if nothing is to be done.
   */
  #prepare(info: PodInfo, node: NodeInfo): Promise<void> | undefined {
    const { claims, devices, lifetime, status } = this.#parts;
    const link = linkAbort(lifetime);
    const work = [claims.prepare(info.pod, node, link.signal), devices.prepare(info, node, link.signal)].filter(
      (each) => each !== undefined,
    );
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
    const nominated = status.nominate(info.pod, node.name, link.signal).catch(() => undefined);
    return Promise.all([nominated, ...work.map((each) => each.catch(fail))]).then(() => {
      link.release();
      if (failure !== undefined) throw failure.error;
    });
  }

  /** Writes the binding of a pod, unless it was deleted. */
  async #write(info: PodInfo, node: NodeInfo): Promise<void> {
    const { context, devices, lifetime, queue, status } = this.#parts;
    const { pod, uid } = info;
    const { namespace, name } = pod.metadata!;
    try {
      await bind(context.client.resource(Pod).namespace(namespace!), name!, node.name, { signal: lifetime });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#giveBack(info);
      await devices.discard(pod, lifetime);
      return;
    }
    queue.remove(uid);
    status.event(pod, "Scheduled", `Successfully assigned ${namespace}/${name} to ${node.name}`);
  }

  /** Tries a pod later that couldn't be bound, and reports why. */
  async #afterFailure(info: PodInfo, error: unknown): Promise<void> {
    const { context, devices, lifetime, queue, status } = this.#parts;
    if (lifetime.aborted) return;
    const { pod, uid } = info;
    this.#giveBack(info);
    const current = context.cache(Pod).store.get(`${pod.metadata!.namespace}/${pod.metadata!.name}`);
    if (current?.metadata?.uid !== uid) {
      await devices.discard(pod, lifetime);
      return;
    }
    queue.retry(podInfo(current), 1_000);
    await devices.release(pod, lifetime);
    const rule = ruleOf(error);
    if (rule === undefined) {
      await status.denominate(current, lifetime);
      throw error;
    }
    const message = `running PreBind plugin "${rule}": ${(error as Error).message}`;
    await status.unschedulable(pod, { reason: "SchedulerError", message }, lifetime);
  }

  /** Gives back the place of a pod that wasn't bound. */
  #giveBack({ pod, uid }: PodInfo): void {
    const { queue, snapshot } = this.#parts;
    if (snapshot.removePod(uid)) queue.changed({ type: "pod", old: pod });
  }
}

/** Returns the name of the rule that couldn't prepare a pod's volumes or devices on its node. */
function ruleOf(error: unknown): string | undefined {
  if (error instanceof VolumeBindingError) return volumeRuleName;
  return error instanceof DeviceBindingError ? deviceRuleName : undefined;
}
