import type { ControllerToggles } from "../apiserver/controllers/controllers.js";
import type { ServiceHandler } from "../apiserver/http/service-resolver.js";
import { createApiServer } from "../apiserver/server.js";
import { createClient } from "../client/client.js";
import { Node, Pod } from "../kinds/core/v1.js";
import { type ControllerName, defaultControllers, serverControllers } from "./all-controllers.js";
import { createCertificateSigner, readAuthority } from "./certificates/signer.js";
import type { Cluster, ClusterOptions } from "./cluster.js";
import { createSnapshots } from "./cluster-snapshot.js";
import { installMetrics, resolveMetrics } from "./metrics/install-metrics.js";
import { createMetricsApi } from "./metrics/metrics-api.js";
import { createContainerLogs } from "./nodes/container-logs.js";
import { createContainerSessions } from "./nodes/container-sessions.js";
import { readImages } from "./nodes/containers/images.js";
import { objectCodec } from "./object-codec.js";
import { createServerTransport, inProcessWatches } from "./server-transport.js";
import { readStages } from "./stages/read-stages.js";
import { createMachines, startParts } from "./start-parts.js";
import { createActivity } from "./time/activity.js";
import { createClusterClock } from "./time/cluster-clock.js";
import { skippedMs } from "./time/duration.js";
import { createRandom } from "./time/random.js";

/** Start of a cluster with virtual time. */
const virtualStartMs = Date.UTC(2026, 0, 1);

/**
 * Creates a cluster in this process: an API server, controllers, a scheduler and nodes. Resolves when the nodes are
 * ready. Throws a `RangeError` for an invalid number of nodes, and a `ConfigError` for invalid images, stages or
 * an invalid signer.
 *
 * @example
 * ```ts
 * import { createCluster } from "kubestream/cluster";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * await using cluster = await createCluster();
 * const pods = cluster.client.resource(Pod).namespace("default");
 * await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "web:1" }] } });
 * const pod = await cluster.until(Pod, "default/web", (pod) => pod?.status?.phase === "Running");
 * console.log(pod?.spec?.nodeName); // node-1
 * ```
 */
export async function createCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const virtual = options.time === "virtual";
  const { machines, templates } = createMachines(options.nodes ?? 1);
  const images = readImages(options.images ?? {});
  const stages = readStages(options.stages ?? []);
  const authority = await readAuthority(options.signer);
  const activity = createActivity();
  const clock = createClusterClock({
    virtual,
    startMs: options.startMs ?? (virtual ? virtualStartMs : Date.now()),
    // Long work that lets others have a turn goes on. Without the passing of time, no work is long.
    ...(!virtual && { onTurn: () => activity.touch() }),
  });
  const random = options.seed === undefined ? undefined : createRandom(options.seed);
  const { metrics = true, controllers = defaultControllers } = options;
  let metricsApi: ServiceHandler | undefined;
  const server = createApiServer({
    ...options.server,
    ...(metrics && { resolveService: resolveMetrics(() => metricsApi, options.server?.resolveService) }),
    controllers: withoutReplaced(options.server?.controllers, controllers),
    clock,
    kubelets: { ...createContainerLogs(machines, clock), ...createContainerSessions(machines) },
    ...(random && { random }),
  });
  await server.ready().catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const settled = (): Promise<void> => activity.settled();
  const connection = {
    userAgent: "kubestream-cluster",
    clock,
    ...(random && { random }),
  };
  const client = createClient({
    ...connection,
    transport: createServerTransport({ server, activity, internal: false }),
  });
  // Controllers watch deprecated kinds, too; that's no advice for the user.
  const own = createClient({
    ...connection,
    transport: createServerTransport({ server, activity, internal: true }),
    codecs: [objectCodec()],
    onWarning: () => undefined,
  });
  const parts = startParts({
    client: own,
    clock,
    random: random ?? Math.random,
    rootCa: options.server?.rootCa ?? "",
    signer: createCertificateSigner(clock, authority),
    afterTurns: (turns, callback) => activity.afterTurns(turns, callback),
    idle: () => (clock.virtual ? activity.idle() : undefined),
    watches: inProcessWatches,
    machines,
    templates,
    images,
    stages,
    controllers,
    // The write goes on first: a controller begins with requests of its own.
    whenStored: (kinds, callback) => server.whenStored(kinds, () => queueMicrotask(callback)),
    scheduler: true,
    log: options.log,
    settled,
  });
  const close = async (): Promise<void> => {
    await parts.stop();
    await Promise.all([own.close(), client.close()]);
    await server.close();
    clock.stop();
  };
  metricsApi = createMetricsApi({
    nodes: machines,
    pods: () => parts.context.cache(Pod),
    nodeLabels: (name) => parts.context.cache(Node).store.get(name)?.metadata?.labels,
    clock,
  });
  try {
    if (metrics) await installMetrics(client);
    await parts.install();
    await settled();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...parts.handles,
    ...createSnapshots({ server, clock, random, parts, settled }),
    client,
    server,
    settled,
    advance: async (duration) => clock.advance(skippedMs(duration), settled),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the switches of the server's own controllers, without those that the cluster runs as clients. */
function withoutReplaced(
  given: ControllerToggles | false | undefined,
  controllers: readonly ControllerName[],
): ControllerToggles | false {
  if (given === false) return false;
  const replaced = Object.entries(serverControllers).filter(([name]) => controllers.includes(name as ControllerName));
  return { ...given, ...Object.fromEntries(replaced.map(([, toggle]) => [toggle, false])) };
}
