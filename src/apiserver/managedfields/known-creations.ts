import type { ApiObject } from "../objects/api-object.js";
import { copyJson } from "../objects/metadata.js";
import { type Comparison, isSame } from "./compare-typed.js";
import type { FieldScope } from "./field-scope.js";

/** A new object without managers, and its comparison with an empty one. */
interface Creation {
  readonly object: ApiObject;
  readonly comparison: Comparison;
}

/** The last objects with a generated name: controllers create many equal ones, such as the pods of a ReplicaSet. */
const creations = new WeakMap<FieldScope, Map<string, Creation>>();
const mostCreations = 16;
/** Length of the JSON text above which an object isn't remembered, so that large objects don't fill the memory. */
const longestRemembered = 16_384;

/** Returns the fields of a new object if they are known from an equal one, which had no errors then. */
export function knownCreation(object: ApiObject, scope: FieldScope): Comparison | undefined {
  const { generateName = "" } = object.metadata ?? {};
  const found = generateName === "" ? undefined : creations.get(scope)?.get(generateName);
  return found !== undefined && isSame(found.object, object) ? found.comparison : undefined;
}

/** Remembers the fields of a new object for equal ones. */
export function rememberCreation(object: ApiObject, scope: FieldScope, comparison: Comparison): void {
  const { generateName = "" } = object.metadata ?? {};
  if (generateName === "" || JSON.stringify(object).length > longestRemembered) return;
  let known = creations.get(scope);
  if (known === undefined) creations.set(scope, (known = new Map<string, Creation>()));
  if (known.size >= mostCreations) known.clear();
  // The write goes on to change the object.
  known.set(generateName, { object: copyJson(object), comparison });
}
