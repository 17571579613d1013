import { createKubeletServer, type KubeletListener, type KubeletServer } from "../apiserver/kubelets/kubelet-server.js";
import type { Informer } from "../cache/informer/informer.js";
import type { Client } from "../client/client.js";
import type { Log } from "../controller/reconcile/controller-log.js";
import { KubestreamError } from "../errors/kubestream-error.js";
import { isNotFound } from "../errors/predicates.js";
import { systemClock } from "../internal/clock.js";
import { Lease } from "../kinds/coordination/v1.js";
import { Node, Pod } from "../kinds/core/v1.js";
import { parseTime } from "../meta/time.js";
import { allControllers, type ControllerName } from "./all-controllers.js";
import { createCertificateSigner, readAuthority, type SignerOptions } from "./certificates/signer.js";
import type { ClusterHandles } from "./cluster.js";
import type { ClusterContext } from "./controllers/context.js";
import { joinMetrics } from "./metrics/install-metrics.js";
import { createMetricsApi } from "./metrics/metrics-api.js";
import { createContainerLogs } from "./nodes/container-logs.js";
import { createContainerSessions } from "./nodes/container-sessions.js";
import { type ImageScripts, readImages } from "./nodes/containers/images.js";
import { createKubeletReviews } from "./nodes/kubelet-reviews.js";
import type { NodeTemplate } from "./nodes/node-agent.js";
import type { SimulatedNode } from "./nodes/simulated-node.js";
import { readStages } from "./stages/read-stages.js";
import type { Stage } from "./stages/stage.js";
import { createMachines, startParts } from "./start-parts.js";
import { type ClusterClock, createClusterClock } from "./time/cluster-clock.js";

/** Options for `joinCluster`. */
export interface JoinOptions {
  /** Number of simulated nodes, which are called `node-1`, `node-2`, …, or their descriptions. Default 1. */
  readonly nodes?: number | readonly NodeTemplate[] | undefined;
  /**
   * Behaviour of the containers of images by pattern, such as `worker:*`. Default: they start at once and stay up, unless
   * their command is a common one that ends, such as `sleep 30` (see `ImageScript`).
   */
  readonly images?: ImageScripts | undefined;
  /** Declared stages, as in `createCluster`. */
  readonly stages?: string | readonly Stage[] | undefined;
  /** Controllers to run. Default: all. */
  readonly controllers?: readonly ControllerName[] | undefined;
  /** False to leave the assignment of pods to nodes to another scheduler. Default `true`. */
  readonly scheduler?: boolean | undefined;
  /** CA certificate of the API server in PEM, for the ConfigMaps `kube-root-ca.crt`. Default: empty. */
  readonly rootCa?: string | undefined;
  /**
   * Certificate authority for CertificateSigningRequests of Kubernetes' signers. Default: one that the cluster makes when
   * it's needed first, which the API server doesn't know.
   */
  readonly signer?: SignerOptions | undefined;
  /**
   * Opens a port for the kubelets of the nodes, such as `createKubeletListener()` of `kubestream/apiserver/node`. The API
   * server connects to it for logs, exec, attach and port forwarding, and for `metrics.k8s.io` if it has no metrics server
   * and the address isn't one of IPv6. Default: none of them works.
   */
  readonly kubelets?: KubeletListener | undefined;
  /** Receives what the controllers, the scheduler and the nodes log. Default: nothing is written. */
  readonly log?: Log | undefined;
}

/**
 * Runs the controllers of kube-controller-manager, a scheduler and simulated nodes as clients of any API server, such as
 * a kube-apiserver without other components. Resolves when the nodes are ready. The client needs all rights, and stays
 * open.
 *
 * Rejects with a `KubestreamError` if a kube-controller-manager or a kube-scheduler holds its lease there, because two of
 * them would undo each other's work. Throws a `RangeError` for an invalid number of nodes, and a
 * `ConfigError` for invalid images, stages or an invalid signer.
 *
 * @example
 * ```ts
 * import { isAvailable, joinCluster } from "kubestream/cluster";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ kubeconfig: "./kubeconfig" });
 * await using cluster = await joinCluster(client, { nodes: 3 });
 * await cluster.until(Deployment, "default/web", isAvailable);
 * ```
 */
