import type { Timer } from "../../internal/clock.js";
import { deepEqual } from "../../internal/deep-equal.js";
import type { Container, Pod, ResourceRequirements } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { podRequests, type Resources } from "../scheduler/snapshot/pod-resources.js";
import type { Allocation, PodHost, Reason, SavedResources } from "./pod-host.js";

/** Time after which a kubelet sees that the containers have their new resources. */
const actuateMs = 1_000;

type Requirements = DeepReadonly<ResourceRequirements>;

/** Services of a pod for its resources. */
interface ResourceOwner {
  /** Starts a container again, because its resize policy says so. */
  restart(container: string, message: string): void;
  changed(): void;
}

/** Resources that a node has allocated to the containers of a pod, and its progress with a resize. */
export class PodResources {
  readonly #host: PodHost;
  readonly #owner: ResourceOwner;
  #admitted: boolean;
  #pod: DeepReadonly<Pod>;
  // Without a resize, the version of the pod says both.
  #allocated: Allocation | undefined;
  #actual: Allocation | undefined;
  #requests: Resources | undefined;
  #pending: string | undefined;
  #inProgress: boolean;
  #timer: Timer | undefined;

  constructor(host: PodHost, owner: ResourceOwner, pod: DeepReadonly<Pod>, saved?: SavedResources) {
    this.#host = host;
    this.#owner = owner;
    // A pod that was here before has its place.
    this.#admitted = saved !== undefined || pod.status?.startTime !== undefined;
    this.#pod = pod;
    this.#allocated = saved?.allocated;
    this.#actual = saved?.actual;
    this.#pending = saved?.pending;
    this.#inProgress = saved?.inProgress === true;
    if (this.#inProgress) this.#actuateLater();
  }

  /** Message of a resize that waits for room on the node; `undefined` if none does. */
  get pending(): string | undefined {
    return this.#pending;
  }

  /** True while containers don't have their new resources yet. */
  get inProgress(): boolean {
    return this.#inProgress;
  }

  /** Resources that the pod takes from the node. */
  get requests(): Resources {
    this.#requests ??= podRequests(this.#allocated === undefined ? this.#pod : this.#withAllocated());
    return this.#requests;
  }

  /** Returns what the node has allocated to a container. */
  allocated({ name, resources }: DeepReadonly<Container>): Requirements | undefined {
    return this.#allocated?.has(name) === true ? this.#allocated.get(name) : resources;
  }

  /** Returns what a container has. */
  actual(container: DeepReadonly<Container>): Requirements | undefined {
    return this.#actual?.has(container.name) === true ? this.#actual.get(container.name) : this.allocated(container);
  }

  save(): SavedResources {
    return {
      allocated: this.#allocated,
      actual: this.#actual,
      pending: this.#pending,
      inProgress: this.#inProgress,
    };
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
    if (!isSame || this.#pending !== undefined) this.#resize(isSame);
    return undefined;
  }

  #reject(): Reason | undefined {
    const rejection = isForeign(this.#pod)
      ? foreign
      : (this.#shortage(podRequests(withoutDevices(this.#pod))) ?? this.#host.mismatch(this.#pod));
    if (rejection === undefined) return undefined;
    this.#event("Warning", rejection.reason, rejection.message);
    return { reason: rejection.reason, message: `Pod was rejected: ${rejection.message}` };
  }

  #resize(isSame: boolean): void {
    const desired = allocationOf(this.#pod);
    const allocated = this.#allocated ?? desired;
    if (isEqual(desired, allocated)) {
      this.#pending = undefined;
      return;
    }
    const requests = podRequests(this.#pod);
    const shortage = this.#shortage(requests);
    if (shortage !== undefined) {
      if (this.#pending === shortage.message && isSame) return;
      this.#pending = shortage.message;
      this.#event("Warning", "ResizeDeferred", `Pod resize Deferred: ${this.#summary(shortage.message)}`);
      return;
    }
    const before = this.requests;
    this.#pending = undefined;
    this.#actual ??= allocated;
    this.#allocated = desired;
    this.#requests = requests;
    this.#inProgress = true;
    this.#event("Normal", "ResizeStarted", `Pod resize started: ${this.#summary()}`);
    this.#actuateLater();
    if (Object.keys(before).some((name) => (requests[name] ?? 0) < before[name]!)) this.#host.freed();
  }

  /** Ends a resize that is in progress. */
  stop(): void {
    this.#timer?.cancel();
  }

  #actuateLater(): void {
    this.#timer?.cancel();
    this.#timer = this.#host.clock.setTimer(() => this.#actuate(), actuateMs);
  }

  #actuate(): void {
    const { initContainers = [], containers = [] } = this.#pod.spec ?? {};
    const old = this.#actual;
    this.#actual = this.#allocated;
    for (const container of [...initContainers, ...containers])
      if (needsRestart(container, old?.get(container.name), this.#actual?.get(container.name)))
        this.#owner.restart(container.name, `Container ${container.name} resize requires restart`);
    this.#inProgress = false;
    this.#event("Normal", "ResizeCompleted", `Pod resize completed: ${this.#summary()}`);
    this.#owner.changed();
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

  #withAllocated(): DeepReadonly<Pod> {
    const apply = (containers: readonly DeepReadonly<Container>[] | undefined): DeepReadonly<Container>[] =>
      (containers ?? []).map((each) => ({ ...each, resources: this.allocated(each) ?? {} }));
    const { spec } = this.#pod;
    return {
      ...this.#pod,
      spec: { ...spec!, containers: apply(spec?.containers), initContainers: apply(spec?.initContainers) },
    };
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

function allocationOf({ spec }: DeepReadonly<Pod>): Allocation {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return new Map(all.map(({ name, resources = {} }) => [name, resources]));
}

function isEqual(a: Allocation, b: Allocation): boolean {
  return a.size === b.size && [...a].every(([name, resources]) => deepEqual(resources, b.get(name)));
}

/** Returns true if a resource has changed whose resize policy is a restart. */
function needsRestart(
  { resizePolicy = [] }: DeepReadonly<Container>,
  before: Requirements | undefined,
  after: Requirements | undefined,
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (before?.requests?.[resourceName] !== after?.requests?.[resourceName] ||
        before?.limits?.[resourceName] !== after?.limits?.[resourceName]),
  );
}

/** Rejection of a pod for another operating system than that of the simulated nodes. */
const foreign: Reason = {
  reason: "PodOSNotSupported",
  message: "The node doesn't run the operating system of the pod",
};

function isForeign({ spec }: DeepReadonly<Pod>): boolean {
  return spec?.os !== undefined && spec.os.name !== "linux";
}
