import type { Timer } from "../../internal/clock.js";
import type { Container, Pod, PodStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { podRequests, type Resources } from "../scheduler/snapshot/pod-resources.js";
import {
  type Allocation,
  allocationOf,
  equalAllocations,
  loweredMemoryLimit,
  needsRestart,
  podLevelStatus,
  type Requirements,
  resizeOf,
  withAllocation,
} from "./allocation.js";
import type { PodHost, Reason, Resize, SavedResources } from "./pod-host.js";
import { findUnsupported } from "./pod-support.js";

/** Time after which a kubelet sees that the containers have their new resources. */
const actuateMs = 1_000;
/** Time after which it tries again to give them. */
const retryMs = 10_000;

const none: Requirements = {};

/** Services of a pod for its resources. */
interface ResourceOwner {
  /** Starts a container again, because its resize policy says so. */
  restart(container: string, message: string): void;
  /** Returns the memory in bytes that a container uses; `undefined` if it doesn't run. */
  memory(container: string): number | undefined;
  changed(): void;
}

type PodLevel = Pick<PodStatus, "allocatedResources" | "resources">;

/** Resources that a node has allocated to a pod and its containers, and its progress with a resize. */
export class PodResources {
  readonly #host: PodHost;
  readonly #owner: ResourceOwner;
  #admitted: boolean;
  #pod: DeepReadonly<Pod>;
  // Without a resize, the version of the pod says both.
  #allocated: Allocation | undefined;
  #actual: Allocation | undefined;
  #requests: Resources | undefined;
  #podLevel: PodLevel | undefined;
  #resize: Resize = {};
  #timer: Timer | undefined;

  constructor(host: PodHost, owner: ResourceOwner, pod: DeepReadonly<Pod>, saved?: SavedResources) {
    this.#host = host;
    this.#owner = owner;
    // A pod that was here before has its place.
    this.#admitted = saved !== undefined || pod.status?.startTime !== undefined;
    this.#pod = pod;
    this.#allocated = saved?.allocated;
    this.#actual = saved?.actual;
    this.#resize = saved?.resize ?? {};
    if (this.#resize.inProgress === true) this.#actuateLater(actuateMs);
  }

  /** Progress of a resize. */
  get resize(): Resize {
    return this.#resize;
  }

  /** Resources that the pod takes from the node. */
  get requests(): Resources {
    this.#requests ??= podRequests(withAllocation(this.#pod, this.#allocated));
    return this.#requests;
  }

  /** Resources of the pod as a whole, for its status. */
  get podLevel(): PodLevel {
    const [allocated, actual] = [this.#allocated, this.#actual ?? this.#allocated];
    this.#podLevel ??= podLevelStatus(withAllocation(this.#pod, allocated), withAllocation(this.#pod, actual));
    return this.#podLevel;
  }

  /** Returns what the node has allocated to a container. */
  allocated({ name, resources = none }: DeepReadonly<Container>): Requirements {
    return this.#allocated?.get(name) ?? resources;
  }

  /** Returns what a container has. */
  actual(container: DeepReadonly<Container>): Requirements {
    return this.#actual?.get(container.name) ?? this.allocated(container);
  }

  save(): SavedResources {
    return { allocated: this.#allocated, actual: this.#actual, resize: this.#resize };
  }

  /**
   * Allocates the resources that a version of the pod requests, if the node has them. Returns the reason for which the
   * node rejects a new pod; a resize waits instead.
   */
  update(pod: DeepReadonly<Pod>): Reason | undefined {
    const isSame = pod.metadata?.generation === this.#pod.metadata?.generation;
    if (!isSame) this.#allocated ??= allocationOf(this.#pod);
    this.#pod = pod;
    if (!this.#admitted) {
      this.#admitted = true;
      return this.#reject();
    }
    // Most updates are those of the status.
    if (!isSame || this.#resize.pending !== undefined) this.#allocate(isSame);
    return undefined;
  }

  #reject(): Reason | undefined {
    const rejection =
      findUnsupported(this.#pod) ??
      this.#shortage(podRequests(withoutDevices(this.#pod))) ??
      this.#host.mismatch(this.#pod);
    if (rejection === undefined) return undefined;
    this.#event("Warning", rejection.reason, rejection.message);
    return { reason: rejection.reason, message: `Pod was rejected: ${rejection.message}` };
  }

  #allocate(isSame: boolean): void {
    const desired = allocationOf(this.#pod);
    const allocated = this.#allocated ?? desired;
    if (equalAllocations(desired, allocated)) {
      this.#resize = { ...this.#resize, pending: undefined };
      return;
    }
    const requests = podRequests(this.#pod);
    const shortage = this.#shortage(requests);
    if (shortage !== undefined) {
      if (this.#resize.pending === shortage.message && isSame) return;
      this.#resize = { ...this.#resize, pending: shortage.message };
      this.#event("Warning", "ResizeDeferred", `Pod resize Deferred: ${this.#summary(shortage.message)}`);
      return;
    }
    const before = this.requests;
    this.#actual ??= allocated;
    this.#allocated = desired;
    this.#requests = requests;
    this.#podLevel = undefined;
    this.#resize = { inProgress: true };
    this.#event("Normal", "ResizeStarted", `Pod resize started: ${this.#summary()}`);
    this.#actuateLater(actuateMs);
    if (Object.keys(before).some((name) => (requests[name] ?? 0) < before[name]!)) this.#host.freed();
  }

  /** Ends a resize that is in progress. */
  stop(): void {
    this.#timer?.cancel();
  }

  #actuateLater(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#host.clock.setTimer(() => this.#actuate(), delayMs);
  }

  #actuate(): void {
    const { initContainers = [], containers = [] } = this.#pod.spec ?? {};
    const [before, after] = [this.#actual!, this.#allocated!];
    const resizes = [...initContainers, ...containers].map((container) => {
      const resize = resizeOf(container.name, before, after);
      return { name: container.name, resize, restarts: needsRestart(container, resize) };
    });
    const error = resizes
      .filter(({ restarts }) => !restarts)
      .map(({ name, resize }) => this.#lowMemory(name, loweredMemoryLimit(resize)))
      .find((each) => each !== undefined);
    if (error === undefined) {
      this.#actual = this.#allocated;
      this.#podLevel = undefined;
      for (const { name, restarts } of resizes)
        if (restarts) this.#owner.restart(name, `Container ${name} resize requires restart`);
      this.#resize = { ...this.#resize, inProgress: false, error: undefined };
      this.#event("Normal", "ResizeCompleted", `Pod resize completed: ${this.#summary()}`);
    } else {
      if (this.#resize.error !== error)
        this.#event("Warning", "ResizeError", `Pod resize error: ${this.#summary(error)}`);
      this.#resize = { ...this.#resize, error };
      this.#actuateLater(retryMs);
    }
    this.#owner.changed();
  }

  /** Returns an error if a container uses more memory than its new limit. */
  #lowMemory(container: string, limit: number | undefined): string | undefined {
    const used = limit === undefined ? undefined : this.#owner.memory(container);
    if (used === undefined || used < limit!) return undefined;
    const amounts = `limit (${String(limit)}) below current usage (${String(used)})`;
    return `attempting to set container "${container}" memory ${amounts}`;
  }

  #shortage(requests: Resources): Reason | undefined {
    return this.#host.shortage(this.#pod.metadata!.uid!, requests);
  }

  #event(type: "Normal" | "Warning", reason: string, note: string): void {
    this.#host.event(this.#pod, { type, reason, note });
  }

  /** Describes the requested resources as events of a resize do. */
  #summary(error?: string): string {
    const list = (containers: readonly DeepReadonly<Container>[] | undefined): object[] | undefined =>
      containers?.map(({ name, resources = {} }) => ({ name, resources }));
    return JSON.stringify({
      initContainers: list(this.#pod.spec?.initContainers),
      containers: list(this.#pod.spec?.containers),
      generation: this.#pod.metadata?.generation,
      error,
    });
  }
}

/** Returns a pod whose containers don't request the resources that they get from devices of a claim. */
function withoutDevices(pod: DeepReadonly<Pod>): DeepReadonly<Pod> {
  const { requestMappings } = pod.status?.extendedResourceClaimStatus ?? {};
  if (requestMappings === undefined) return pod;
  const apply = (containers: readonly DeepReadonly<Container>[] = []): DeepReadonly<Container>[] =>
    containers.map(({ resources, ...container }) => {
      const own = requestMappings.filter(({ containerName }) => containerName === container.name);
      const requests = Object.entries(resources?.requests ?? {}).filter(([resource]) =>
        own.every(({ resourceName }) => resourceName !== resource),
      );
      return { ...container, resources: { ...resources, requests: Object.fromEntries(requests) } };
    });
  const { spec } = pod;
  return {
    ...pod,
    spec: { ...spec!, containers: apply(spec?.containers), initContainers: apply(spec?.initContainers) },
  };
}
