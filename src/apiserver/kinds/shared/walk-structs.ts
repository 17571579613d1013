import { goStruct } from "../../../gen/go-types.js";

/**
 * Callback for structs of one type; works in place. The table determines the parameter's type. `nowMs`: milliseconds
 * since the epoch.
 */
export type StructHook = (struct: never, nowMs: number) => void;

/** Callbacks by definition name. */
export type StructHooks = Readonly<Record<string, StructHook>>;

/** Calls `visit` for a struct and every struct in it, parents first. */
export function walkStructs(
  definition: string,
  struct: Record<string, unknown>,
  visit: (definition: string, struct: Record<string, unknown>) => void,
): void {
  visit(definition, struct);
  for (const field of goStruct(definition) ?? []) {
    if (field.kind !== "struct" || field.struct === undefined || !mayHaveHooks(field.struct)) continue;
    const value = struct[field.name];
    if (typeof value !== "object" || value === null) continue;
    const inner = field.struct;
    if (field.list || field.map) {
      for (const item of Object.values(value))
        if (typeof item === "object" && item !== null) walkStructs(inner, item as Record<string, unknown>, visit);
    } else walkStructs(inner, value as Record<string, unknown>, visit);
  }
}

/** Skips metadata, which is large and has no defaults. */
function mayHaveHooks(definition: string): boolean {
  return !definition.startsWith("io.k8s.apimachinery.");
}
