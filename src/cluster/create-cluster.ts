import type { ServiceHandler } from "../apiserver/http/service-resolver.js";
import type { ApiServer } from "../apiserver/server.js";
import { createApiServer } from "../apiserver/server.js";
import type { Informer } from "../cache/informer/informer.js";
import { createInformerFactory } from "../cache/informer/informer-factory.js";
import { createClient } from "../client/client.js";
import { createEventRecorder } from "../controller/events/create-event-recorder.js";
import type { EventRecorder } from "../controller/events/event-recorder.js";
import type { Controller } from "../controller/reconcile/controller.js";
import type { Log } from "../controller/reconcile/controller-log.js";
import { Node, Pod } from "../kinds/core/v1.js";
import { Event } from "../kinds/events/v1.js";
import { StorageClass } from "../kinds/storage/v1.js";
import type { Kind } from "../meta/kind.js";
import type { KubernetesObject } from "../meta/object.js";
import { getControllerOwner } from "../objects/owner-references.js";
import { allControllers, type ControllerName } from "./all-controllers.js";
import type { Cluster, ClusterOptions, ControllerHandles } from "./cluster.js";
import type { ClusterContext } from "./controllers/context.js";
import { listEvents } from "./events.js";
import { explainObject } from "./explain.js";
import { installMetrics, resolveMetrics } from "./metrics/install-metrics.js";
import { createMetricsApi } from "./metrics/metrics-api.js";
import { createContainerLogs } from "./nodes/container-logs.js";
import { createContainerSessions } from "./nodes/container-sessions.js";
import { imageLookup } from "./nodes/containers/images.js";
import { createNodeHandle, createPodHandles } from "./nodes/create-handles.js";
import { createKubelets } from "./nodes/kubelet.js";
import { createNodeAgent, type NodeTemplate } from "./nodes/node-agent.js";
import { SimulatedNode } from "./nodes/simulated-node.js";
import { createProblemLog } from "./problem-log.js";
import { createScheduler } from "./scheduler/scheduler.js";
import { createServerTransport } from "./server-transport.js";
import { type Activity, createActivity } from "./time/activity.js";
import { type ClusterClock, createClusterClock } from "./time/cluster-clock.js";
import { parseDuration } from "./time/duration.js";
import { createRandom } from "./time/random.js";
import { waitForObject } from "./until.js";

/** Start of a cluster with virtual time. */
const virtualStartMs = Date.UTC(2026, 0, 1);

/** Storage class for claims that name none. */
const standardClass = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "simulated/volumes",
  volumeBindingMode: "WaitForFirstConsumer" as const,
};

