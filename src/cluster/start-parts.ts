import type { Controller } from "../controller/reconcile/controller.js";
import type { Log } from "../controller/reconcile/controller-log.js";
import { isAlreadyExists } from "../errors/predicates.js";
import { Pod } from "../kinds/core/v1.js";
import { StorageClass } from "../kinds/storage/v1.js";
import { allControllers, type ControllerName } from "./all-controllers.js";
import type { ClusterHandles, ControllerHandles } from "./cluster.js";
import { type ContextOptions, createContext } from "./cluster-context.js";
import type { ClusterContext } from "./controllers/context.js";
import { listEvents } from "./events.js";
import { explainObject } from "./explain.js";
import { type ImageScripts, imageLookup } from "./nodes/containers/images.js";
import { createNodeHandle, createPodHandles } from "./nodes/create-handles.js";
import { createKubelets } from "./nodes/kubelet.js";
import { createNodeAgent, type NodeTemplate } from "./nodes/node-agent.js";
import { SimulatedNode } from "./nodes/simulated-node.js";
import { createProblemLog } from "./problem-log.js";
import { createScheduler } from "./scheduler/scheduler.js";
import type { ClusterClock } from "./time/cluster-clock.js";
import { waitForObject } from "./until.js";

/** Options for `startParts`. */
export interface StartOptions extends Omit<ContextOptions, "clock" | "log"> {
  readonly clock: ClusterClock;
  /** Simulated machines by name. */
  readonly machines: ReadonlyMap<string, SimulatedNode>;
  /** Their descriptions. */
  readonly templates: readonly NodeTemplate[];
  readonly images: ImageScripts | undefined;
  readonly controllers: readonly ControllerName[];
  readonly scheduler: boolean;
  readonly log: Log | undefined;
  /** Resolves when the cluster has settled, as far as that can be known. */
  readonly settled: () => Promise<void>;
}

/** The running parts of a cluster that are clients of its API server. */
export interface StartedParts {
  readonly context: ClusterContext;
  readonly handles: Omit<ClusterHandles, "close" | typeof Symbol.asyncDispose>;
  /** Creates the default storage class and the nodes. */
  install(): Promise<void>;
  /** Stops the parts. The API server and its objects stay. */
  stop(): Promise<void>;
}

/** Storage class for claims that name none. */
const standardClass = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "simulated/volumes",
  volumeBindingMode: "WaitForFirstConsumer" as const,
};

/** Starts controllers, a scheduler and simulated nodes as clients of an API server. */
export function startParts(options: StartOptions): StartedParts {
  const { client, clock, machines, templates, settled } = options;
  const problems = createProblemLog(options.log);
  const context = createContext({ ...options, log: problems.log });
  const removesStartTaint = !options.controllers.includes("node-lifecycle");
  const agents = new Map(
    templates.map((template) => {
      const machine = machines.get(template.name)!;
      return [template.name, createNodeAgent(context, { template, machine, removesStartTaint })];
    }),
  );
  const kubelets = createKubelets(context, { nodes: machines, script: imageLookup(options.images ?? {}) });
  const named = new Map(options.controllers.map((name) => [name, allControllers[name](context)]));
  const running = [...named.values(), ...(options.scheduler ? [createScheduler(context)] : []), kubelets.controller];
  for (const controller of running) controller.start({ informers: context.informers });
  const parts = { clock, pods: context.cache(Pod), nodes: machines, agents, kubelets, settled };
  return {
    context,
    handles: {
      client,
      now: () => clock.now(),
      events: async (name) => {
        await settled();
        return await listEvents(client, name);
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
          explain: async () => `${await explainObject(client, kind, name)}${problems.about(name)}`,
          ...wait,
        }),
    },
    async install() {
      if (named.has("persistentvolume-binder"))
        await client
          .resource(StorageClass)
          .create(standardClass)
          .catch((error: unknown) => {
            if (!isAlreadyExists(error)) throw error;
          });
      await Promise.all([...agents.values()].map((agent) => agent.start()));
    },
    async stop() {
      for (const agent of agents.values()) agent.stop();
      kubelets.stop();
      await Promise.all(running.map((controller) => controller.stop({ drainTimeoutMs: 0 })));
      await context.end();
    },
  };
}

/** Returns the simulated machines of a number of nodes or of descriptions. Throws a `RangeError` for an invalid number. */
export function createMachines(nodes: number | readonly NodeTemplate[]): {
  readonly templates: readonly NodeTemplate[];
  readonly machines: ReadonlyMap<string, SimulatedNode>;
} {
  const templates = nodeTemplates(nodes);
  return { templates, machines: new Map(templates.map(({ name }, index) => [name, new SimulatedNode(name, index)])) };
}

function nodeTemplates(nodes: number | readonly NodeTemplate[]): readonly NodeTemplate[] {
  if (typeof nodes !== "number") return nodes;
  if (!Number.isSafeInteger(nodes) || nodes < 0)
    throw new RangeError(`nodes must be a non-negative integer, not ${nodes}`);
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
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
