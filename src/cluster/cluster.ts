import type { ApiServerOptions } from "../apiserver/options.js";
import type { ApiServer } from "../apiserver/server.js";
import type { Client } from "../client/client.js";
import type { Log } from "../controller/reconcile/controller-log.js";
import type { Kind } from "../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { ControllerName } from "./all-controllers.js";
import type { SignerOptions } from "./certificates/signer.js";
import type { ClusterEvent } from "./events.js";
import type { ImageScripts } from "./nodes/containers/images.js";
import type { NodeHandle, PodHandles, PodSelector } from "./nodes/handles.js";
import type { NodeTemplate } from "./nodes/node-agent.js";
import type { Stage } from "./stages/stage.js";

/**
 * Options for `createCluster`.
 *
 * @example
 * ```ts
 * import { createCluster } from "kubestream/cluster";
 *
 * await using cluster = await createCluster({
 *   nodes: [{ name: "large", capacity: { cpu: "64" } }, { name: "small" }],
 *   time: "virtual",
 *   seed: 7,
 * });
 * console.log(cluster.now());
 * ```
 */
export interface ClusterOptions {
  /** Number of nodes, which are called `node-1`, `node-2`, …, or their descriptions. Default 1. */
  readonly nodes?: number | readonly NodeTemplate[] | undefined;
  /**
   * `real`: time passes by itself, and `advance` skips ahead. `virtual`: time stands still except in `advance` and
   * `until`, so a run doesn't depend on the machine. Default `real`.
   */
  readonly time?: "real" | "virtual" | undefined;
  /** Time at the start, in milliseconds since the epoch. Default: now; with `virtual` time 2026-01-01T00:00:00Z. */
  readonly startMs?: number | undefined;
  /** Seed for names, UIDs and choices. With `virtual` time, the same seed gives the same history. Default: random. */
  readonly seed?: number | undefined;
  /**
   * Behaviour of the containers of images by pattern, such as `worker:*`. Default: they start at once and stay up, unless
   * their command is a common one that ends, such as `sleep 30` (see `ImageScript`).
   */
  readonly images?: ImageScripts | undefined;
  /**
   * Declared stages, which change objects of a kind after a delay: objects or YAML of kwok's `Stage`. A pod that matches
   * one is left to the stages from then on, without containers; the cluster still removes it when it's deleted, unless a
   * stage does. An unsupported field throws a `ConfigError`.
   */
  readonly stages?: string | readonly Stage[] | undefined;
  /** Options for the API server, such as tokens and the authorization mode. Default: every request has all rights. */
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "kubelets"> | undefined;
  /** Serves `metrics.k8s.io`, for `kubectl top` and autoscalers. Default `true`. */
  readonly metrics?: boolean | undefined;
  /**
   * Controllers to run, each from the first object on that it acts on. Default: all that the API server doesn't contain.
   * A named one that it contains, such as `garbage-collector`, runs instead of the server's.
   */
  readonly controllers?: readonly ControllerName[] | undefined;
  /**
   * Certificate authority for CertificateSigningRequests of Kubernetes' signers. Default: one that the cluster makes when
   * it's needed first.
   */
  readonly signer?: SignerOptions | undefined;
  /**
   * Receives what the controllers, the scheduler and the nodes log. Default: nothing is written; `until` shows the last
   * errors when it fails.
   */
  readonly log?: Log | undefined;
}

/** Controllers of a cluster. Both functions throw a `RangeError` for a controller that doesn't run. */
export interface ControllerHandles {
  /** Names of the controllers that run. */
  readonly names: readonly ControllerName[];
  /** Holds a controller back: it sees changes and does nothing. */
  pause(name: ControllerName): void;
  /** Resumes a controller after `pause`. */
  resume(name: ControllerName): void;
}

