import { goStruct } from "../../../gen/go-types.js";

/** What is done with a struct of one type, in place. The parameter's type is the table's business. `nowMs`: milliseconds since the epoch. */
export type StructHook = (struct: never, nowMs: number) => void;

/** Hooks by definition name. */
export type StructHooks = Readonly<Record<string, StructHook>>;

/** Calls `visit` for a struct and every struct in it, each before those inside it. */
export function walkStructs(
  definition: string,
  struct: Record<string, unknown>,
  visit: (definition: string, struct: Record<string, unknown>) => void,
): void {
  visit(definition, struct);
  for (const field of goStruct(definition) ?? []) {
    if (field.kind !== "struct" || field.struct === undefined || !reachesAny(field.struct)) continue;
    const value = struct[field.name];
    if (typeof value !== "object" || value === null) continue;
    const inner = field.struct;
    if (field.list || field.map) {
      for (const item of Object.values(value))
        if (typeof item === "object" && item !== null) walkStructs(inner, item as Record<string, unknown>, visit);
    } else walkStructs(inner, value as Record<string, unknown>, visit);
  }
}

/** Metadata has no defaults, and is large. */
function reachesAny(definition: string): boolean {
  return !definition.startsWith("io.k8s.apimachinery.");
}