export async function joinCluster(client: Client, options: JoinOptions = {}): Promise<ClusterHandles> {
  const { machines, templates } = createMachines(options.nodes ?? 1);
  const images = readImages(options.images ?? {});
  const stages = readStages(options.stages ?? []);
  const authority = await readAuthority(options.signer);
  const { scheduler = true } = options;
  await refuseRivals(client, ["kube-controller-manager", ...(scheduler ? ["kube-scheduler"] : [])]);
  const clock = createClusterClock({ virtual: false, startMs: Date.now() });
  const caches: Caches = {
    pods: () => context().cache(Pod),
    nodes: () => context().cache(Node),
  };
  const kubelets = await options.kubelets?.(createKubelets(machines, clock, caches, client));
  if (kubelets !== undefined) for (const machine of machines.values()) machine.listenAt(kubelets);
  const parts = startParts({
    client,
    clock,
    random: Math.random,
    rootCa: options.rootCa ?? "",
    signer: createCertificateSigner(clock, authority),
    // Answers arrive over a network here, so changes are joined by time.
    afterTurns: (_, callback) => void systemClock.setTimer(callback, batchMs),
    idle: () => undefined,
    machines,
    templates,
    images,
    stages,
    controllers: options.controllers ?? (Object.keys(allControllers) as ControllerName[]),
    // To know whether there are objects takes the watch that a controller begins with.
    whenStored(_, callback) {
      callback();
      return () => undefined;
    },
    scheduler,
    log: options.log,
    settled: () => Promise.resolve(),
  });
  const context = (): ClusterContext => parts.context;
  let removeMetrics: (() => Promise<void>) | undefined;
  const close = async (): Promise<void> => {
    await removeMetrics?.().catch((error: unknown) =>
      options.log?.({ level: "warn", message: "the metrics API wasn't removed", error }),
    );
    await parts.stop();
    await kubelets?.close();
    clock.stop();
  };
  try {
    await parts.install();
    if (kubelets !== undefined && !kubelets.address.includes(":")) removeMetrics = await joinMetrics(client, kubelets);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...parts.handles, close, [Symbol.asyncDispose]: close };
}

/** Caches of a running cluster. */
interface Caches {
  readonly pods: () => Informer<Pod>;
  readonly nodes: () => Informer<Node>;
}

/** Creates the API of the kubelets of simulated nodes, with the metrics API. */
function createKubelets(
  machines: ReadonlyMap<string, SimulatedNode>,
  clock: ClusterClock,
  { pods, nodes }: Caches,
  client: Client,
): KubeletServer {
  return createKubeletServer({
    reviews: createKubeletReviews(client),
    connection: { ...createContainerLogs(machines, clock), ...createContainerSessions(machines) },
    findNode: (namespace, name) => pods().store.get(`${namespace}/${name}`)?.spec?.nodeName,
    apis: createMetricsApi({
      nodes: machines,
      pods,
      nodeLabels: (name) => nodes().store.get(name)?.metadata?.labels,
      clock,
    }),
  });
}

/** Time in milliseconds in which changes of many objects of one owner are joined. */
const batchMs = 20;

/** Rejects if one of the programs with the same tasks holds its lease. */
async function refuseRivals(client: Client, rivals: readonly string[]): Promise<void> {
  const leases = client.resource(Lease).namespace("kube-system");
  for (const name of rivals) {
    const lease = await leases.get(name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const { holderIdentity = "", renewTime, leaseDurationSeconds = 15 } = lease?.spec ?? {};
    const renewedMs = parseTime(renewTime)?.getTime() ?? 0;
    if (holderIdentity !== "" && renewedMs + leaseDurationSeconds * 1_000 > Date.now())
      throw new KubestreamError(
        `${name} already runs on this API server: ${holderIdentity} holds the lease kube-system/${name}`,
      );
  }
}
