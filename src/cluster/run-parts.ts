import type { Log } from "../controller/reconcile/controller-log.js";
import { Pod } from "../kinds/core/v1.js";
import type { ControllerName } from "./all-controllers.js";
import { type ContextOptions, createContext } from "./cluster-context.js";
import type { ClusterContext } from "./controllers/context.js";
import { startController } from "./controllers/start-controller.js";
import type { ImageLookup } from "./nodes/containers/images.js";
import type { HandleParts } from "./nodes/create-handles.js";
import { createKubelets } from "./nodes/kubelet.js";
import { createNodeAgent, type NodeTemplate } from "./nodes/node-agent.js";
import type { SavedNode, SimulatedNode } from "./nodes/simulated-node.js";
import { createProblemLog, type ProblemLog } from "./problem-log.js";
import { type RunningControllers, runControllers, type SavedControllers, type WhenStored } from "./run-controllers.js";
import { createScheduler } from "./scheduler/scheduler.js";
import type { CompiledStage } from "./stages/read-stages.js";
import { createStagePlayer, type StagePlayer } from "./stages/stage-player.js";
import type { ClusterClock } from "./time/cluster-clock.js";

/** Options for the parts of a cluster that are clients of its API server. */
export interface PartsOptions extends Omit<ContextOptions, "clock" | "log"> {
  readonly clock: ClusterClock;
  /** Simulated machines by name. */
  readonly machines: ReadonlyMap<string, SimulatedNode>;
  /** Their descriptions. */
  readonly templates: readonly NodeTemplate[];
  readonly images: ImageLookup;
  readonly stages: readonly CompiledStage[];
  readonly controllers: readonly ControllerName[];
  readonly whenStored: WhenStored;
  readonly scheduler: boolean;
  readonly log: Log | undefined;
  /** Resolves when the cluster has settled, as far as that can be known. */
  readonly settled: () => Promise<void>;
}

/** State of the parts of a cluster in a snapshot. */
export interface SavedParts {
  /** Nodes by name, with the pods that they run. */
  readonly nodes: ReadonlyMap<string, SavedNode>;
  readonly controllers: SavedControllers;
}

/** Parts of a cluster from one start to the next stop. */
export interface RunningParts extends HandleParts {
  readonly context: ClusterContext;
  readonly problems: ProblemLog;
  readonly controllers: RunningControllers;
  readonly stages: StagePlayer;
  /** Stops the parts. The API server and its objects stay. */
  stop(): Promise<void>;
}

/** Runs controllers, a scheduler and kubelets, from the start or from the state of a snapshot. */
export function runParts(options: PartsOptions, saved?: SavedParts): RunningParts {
  const { clock, machines, settled } = options;
  const problems = createProblemLog(options.log);
  const context = createContext({ ...options, log: problems.log });
  const removesStartTaint = !options.controllers.includes("node-lifecycle");
  const agents = new Map(
    options.templates.map((template) => {
      const machine = machines.get(template.name)!;
      return [template.name, createNodeAgent(context, { template, machine, removesStartTaint })];
    }),
  );
  const stages = createStagePlayer(context, options.stages, machines);
  const kubelets = createKubelets(context, { nodes: machines, script: options.images, stages });
  if (saved !== undefined) kubelets.resume(saved.nodes);
  const controllers = runControllers(context, {
    names: options.controllers,
    whenStored: options.whenStored,
    saved: saved?.controllers,
  });
  const others = [...(options.scheduler ? [createScheduler(context)] : []), kubelets.controller];
  for (const controller of others) startController(context, controller);
  return {
    context,
    problems,
    controllers,
    agents,
    stages,
    kubelets,
    clock,
    settled,
    nodes: machines,
    pods: context.cache(Pod),
    async stop() {
      for (const agent of agents.values()) agent.stop();
      kubelets.stop();
      await stages.stop();
      await Promise.all([controllers.stop(), ...others.map((controller) => controller.stop({ drainTimeoutMs: 0 }))]);
      await context.end();
    },
  };
}
