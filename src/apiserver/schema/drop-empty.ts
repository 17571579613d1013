import type { GoField } from "../../gen/go-types.js";
import { goStruct } from "../../gen/go-types.js";

/** Fields of a struct that are printed even if empty, and fields that contain such fields. */
interface Plan {
  readonly empty: readonly GoField[];
  readonly within: readonly GoField[];
}

const plans = new Map<string, Plan>();

function planOf(definition: string): Plan {
  let plan = plans.get(definition);
  if (plan === undefined) {
    const fields = goStruct(definition) ?? [];
    const reached = (field: GoField): boolean =>
      field.kind === "struct" && field.struct !== undefined && holdsEmpty(field.struct);
    plans.set(
      definition,
      (plan = {
        empty: fields.filter((field) => (field.list || field.map) && field.omit === "never"),
        within: fields.filter(reached),
      }),
    );
  }
  return plan;
}

const holding = new Map<string, boolean>();

/** True if a struct can contain an empty list anywhere. */
function holdsEmpty(definition: string): boolean {
  const known = holding.get(definition);
  if (known !== undefined) return known;
  // Guards against recursion: a struct within itself doesn't change the result.
  holding.set(definition, false);
  const fields = goStruct(definition) ?? [];
  const holds = fields.some(
    (field) =>
      ((field.list || field.map) && field.omit === "never") ||
      (field.kind === "struct" && field.struct !== undefined && holdsEmpty(field.struct)),
  );
  holding.set(definition, holds);
  return holds;
}

/**
 * Removes empty lists and maps from a built-in object, in place. Protobuf, the stored form, can't distinguish them from
 * missing ones. Until then they are present, and field management sees them.
 */
export function dropEmpty(definition: string, object: Record<string, unknown>): void {
  const { empty, within } = planOf(definition);
  for (const { name } of empty) {
    const value = object[name];
    if (
      typeof value === "object" &&
      value !== null &&
      (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0)
    )
      object[name] = null;
  }
  for (const field of within) {
    const value = object[field.name];
    if (typeof value !== "object" || value === null) continue;
    const items: readonly unknown[] = field.list ? (value as unknown[]) : field.map ? Object.values(value) : [value];
    for (const item of items)
      if (typeof item === "object" && item !== null) dropEmpty(field.struct!, item as Record<string, unknown>);
  }
}
