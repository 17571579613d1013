// What exists in a random history while it is made.
import type { ScenarioStep } from "../scenario.js";
import type { Choices, WorkloadKind } from "./workloads.js";

/** Workload that exists in a history. */
export interface LiveWorkload {
  readonly kind: WorkloadKind;
  readonly app: string;
  version: number;
  /** True once its containers have crashed: a second crash would start a back-off. */
  crashed: boolean;
  paused: boolean;
}

/** Devices of a history. */
export interface DeviceWorld {
  /** Devices of each claim of a pod, or parts of a device. */
  readonly perPod: number;
  /** True if claims get parts of devices. */
  readonly hasParts: boolean;
  /** Generation of the pool of each node. */
  readonly generations: number[];
  hasClass: boolean;
  hasShared: boolean;
  /** Number of single pods that were created. */
  pods: number;
}

/** State of a history while it is made: objects and nodes. */
export interface World {
  readonly name: string;
  readonly choices: Choices;
  readonly live: LiveWorkload[];
  /** Number of nodes. Nodes change only if there are several, and single pods only if there is one. */
  readonly nodes: number;
  /** Objects other than workloads, by kind and name. */
  readonly others: Set<string>;
  /** Undoes the change of each node that was changed. */
  readonly changedNodes: Map<string, ScenarioStep>;
  volumes: boolean;
  /** True for a history that may have devices, and Services with topology and families. */
  readonly isWide: boolean;
  /** Devices of the history, once there are any. */
  devices?: DeviceWorld;
}
