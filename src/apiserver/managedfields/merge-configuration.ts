import type { TypeRef } from "./field-type.js";
import { MergeError } from "./merge-error.js";
import { mergeTyped } from "./merge-typed.js";
import { asList, asMap, narrow } from "./typed-value.js";
import { typedErrors } from "./validate-typed.js";

/**
 * Merges a policy's configuration into an object without recording ownership. Throws a `MergeError` if either doesn't
 * fit the type, or if the configuration sets an atomic field, because the rest of its value would be lost.
 */
export function mergeConfiguration(live: unknown, config: unknown, type: TypeRef): unknown {
  const misfit = typedErrors(config, type, { allowDuplicates: false });
  if (misfit !== undefined) throw new MergeError(`the configuration does not fit the schema: ${misfit}`);
  const atomics: string[] = [];
  collectAtomics(config, type, "", atomics);
  if (atomics.length > 0) throw new MergeError(`may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`);
  const broken = typedErrors(live, type, { allowDuplicates: true });
  if (broken !== undefined) throw new MergeError(`the object does not fit the schema: ${broken}`);
  return mergeTyped(live, config, type);
}

function collectAtomics(value: unknown, ref: TypeRef, path: string, found: string[]): void {
  const type = narrow(ref.type, value);
  const map = asMap(value);
  const list = asList(value);
  if (map !== undefined && type.map !== undefined) {
    if (type.map.atomic) found.push(path);
    for (const [key, member] of Object.entries(map)) {
      const field = type.map.fields.get(key);
      if (field !== undefined) collectAtomics(member, field, `${path}.${key}`, found);
    }
  }
  if (list === undefined || type.list === undefined) return;
  if (type.list.atomic) found.push(path);
  const { element } = type.list;
  list.forEach((item, index) => collectAtomics(item, element, `${path}[${String(index)}]`, found));
}
