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
  const fields = innerStructs(definition);
  // Most structs have few of their fields.
  for (const name in struct) {
    const field = fields.get(name);
    const value = struct[name];
    if (field === undefined || typeof value !== "object" || value === null) continue;
    const { inner, many } = field;
    if (many) {
      for (const item of Object.values(value))
        if (typeof item === "object" && item !== null) walkStructs(inner, item as Record<string, unknown>, visit);
    } else walkStructs(inner, value as Record<string, unknown>, visit);
  }
}

/** True if a struct or one in it matches. */
export function containsStruct(definition: string, matches: (definition: string) => boolean): boolean {
  const seen = new Set<string>([definition]);
  for (const each of seen) {
    if (matches(each)) return true;
    for (const { kind, struct } of goStruct(each) ?? [])
      if (kind === "struct" && struct !== undefined) seen.add(struct);
  }
  return false;
}

interface InnerStruct {
  readonly inner: string;
  /** True for lists and maps of structs. */
  readonly many: boolean;
}

const known = new Map<string, ReadonlyMap<string, InnerStruct>>();

/** Returns the fields that are structs by name. Skips metadata, which is large and has no defaults. */
function innerStructs(definition: string): ReadonlyMap<string, InnerStruct> {
  let found = known.get(definition);
  if (found === undefined) {
    found = new Map(
      (goStruct(definition) ?? []).flatMap(({ name, kind, struct, list, map }): [string, InnerStruct][] =>
        kind === "struct" && struct !== undefined && !struct.startsWith("io.k8s.apimachinery.")
          ? [[name, { inner: struct, many: list || map }]]
          : [],
      ),
    );
    known.set(definition, found);
  }
  return found;
}
