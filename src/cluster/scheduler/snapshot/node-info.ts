import type { Node, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { getControllerOwner } from "../../../objects/owner-references.js";
import { type HostPort, hostPortsOf } from "./host-ports.js";
import { addTo, amountsOf, podRequests, type Resources } from "./pod-resources.js";

/** A pod with the values that the scheduler needs often. */
export interface PodInfo {
  readonly pod: DeepReadonly<Pod>;
  readonly uid: string;
  readonly requests: Resources;
  /** Requests for scores, with defaults for containers without any. */
  readonly assumedRequests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly priority: number;
  readonly owner: string | undefined;
  readonly hasAffinity: boolean;
  readonly hasAntiAffinity: boolean;
}

/** Returns a pod with the values that the scheduler needs. */
export function podInfo(pod: DeepReadonly<Pod>): PodInfo {
  const { affinity, priority = 0 } = pod.spec ?? {};
  return {
    pod,
    uid: pod.metadata!.uid!,
    requests: podRequests(pod, { whileResized: true }),
    assumedRequests: podRequests(pod, { whileResized: true, assumeDefaults: true }),
    hostPorts: hostPortsOf(pod),
    priority,
    owner: getControllerOwner(pod)?.uid,
    hasAffinity: affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined,
    hasAntiAffinity: (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  };
}

/** A node with its pods and the resources that they use. */
export class NodeInfo {
  readonly pods: Map<string, PodInfo> = new Map();
  readonly requested: Record<string, number> = {};
  readonly assumedRequested: Record<string, number> = {};
  /** Number of pods by the UID of their controller. */
  readonly owners: Map<string, number> = new Map();
  #node: DeepReadonly<Node>;
  #allocatable: Resources;

  constructor(node: DeepReadonly<Node>) {
    this.#node = node;
    this.#allocatable = amountsOf(node.status?.allocatable);
  }

  get node(): DeepReadonly<Node> {
    return this.#node;
  }

  set node(node: DeepReadonly<Node>) {
    this.#node = node;
    this.#allocatable = amountsOf(node.status?.allocatable);
  }

  get name(): string {
    return this.#node.metadata!.name!;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#node.metadata?.labels ?? {};
  }

  get allocatable(): Resources {
    return this.#allocatable;
  }

  /** Adds a pod, or replaces the known version of it. */
  add(info: PodInfo): void {
    this.remove(info.uid);
    this.pods.set(info.uid, info);
    this.#count(info, 1);
  }

  /** Removes a pod. Returns true if it was there. */
  remove(uid: string): boolean {
    const info = this.pods.get(uid);
    if (info === undefined) return false;
    this.pods.delete(uid);
    this.#count(info, -1);
    return true;
  }

  /** Returns a copy that can change independently. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.#node);
    for (const info of this.pods.values()) copy.add(info);
    return copy;
  }

  #count({ requests, assumedRequests, owner }: PodInfo, sign: 1 | -1): void {
    addTo(this.requested, requests, sign);
    addTo(this.assumedRequested, assumedRequests, sign);
    if (owner !== undefined) this.owners.set(owner, (this.owners.get(owner) ?? 0) + sign);
  }
}
