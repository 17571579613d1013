import type { DeepReadonly, KubernetesObject, ManagedFieldsEntry } from "../meta/object.js";
import { type FieldsV1, fieldPaths, parseFieldStep, uniteFields } from "./fields-v1.js";
import type { ApplyConfiguration, JsonPatchOperation } from "./patch-types.js";

/** Options that select one of a field manager's entries. */
export interface FieldManagerOptions {
  /** `Apply` (default) for server-side apply, `Update` for other writes. */
  readonly operation?: "Apply" | "Update";
  /** Subresource through which it wrote. Default: the object itself. */
  readonly subresource?: string;
}

/** The fields that a manager owns, as paths: `.spec.containers[name="app"].image`. Empty where it owns none. */
export function ownedFields(
  object: DeepReadonly<KubernetesObject>,
  manager: string,
  options: FieldManagerOptions = {},
): string[] {
  return entriesOf(object, manager, options).flatMap((entry) => fieldPaths((entry.fieldsV1 ?? {}) as FieldsV1));
}

/** Who owns what: the paths of each manager's entries. */
export function fieldOwners(object: DeepReadonly<KubernetesObject>): {
  manager: string;
  operation: string;
  subresource: string;
  apiVersion: string;
  time: string | undefined;
  fields: string[];
}[] {
  return (object.metadata?.managedFields ?? []).map((entry) => ({
    manager: entry.manager ?? "",
    operation: entry.operation ?? "",
    subresource: entry.subresource ?? "",
    apiVersion: entry.apiVersion ?? "",
    time: entry.time,
    fields: fieldPaths((entry.fieldsV1 ?? {}) as FieldsV1),
  }));
}

/**
 * Returns the fields that a manager owns as a configuration that it can change and apply again without giving up the rest
 * of its fields. Returns `undefined` if it owns nothing.
 */
export function extractApplyConfiguration<T extends KubernetesObject>(
  object: DeepReadonly<T>,
  manager: string,
  options: FieldManagerOptions = {},
): ApplyConfiguration<T> | undefined {
  const entries = entriesOf(object, manager, options);
  if (entries.length === 0) return undefined;
  const all = (object.metadata?.managedFields ?? [])
    .map((entry) => (entry.fieldsV1 ?? {}) as FieldsV1)
    .reduce(uniteFields, {});
  const own = entries.map((entry) => (entry.fieldsV1 ?? {}) as FieldsV1).reduce(uniteFields, {});
  const part = extract(object, own, all) as Record<string, unknown>;
  const { name, namespace } = object.metadata ?? {};
  return {
    ...part,
    apiVersion: entries[0]!.apiVersion ?? object.apiVersion,
    kind: object.kind,
    metadata: { ...(part["metadata"] as object | undefined), name, ...(namespace !== undefined && { namespace }) },
  } as unknown as ApplyConfiguration<T>;
}

function entriesOf(
  object: DeepReadonly<KubernetesObject>,
  manager: string,
  { operation = "Apply", subresource = "" }: FieldManagerOptions,
): DeepReadonly<ManagedFieldsEntry>[] {
  return (object.metadata?.managedFields ?? []).filter(
    (entry) => entry.manager === manager && entry.operation === operation && (entry.subresource ?? "") === subresource,
  );
}

const missing = Symbol("missing");

/**
 * The part of a value that a trie names. A leaf stands for the whole value, save where another manager owns something
 * below it: then it is a map or list that is shared, of which only its being there is owned.
 */
