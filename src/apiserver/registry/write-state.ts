import type { StrategyContext } from "../kinds/shared/strategy-context.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Version } from "../storage/mvcc.js";
import type { ServedResource, StoredForm } from "./resources.js";
import type { AdmissionAttributes, RegistryContext } from "./services.js";

/** Checked options of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Manager that owns the written fields. */
  readonly manager: string;
  /** The options in the form that admission plugins see. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

/** The result of a write. */
export interface Written {
  readonly object: ApiObject;
  readonly created: boolean;
  /** The stored version; absent after a dry run and after a deletion. */
  readonly version?: Version;
}

/** One write on its way through the steps of its pipeline. Each step reads what earlier ones have left here. */
export interface WriteState {
  readonly context: RegistryContext;
  readonly resource: ServedResource;
  readonly namespace: string;
  /** `""`, or the subresource through which the object is written. */
  readonly subresource: string;
  readonly options: WriteOptions;
  /** True for a PUT or an apply, which names the object; false for a POST to the collection. */
  readonly named: boolean;
  /** True if the managers of the fields are recorded already. */
  readonly managed: boolean;
  /** True if a missing `resourceVersion` stands for the latest, whatever the rule of the kind. */
  readonly unconditional: boolean;
  /** Name of the object; of a POST known once `fillMetadata` is done. */
  name: string;
  /** Key in the bucket; known with the name. */
  key: string;
  /** The new object, changed in place. */
  object: ApiObject;
  /** The stored object as the resource serves it; absent for a creation. */
  readonly existing: ApiObject | undefined;
  /** The version that holds the stored object. */
  readonly current: Version | undefined;
  /** `resourceVersion` of the request, which the server replaces. */
  givenVersion: string | undefined;
  /** The write as admission sees it. */
  attributes: AdmissionAttributes | undefined;
  /** The request as strategies see it; set before the kind prepares the object. */
  about: StrategyContext | undefined;
  /** True if the update takes the last hold off an object that is being deleted. */
  gone: boolean;
  /** True if the update changes nothing but times of managed fields. */
  timesOnly: boolean;
  form: StoredForm | undefined;
  /** Set once the write is over: its result, or `retry` where another write came between. */
  outcome: Written | "retry" | undefined;
}

/** One step of a write. It refuses the write by throwing the failure to respond with. */
export type WriteStep = (state: WriteState) => void | Promise<void>;

/** Runs steps in order until one of them sets the outcome. */
export async function runSteps(steps: readonly WriteStep[], state: WriteState): Promise<Written | "retry"> {
  for (const step of steps) {
    const pending = step(state);
    // Steps that follow each other without a promise see the same store.
    if (pending !== undefined) await pending;
    if (state.outcome !== undefined) return state.outcome;
  }
  throw new TypeError("the last step of a write sets its outcome");
}
