import { NotLoadedError } from "../../../internal/lazy-module.js";
import type { StrategyContext } from "../../kinds/shared/strategy-context.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { Version } from "../../storage/bucket.js";
import type { ServedResource, StoredForm } from "../resources.js";
import type { AdmissionAttributes, RegistryContext } from "../services.js";

/** Validated options of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Field manager that owns the written fields. */
  readonly manager: string;
  /** Options in the form that admission plugins see. */
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
  /** True if admission has allowed the request that leads to the write. Default: false. */
  readonly admitted?: boolean;
}

/** Result of a write. */
export interface Written {
  readonly object: ApiObject;
  readonly created: boolean;
  /** Stored version; `undefined` after a dry run or a deletion. */
  readonly version?: Version;
}

/** State of a write, shared by the steps of its pipeline. Each step reads what earlier ones have set. */
export interface WriteState {
  readonly context: RegistryContext;
  readonly resource: ServedResource;
  readonly namespace: string;
  /** Subresource that is written; `""` for the object itself. */
  readonly subresource: string;
  readonly options: WriteOptions;
  /** True for a PUT or an apply, which names the object; false for a POST to the collection. */
  readonly named: boolean;
  /** True if `managedFields` is already up to date. */
  readonly managed: boolean;
  /** True to treat a missing `resourceVersion` as the latest, regardless of the strategy. */
  readonly unconditional: boolean;
  /** Returns what admission sees of an object if that isn't the object itself; mutating admission is over then. */
  readonly shown: ((object: ApiObject) => ApiObject) | undefined;
  /** Name of the object; for a POST known after `fillMetadata`. */
  name: string;
  /** Key in the bucket; known as soon as the name is. */
  key: string;
  /** The new object, changed in place. */
  object: ApiObject;
  /** The stored object as the resource serves it; `undefined` for a creation. */
  readonly existing: ApiObject | undefined;
  /** Version that holds the stored object. */
  readonly current: Version | undefined;
  /** `resourceVersion` of the request, which the server replaces. */
  givenVersion: string | undefined;
  /** The write as admission sees it. */
  attributes: AdmissionAttributes | undefined;
  /** The request as strategies see it; set before the strategy prepares the object. */
  strategyContext: StrategyContext | undefined;
  /** True if the object was far below etcd's limits when its managers were recorded. */
  small: boolean;
  /** True if the update removes the last finalizer from an object that is being deleted, and so the object itself. */
  removesObject: boolean;
  /** True if the update changes nothing but times of managed fields. */
  timesOnly: boolean;
  form: StoredForm | undefined;
  /** Set once the write is over: its result, or `retry` if the object was modified concurrently. */
  outcome: Written | "retry" | undefined;
}

/** Part of the state that is known when a write starts. */
type WriteStart = Pick<
  WriteState,
  | "context"
  | "resource"
  | "namespace"
  | "subresource"
  | "options"
  | "named"
  | "managed"
  | "unconditional"
  | "shown"
  | "name"
  | "key"
  | "object"
  | "existing"
  | "current"
>;

/** Creates the state of a write. Names each field, because V8 gives every object of a literal with a spread its own shape. */
export function startWrite(start: WriteStart): WriteState {
  return {
    context: start.context,
    resource: start.resource,
    namespace: start.namespace,
    subresource: start.subresource,
    options: start.options,
    named: start.named,
    managed: start.managed,
    unconditional: start.unconditional,
    shown: start.shown,
    name: start.name,
    key: start.key,
    object: start.object,
    existing: start.existing,
    current: start.current,
    givenVersion: undefined,
    attributes: undefined,
    strategyContext: undefined,
    small: false,
    removesObject: false,
    timesOnly: false,
    form: undefined,
    outcome: undefined,
  };
}

/** One step of a write. It rejects the write by throwing the failure to respond with. */
type WriteStep = (state: WriteState) => void | Promise<void>;

/** Steps of a write in their order. */
export interface WritePlan {
  readonly steps: readonly WriteStep[];
  /**
   * First of the steps that compare the object with the store and store it, without waiting in between. They can run
   * again.
   */
  readonly last: WriteStep;
}

/** Runs the steps of a write, and releases what they have reserved. */
export function runSteps(plan: WritePlan, state: WriteState): Written | "retry" | Promise<Written | "retry"> {
  const release = (): void => state.strategyContext?.release?.();
  let result: ReturnType<typeof runFrom>;
  try {
    result = runFrom(plan, state, 0);
  } catch (error) {
    release();
    throw error;
  }
  if (result instanceof Promise) return result.finally(release);
  release();
  return result;
}

/**
 * Runs steps in order until one of them sets the outcome. Waits only for steps that return a promise, because synchronous
 * steps see the same store. If one of the last steps needs a module that isn't loaded, loads it and runs these again.
 */
function runFrom(plan: WritePlan, state: WriteState, first: number): Written | "retry" | Promise<Written | "retry"> {
  const { steps, last } = plan;
  for (let at = first; at < steps.length; at += 1) {
    let pending: void | Promise<void>;
    try {
      pending = steps[at]!(state);
    } catch (error) {
      const again = steps.indexOf(last);
      if (!(error instanceof NotLoadedError) || at < again) throw error;
      return Promise.resolve(error.load()).then(() => runFrom(plan, state, again));
    }
    if (pending !== undefined) return pending.then(() => state.outcome ?? runFrom(plan, state, at + 1));
    if (state.outcome !== undefined) return state.outcome;
  }
  throw new TypeError("the last step of a write sets its outcome");
}
