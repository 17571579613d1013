import { definition as definitionOf } from "../../../gen/openapi/definitions.js";
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
  });
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