function extract(value: unknown, own: FieldsV1, all: FieldsV1): unknown {
  const steps = Object.keys(own).filter((step) => step !== ".");
  if (steps.length === 0) {
    if (!Object.keys(all).some((step) => step !== ".")) return value;
    return Array.isArray(value) ? [] : typeof value === "object" && value !== null ? {} : value;
  }
  if (Array.isArray(value)) {
    return value.flatMap((element: unknown, index) => {
      const step = steps.find((candidate) => meets(candidate, element, index));
      if (step === undefined) return [];
      const parsed = parseFieldStep(step)!;
      const part = extract(element, own[step]!, all[step] ?? {});
      return [parsed.type === "keys" ? { ...parsed.keys, ...(part as object) } : part];
    });
  }
  if (typeof value !== "object" || value === null) return missing;
  const result: [string, unknown][] = [];
  for (const step of steps) {
    const parsed = parseFieldStep(step);
    if (parsed?.type !== "field" || !Object.hasOwn(value, parsed.name)) continue;
    const part = extract((value as Record<string, unknown>)[parsed.name], own[step]!, all[step] ?? {});
    if (part !== missing) result.push([parsed.name, part]);
  }
  // fromEntries defines: a field named __proto__ is data.
  return Object.fromEntries(result);
}

/** Whether a step of the trie names an element of a list. */
function meets(step: string, element: unknown, index: number): boolean {
  const parsed = parseFieldStep(step);
  switch (parsed?.type) {
    case "index":
      return parsed.index === index;
    case "value":
      return JSON.stringify(element) === JSON.stringify(parsed.value);
    case "keys":
      return (
        typeof element === "object" &&
        element !== null &&
        // A key that is missing has its default, as the protocol of a port: it is no reason to look elsewhere.
        Object.entries(parsed.keys).every(
          ([key, wanted]) => !Object.hasOwn(element, key) || (element as Record<string, unknown>)[key] === wanted,
        ) &&
        Object.keys(parsed.keys).some((key) => Object.hasOwn(element, key))
      );
    default:
      return false;
  }
}

/**
 * The patch that hands the fields which a client-side tool wrote (as `kubectl apply` of old) over to a manager of
 * server-side apply, so that what is left out of its next apply is removed. Also checks the version, so that a change
 * in between makes it a conflict. `undefined` where there is nothing to hand over.
 */
export function upgradeManagedFields(
  object: DeepReadonly<KubernetesObject>,
  clientSideManagers: readonly string[],
  manager: string,
  options: { readonly subresource?: string } = {},
): JsonPatchOperation[] | undefined {
  const before = object.metadata?.managedFields ?? [];
  let entries: readonly DeepReadonly<ManagedFieldsEntry>[] = before;
  for (const name of clientSideManagers) entries = handOver(entries, name, manager, options.subresource ?? "");
  if (JSON.stringify(entries) === JSON.stringify(before)) return undefined;
  return [
    { op: "replace", path: "/metadata/managedFields", value: entries },
    { op: "replace", path: "/metadata/resourceVersion", value: object.metadata?.resourceVersion },
  ];
}

function handOver(
  entries: readonly DeepReadonly<ManagedFieldsEntry>[],
  from: string,
  to: string,
  subresource: string,
): readonly DeepReadonly<ManagedFieldsEntry>[] {
  const isUpdate = (entry: DeepReadonly<ManagedFieldsEntry>): boolean =>
    entry.manager === from && entry.operation === "Update" && (entry.subresource ?? "") === subresource;
  const target =
    entries.find(
      (entry) => entry.manager === to && entry.operation === "Apply" && (entry.subresource ?? "") === subresource,
    ) ?? entries.find(isUpdate);
  if (target === undefined) return entries;
  // Only fields written down in the same version can be united; others of the same name are given up.
  const written = entries.find((entry) => isUpdate(entry) && entry.apiVersion === target.apiVersion);
  const fieldsV1 =
    written === undefined
      ? target.fieldsV1
      : uniteFields((target.fieldsV1 ?? {}) as FieldsV1, (written.fieldsV1 ?? {}) as FieldsV1);
  const merged = { ...target, manager: to, operation: "Apply" as const, ...(fieldsV1 && { fieldsV1 }) };
  return entries.map((entry) => (entry === target ? merged : entry)).filter((entry) => !isUpdate(entry));
}
