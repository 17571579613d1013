import type { Client } from "../../client/client.js";
import type { Clock } from "../../internal/clock.js";
import type { Pod, Service } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { Resources } from "../scheduler/snapshot/pod-resources.js";
import type { Allocation } from "./allocation.js";
import type { SavedContainer } from "./containers/container-phase.js";
import type { ContainerUsage, ImageScript, ProbeAttempt } from "./containers/images.js";

/** Services of a node for its pods. */
export interface PodHost {
  readonly client: Client;
  readonly clock: Clock;
  readonly node: string;
  readonly hostIp: string;
  readonly presentImages: Set<string>;
  script(image: string): ImageScript;
  /** Returns the Services for which the containers of a pod get variables. */
  services(pod: DeepReadonly<Pod>): Promise<readonly DeepReadonly<Service>[]>;
  /** Returns an address for a pod; `undefined` if all are taken. */
  allocateIp(): string | undefined;
  releaseIp(address: string): void;
  event(
    pod: DeepReadonly<Pod>,
    details: { type: "Normal" | "Warning"; reason: string; note: string; container?: string | undefined },
  ): void;
  /** Returns the resource that the node lacks for the requests of a pod; `undefined` if they fit. */
  shortage(uid: string, requests: Resources): Reason | undefined;
  /** Returns why the node can't run a pod, although it has the resources; `undefined` if it can. */
  mismatch(pod: DeepReadonly<Pod>): Reason | undefined;
  /** Lets resizes that wait for room on the node try again. */
  freed(): void;
  /** Reports that the pod's status may have changed. */
  changed(pod: DeepReadonly<Pod>): void;
}

/** State of a pod on its node in a snapshot. */
export interface SavedPod {
  readonly pod: DeepReadonly<Pod>;
  readonly startedMs: number;
  readonly podIp: string | undefined;
  readonly mounted: boolean;
  /** Why the node has rejected the pod. */
  readonly rejection: Reason | undefined;
  readonly failure: Reason | undefined;
  readonly disruption: Reason | undefined;
  readonly finished: boolean;
  readonly endsAtMs: number;
  readonly probes: ReadonlyMap<ProbeAttempt["type"], string | true>;
  readonly usage: ContainerUsage | undefined;
  readonly containers: readonly SavedContainer[];
  readonly resources: SavedResources;
}

/** State of the resources of a pod in a snapshot. */
export interface SavedResources {
  readonly allocated: Allocation | undefined;
  readonly actual: Allocation | undefined;
  readonly resize: Resize;
}

/** Progress of a resize of a pod. */
export interface Resize {
  /** Message of a resize that waits for room on the node; `undefined` if none does. */
  readonly pending?: string | undefined;
  /** True while containers don't have their new resources yet. */
  readonly inProgress?: boolean | undefined;
  /** Message of the error that keeps containers from having them. */
  readonly error?: string | undefined;
}

/** Reason for the end of a pod. */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}
