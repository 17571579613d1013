import { goStruct } from "../../../gen/go-types.js";
import { definition as definitionOf } from "../../../gen/openapi/definitions.js";
import { roundToMilli } from "../../schema/go-scalars.js";
import type { StructHooks } from "./walk-structs.js";
import { walkStructs } from "./walk-structs.js";

/**
 * Applies the defaults of a kind in place, its hooks first and then the schema's. The object must have the form that Go
 * prints.
 */
export function applyDefaults(
  hooks: StructHooks,
  definition: string,
  object: Record<string, unknown>,
  nowMs: number,
): void {
  walkStructs(definition, object, (name, struct) => {
    if (Object.hasOwn(hooks, name))
      (hooks[name] as (struct: Record<string, unknown>, nowMs: number) => void)(struct, nowMs);
    for (const [key, value] of schemaDefaults(name)) struct[key] ??= value;
    for (const key of resourceLists(name)) roundResources(struct, key);
  });
}

const listCache = new Map<string, readonly string[]>();

/** Returns the fields of a struct that map resources to quantities, in the core group. */
function resourceLists(name: string): readonly string[] {
  let found = listCache.get(name);
  if (found === undefined) {
    const isCore = name.startsWith("io.k8s.api.core.v1.");
    found = (isCore ? (goStruct(name) ?? []) : []).flatMap((field) =>
      field.map && field.kind === "Quantity" ? [field.name] : [],
    );
    listCache.set(name, found);
  }
  return found;
}

/** Rounds the quantities of resources up to thousandths. */
function roundResources(struct: Record<string, unknown>, key: string): void {
  const given = struct[key] as Readonly<Record<string, string>> | null | undefined;
  for (const [name, quantity] of Object.entries(given ?? {})) {
    const rounded = roundToMilli(quantity);
    if (rounded !== quantity) struct[key] = { ...(struct[key] as object), [name]: rounded };
  }
}

const cache = new Map<string, readonly (readonly [string, unknown])[]>();

/** Returns the scalar defaults of a schema that aren't Go's zero values. */
function schemaDefaults(name: string): readonly (readonly [string, unknown])[] {
  let found = cache.get(name);
  if (found === undefined) {
    const properties = (definitionOf(name)?.["properties"] ?? {}) as Record<string, { default?: unknown }>;
    found = Object.entries(properties).flatMap(([key, { default: value }]) =>
      (typeof value === "string" && value !== "") || (typeof value === "number" && value !== 0) || value === true
        ? [[key, value] as const]
        : [],
    );
    cache.set(name, found);
  }
  return found;
}