/**
 * Creates a cluster in this process: an API server, controllers, a scheduler and nodes. Resolves when the nodes are
 * ready. Throws a `RangeError` for an invalid number of nodes.
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
  const templates = nodeTemplates(options.nodes ?? 1);
  const clock = createClusterClock({ virtual, startMs: options.startMs ?? (virtual ? virtualStartMs : Date.now()) });
  const random = options.seed === undefined ? undefined : createRandom(options.seed);
  const nodes = new Map(templates.map(({ name }, index) => [name, new SimulatedNode(name, index)]));
  const { metrics = true } = options;
  let metricsApi: ServiceHandler | undefined;
  const server = createApiServer({
    ...options.server,
    ...(metrics && { resolveService: resolveMetrics(() => metricsApi, options.server?.resolveService) }),
    clock,
    kubelets: { ...createContainerLogs(nodes, clock), ...createContainerSessions(nodes) },
    ...(random && { random }),
  });
  const activity = createActivity();
  const problems = createProblemLog(options.log);
  const context = createContext({ server, clock, activity, random: random ?? Math.random, log: problems.log });

  const names = options.controllers ?? (Object.keys(allControllers) as ControllerName[]);
  const removesStartTaint = !names.includes("node-lifecycle");
  const agents = new Map(
    templates.map((template) => {
      const machine = nodes.get(template.name)!;
      return [template.name, createNodeAgent(context, { template, machine, removesStartTaint })];
    }),
  );
  const kubelets = createKubelets(context, { nodes, script: imageLookup(options.images ?? {}) });
  const named = new Map(names.map((name) => [name, allControllers[name](context)]));
  const controllers: Controller[] = [...named.values(), createScheduler(context), kubelets.controller];
  for (const controller of controllers) controller.start({ informers: context.informers });
  const close = async (): Promise<void> => {
    for (const agent of agents.values()) agent.stop();
    kubelets.stop();
    await Promise.all(controllers.map((controller) => controller.stop({ drainTimeoutMs: 0 })));
    await context.end();
    clock.stop();
  };
  const settled = async (): Promise<void> => {
    await activity.settled();
  };
  const nodeCache = context.cache(Node);
  metricsApi = createMetricsApi({
    nodes,
    pods: context.cache(Pod),
    nodeLabels: (name) => nodeCache.store.get(name)?.metadata?.labels,
    clock,
  });
  const parts = { clock, pods: context.cache(Pod), nodes, agents, kubelets, settled };
  const cluster: Cluster = {
    client: context.client,
    server,
    now: () => clock.now(),
    settled,
    advance: (duration) => clock.advance(typeof duration === "number" ? duration : parseDuration(duration), settled),
    events: async (name) => {
      await settled();
      return await listEvents(context.client, name);
    },
    controllers: controllerHandles(named),
    pods: (selector = {}) => createPodHandles(parts, selector),
    nodes: (name) => createNodeHandle(parts, name),
    until: (kind, name, condition, wait = {}) =>
      waitForObject({
        informer: context.cache(kind),
        clock,
        settled,
        name,
        condition,
        explain: async () => `${await explainObject(context.client, kind, name)}${problems.about(name)}`,
        ...wait,
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
  try {
    if (named.has("persistentvolume-binder")) await context.client.resource(StorageClass).create(standardClass);
    if (metrics) await installMetrics(context.client);
    await Promise.all([...agents.values()].map((agent) => agent.start()));
    await settled();
  } catch (error) {
    await close();
    throw error;
  }
  return cluster;
}

function controllerHandles(controllers: ReadonlyMap<ControllerName, Controller>): ControllerHandles {
  const find = (name: ControllerName): Controller => {
    const controller = controllers.get(name);
    if (controller !== undefined) return controller;
    throw new RangeError(`no controller ${JSON.stringify(name)} runs: ${[...controllers.keys()].join(", ")}`);
  };
  return {
    names: [...controllers.keys()],
    pause: (name) => find(name).pause(),
    resume: (name) => find(name).resume(),
  };
}

function nodeTemplates(nodes: number | readonly NodeTemplate[]): readonly NodeTemplate[] {
  if (typeof nodes !== "number") return nodes;
  if (!Number.isSafeInteger(nodes) || nodes < 0)
    throw new RangeError(`nodes must be a non-negative integer, not ${nodes}`);
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
}

interface ContextParts {
  readonly server: ApiServer;
  readonly clock: ClusterClock;
  readonly activity: Activity;
  readonly random: () => number;
  readonly log: Log;
}

/** Creates what the parts of the cluster share. `end` closes it, and the server. */
function createContext({
  server,
  clock,
  activity,
  random,
  log,
}: ContextParts): ClusterContext & { end(): Promise<void> } {
  const client = createClient({
    transport: createServerTransport(server, activity),
    userAgent: "kubestream-cluster",
    clock,
    random,
  });
  const informers = createInformerFactory({ clock, random });
  const caches = new Map<string, Informer<KubernetesObject>>();
  const recorders = new Map<string, EventRecorder>();
  return {
    client,
    informers,
    clock,
    random,
    log,
    cache<T extends KubernetesObject>(kind: Kind<T>): Informer<T> {
      const key = `${kind.group}/${kind.version}/${kind.plural}`;
      let informer = caches.get(key);
      if (informer === undefined) {
        informer = informers.informer<KubernetesObject>(client.resource(kind));
        informer.store.addIndex("controller", (object) => [
          getControllerOwner(object)?.uid ?? `orphan/${object.metadata?.namespace ?? ""}`,
        ]);
        informer.start();
        caches.set(key, informer);
      }
      return informer as unknown as Informer<T>;
    },
    afterTurns: (turns, callback) => activity.afterTurns(turns, callback),
    recorder(component, instance = component) {
      const key = `${component}/${instance}`;
      let recorder = recorders.get(key);
      if (recorder === undefined) {
        const events = client.resource(Event);
        // A rollout of many pods must not lose events, which a test may wait for.
        const maxPending = 100_000;
        recorder = createEventRecorder({ events, controller: component, instance, clock, random, log, maxPending });
        recorders.set(key, recorder);
      }
      return recorder;
    },
    async end() {
      await Promise.all([...recorders.values()].map((recorder) => recorder.close()));
      await informers.close();
      await client.close();
      await server.close();
    },
  };
}
