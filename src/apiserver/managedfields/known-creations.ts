import { getOwn, isJsonObject } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import { givenEmptyFields } from "../objects/given-empty.js";
import { copyJson } from "../objects/metadata.js";
import { type Comparison, isSame } from "./compare-typed.js";
import type { FieldScope } from "./field-scope.js";

/** A new object without managers, and its comparison with an empty one. */
interface Creation {
  readonly object: ApiObject;
  readonly comparison: Comparison;
}

/** The last objects of different shapes: controllers create many alike, such as the pods of a ReplicaSet and events. */
const creations = new WeakMap<FieldScope, Creation[]>();
const mostCreations = 16;
/** Length of the JSON text above which an object isn't remembered, so that large objects don't fill the memory. */
const longestRemembered = 16_384;

/** Returns the fields of a new object if they are known from one of the same shape, which had no errors then. */
export function knownCreation(object: ApiObject, scope: FieldScope): Comparison | undefined {
  return creations.get(scope)?.find((known) => hasShapeOf(known.object, object, scope.empty()))?.comparison;
}

/** Remembers the fields of a new object for others of the same shape. */
export function rememberCreation(object: ApiObject, scope: FieldScope, comparison: Comparison): void {
  if (JSON.stringify(object).length > longestRemembered) return;
  let known = creations.get(scope);
  if (known === undefined || known.length >= mostCreations) creations.set(scope, (known = []));
  // The write goes on to change the object.
  known.push({ object: copyJson(object), comparison });
}

/**
 * True if two values have the same fields: the same members of maps, equal lists, because the content of an element can
 * be its name, and other values of one type that aren't those of an empty object.
 */
function hasShapeOf(known: unknown, value: unknown, empty: unknown): boolean {
  if (known === value) return true;
  if (isJsonObject(known) && isJsonObject(value) && givenEmptyFields(known) === givenEmptyFields(value)) {
    const names = Object.keys(known);
    const members = isJsonObject(empty) ? empty : {};
    return (
      names.length === Object.keys(value).length &&
      names.every((name) => Object.hasOwn(value, name) && hasShapeOf(known[name], value[name], getOwn(members, name)))
    );
  }
  if (typeof known === "object" || typeof value === "object") return isSame(known, value);
  return typeof known === typeof value && known !== empty && value !== empty;
}