/** Options for `until`. */
export interface UntilOptions {
  /** Time of the cluster's clock in milliseconds after which the wait fails. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Signal that ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Handles of a running cluster. */
export interface ClusterHandles extends AsyncDisposable {
  /** Client of the cluster's API server; that of `createCluster` has all rights. */
  readonly client: Client;
  /** Returns the cluster's time in milliseconds since the epoch. */
  now(): number;
  /**
   * Returns pods that run on the simulated nodes, to make them fail: by a label selector such as `app=web`, or by
   * namespace and name. Default: all pods. Throws a `TypeError` for an invalid selector.
   */
  pods(selector?: string | PodSelector): PodHandles;
  /** Controllers, to hold them back. */
  readonly controllers: ControllerHandles;
  /** Returns a node by its name, to make it fail. Throws a `RangeError` for a node that isn't simulated. */
  nodes(name: string): NodeHandle;
  /**
   * Returns the events about the objects of a name, such as `default/web`, and about the ReplicaSets, Jobs and pods that
   * belong to them, in order of time. Without a name, it returns all events.
   */
  events(name?: string): Promise<ClusterEvent[]>;
  /**
   * Waits until an object meets a condition, and returns it; `condition` gets `undefined` if it doesn't exist. `name` is
   * `namespace/name`, or the name of a cluster-scoped object. With `virtual` time the clock advances.
   *
   * Rejects with a `ClusterTimeoutError` that describes the object, its pods and their events, with a `ClosedError` when
   * the cluster is closed, and with a `RangeError` for a namespaced object's name without its namespace.
   */
  until<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    condition: (object: DeepReadonly<T> | undefined) => boolean,
    options?: UntilOptions,
  ): Promise<DeepReadonly<T> | undefined>;
  /** Stops everything that the cluster runs. */
  close(): Promise<void>;
}

/** State of a cluster at one moment. */
export interface ClusterSnapshot {
  /** Time of the snapshot, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/**
 * A Kubernetes cluster in this process: an API server with the controllers of kube-controller-manager, a scheduler, and
 * nodes that play the containers of their pods.
 *
 * @example
 * ```ts
 * import { createCluster } from "kubestream/cluster";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 *
 * await using cluster = await createCluster({ nodes: 3 });
 * await cluster.client.resource(Deployment).namespace("default").create({
 *   metadata: { name: "web" },
 *   spec: {
 *     replicas: 2,
 *     selector: { matchLabels: { app: "web" } },
 *     template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } },
 *   },
 * });
 * await cluster.until(Deployment, "default/web", (web) => web?.status?.availableReplicas === 2);
 * ```
 */
export interface Cluster extends ClusterHandles {
  /** The API server. */
  readonly server: ApiServer;
  /**
   * Skips time: a number of milliseconds, or a duration such as `90s` or `1h30m`. Everything that is due in that time happens in order.
   * Resolves when the cluster has settled. Throws a `TypeError` for an invalid duration.
   */
  advance(duration: number | string): Promise<void>;
  /** Resolves when nothing more happens until the clock moves on: all requests are answered, and the controllers are idle. */
  settled(): Promise<void>;
  /** Captures the current state, once the cluster has settled. It's cheap: objects aren't copied. */
  snapshot(): Promise<ClusterSnapshot>;
  /**
   * Goes back to the state of a snapshot, as often as needed, for example after each test that shares the cluster.
   * Objects, the time, nodes, pods with their logs, held-back controllers and the numbers of a `seed` are as they were;
   * faults of the server are removed. The resource version still only increases. Controllers start again with empty
   * memory, like after a restart. Containers run on, but a `run` function starts from its beginning, and so do image
   * pulls and hooks. Open watches end, and informers follow with the differences as events.
   *
   * Resolves when the cluster has settled. Rejects with a `TypeError` for a snapshot of another cluster, and while another
   * call restores.
   *
   * @example
   * ```ts
   * import { createCluster } from "kubestream/cluster";
   * import { Namespace } from "kubestream/kinds/core/v1";
   *
   * await using cluster = await createCluster({ nodes: 2, time: "virtual" });
   * const baseline = await cluster.snapshot();
   * await cluster.client.resource(Namespace).create({ metadata: { name: "temporary" } });
   * await cluster.restore(baseline);
   * console.log(await cluster.client.resource(Namespace).getOptional("temporary")); // undefined
   * ```
   */
  restore(snapshot: ClusterSnapshot): Promise<void>;
}
