import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ContainerUsage, ProbeAttempt } from "./containers/images.js";

/** Selection of pods by labels, namespace and name. */
export interface PodSelector {
  /** Label selector, such as `app=web,tier!=db`. Default: all labels. */
  readonly labels?: string | undefined;
  /** Namespace. Default: all. */
  readonly namespace?: string | undefined;
  /** Name of the pod. Default: all. */
  readonly name?: string | undefined;
}

/** Options for `crash`. */
export interface CrashOptions {
  /** Exit code. Default 1. */
  readonly exitCode?: number | undefined;
  /** Reason in the container's state, such as `OOMKilled`. Default `Error`, or `Completed` for the exit code 0. */
  readonly reason?: string | undefined;
  /** Message in the container's state. */
  readonly message?: string | undefined;
  /** Name of the container. Default: all containers. */
  readonly container?: string | undefined;
}

/** Options for `evict`. */
export interface EvictOptions {
  /** Message in the pod's status. Default: the node was low on memory. */
  readonly message?: string | undefined;
}

/**
 * Pods that run on the simulated nodes and match a selector. Each method affects the pods that match when it's called,
 * rejects with a `RangeError` if no pod matches, and resolves when the cluster has settled.
 *
 * @example
 * ```ts
 * import { createCluster } from "kubestream/cluster";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * await using cluster = await createCluster({ time: "virtual" });
 * const spec = { containers: [{ name: "main", image: "web:1" }] };
 * await cluster.client.resource(Pod).namespace("default").create({ metadata: { name: "web", labels: { app: "web" } }, spec });
 * await cluster.settled();
 * await cluster.pods("app=web").crash({ exitCode: 137, reason: "OOMKilled" });
 * ```
 */
export interface PodHandles {
  /** Ends the containers as if their processes had ended. They restart by their restart policy. */
  crash(options?: CrashOptions): Promise<void>;
  /** Ends the pods for lack of resources on their node: they fail with the reason `Evicted`. */
  evict(options?: EvictOptions): Promise<void>;
  /** Lets a kind of probe fail with a reason, until `passProbe`. */
  failProbe(type: ProbeAttempt["type"], reason?: string): Promise<void>;
  /** Lets a kind of probe succeed, whatever the image's script says. */
  passProbe(type: ProbeAttempt["type"]): Promise<void>;
  /**
   * Sets the resources that each container uses, such as `{ cpu: "800m" }`, whatever the image's script says; without an
   * argument, the script counts again. `metrics.k8s.io` reports them, and autoscalers act on them.
   */
  setUsage(usage?: ContainerUsage): Promise<void>;
  /** Returns the pods, from the API. */
  list(): readonly DeepReadonly<Pod>[];
}

/**
 * A simulated node. Each method resolves when the cluster has settled.
 *
 * @example
 * ```ts
 * import { createCluster } from "kubestream/cluster";
 *
 * await using cluster = await createCluster({ nodes: 3, time: "virtual" });
 * await cluster.nodes("node-2").partition();
 * await cluster.advance("10m");
 * await cluster.nodes("node-2").recover();
 * ```
 */
export interface NodeHandle {
  /** Cuts the node off from the API server. Its pods run on; deleted ones aren't stopped. */
  partition(): Promise<void>;
  /** Stops the machine: its heartbeats end, and so do its containers. */
  crash(): Promise<void>;
  /** Brings the node back: it reports to the API server, and starts the containers that should run. */
  recover(): Promise<void>;
}
