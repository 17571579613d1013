import type { Controller } from "../controller/reconcile/controller.js";
import type { Kind } from "../meta/kind.js";
import { allControllers, type ControllerName } from "./all-controllers.js";
import type { ClusterContext } from "./controllers/context.js";
import { startController } from "./controllers/start-controller.js";

/** Calls back once, as soon as an object of one of the kinds is stored. Returns a function that ends the wait. */
export type WhenStored = (kinds: readonly Kind[], callback: () => void) => () => void;

/** State of the controllers of a cluster in a snapshot. */
export interface SavedControllers {
  /** Controllers that have started. */
  readonly started: ReadonlySet<ControllerName>;
  /** Controllers that are held back. */
  readonly paused: ReadonlySet<ControllerName>;
}

/** The running controllers of a cluster. Functions throw a `RangeError` for one that isn't among them. */
export interface RunningControllers {
  /** Controllers that are held back. */
  readonly paused: ReadonlySet<ControllerName>;
  pause(name: ControllerName): void;
  resume(name: ControllerName): void;
  save(): SavedControllers;
  stop(): Promise<void>;
}

/** Options for `runControllers`. */
export interface ControllersOptions {
  readonly names: readonly ControllerName[];
  readonly whenStored: WhenStored;
  /** State from which they go on. Default: nothing has happened yet. */
  readonly saved?: SavedControllers | undefined;
}

/**
 * Runs controllers, each from the first object on that it acts on, because most tests use few kinds, and each controller
 * watches several.
 */
export function runControllers(context: ClusterContext, options: ControllersOptions): RunningControllers {
  const { names, whenStored, saved } = options;
  const paused = new Set(saved?.paused);
  const started = new Map<ControllerName, Controller>();
  let isStopped = false;
  const start = (name: ControllerName): void => {
    if (isStopped) return;
    const controller = allControllers[name].create(context);
    started.set(name, controller);
    if (paused.has(name)) controller.pause();
    startController(context, controller);
  };
  const waits = names.map((name) => {
    const { actsOn } = allControllers[name];
    if (actsOn !== undefined && saved?.started.has(name) !== true) return whenStored(actsOn, () => start(name));
    start(name);
    return () => undefined;
  });
  const check = (name: ControllerName): void => {
    if (!names.includes(name)) throw new RangeError(`no controller ${JSON.stringify(name)} runs: ${names.join(", ")}`);
  };
  return {
    paused,
    pause(name) {
      check(name);
      paused.add(name);
      started.get(name)?.pause();
    },
    resume(name) {
      check(name);
      paused.delete(name);
      started.get(name)?.resume();
    },
    save: () => ({ started: new Set(started.keys()), paused: new Set(paused) }),
    async stop() {
      isStopped = true;
      for (const end of waits) end();
      await Promise.all([...started.values()].map((controller) => controller.stop({ drainTimeoutMs: 0 })));
    },
  };
}
