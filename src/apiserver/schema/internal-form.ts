import type { InternalField } from "../../gen/internal-types.js";
import { internalStruct } from "../../gen/internal-types.js";
import { givenEmptyFields } from "../objects/given-empty.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * An object as a server holds it inside, with every field: so do errors show objects. `struct` is one of `gen/internal-types`, as
 * `core.PodSpec`; `around` is what the object is in, as some fields come from there.
 */
export function internalForm(struct: string, object: object, around: object = {}): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const emptied = givenEmptyFields(object);
  for (const field of internalStruct(struct)) {
    const value =
      ((field.outside ? around : object) as Fields)[field.from] ??
      (emptied?.includes(field.from) === true ? (field.shape.endsWith("[") ? [] : {}) : undefined);
    if (field.kind === "flat") Object.assign(result, inOrder((value ?? {}) as Fields));
    else result[field.name] = formOf(field, value, object);
  }
  return result;
}

function formOf(field: InternalField, value: unknown, around: object): unknown {
  // A pod always has a security context inside, as it has fields of the pod itself.
  if (field.shape !== "" && (value === undefined || value === null))
    return field.struct === "core.PodSecurityContext" ? internalForm(field.struct, {}, around) : null;
  if (field.shape.endsWith("[")) return (value as unknown[]).map((item) => single(field, item, around));
  if (field.shape.endsWith("{"))
    return Object.fromEntries(
      Object.entries(value as Fields)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => [key, single(field, item, around)]),
    );
  return single(field, value, around);
}

function single({ kind, struct }: InternalField, value: unknown, around: object): unknown {
  switch (kind) {
    case "struct":
      return internalForm(struct!, value ?? {}, around);
    case "string":
      return value ?? "";
    case "bool":
      return value ?? false;
    case "number":
      return value ?? 0;
    case "quantity":
      return value ?? "0";
    case "same":
      return typeof value === "object" && value !== null ? inOrder(value as Fields) : (value ?? null);
    default:
      return value ?? null;
  }
}

const MAPS = new Set(["labels", "annotations", "matchLabels"]);

/** Metadata or a selector: the keys of its maps are printed in order. */
function inOrder(value: Fields): Fields {
  if (Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      MAPS.has(key) && typeof each === "object" && each !== null
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ]),
  );
}
