import type { DeepReadonly, KubernetesObject, ManagedFieldsEntry } from "../meta/object.js";
import { type FieldsV1, fieldPaths, parseFieldStep, uniteFields } from "./fields-v1.js";
import type { ApplyConfiguration, JsonPatchOperation } from "./patch-types.js";

/** Options that select entries of a field manager. */
export interface FieldManagerOptions {
  /** Operation of the entry: `Apply` (default) for server-side apply, `Update` for other writes. */
  readonly operation?: "Apply" | "Update" | undefined;
  /** Subresource that the manager wrote to. Default: the object itself. */
  readonly subresource?: string | undefined;
}

/**
 * Lists the fields that a field manager owns, as paths such as `.spec.containers[name="app"].image`. Returns an empty
 * list if it owns none.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { ownedFields } from "kubestream/objects";
 *
 * const client = await connect();
 * const deployment = await client.resource(Deployment).namespace("web").get("web");
 * console.log(ownedFields(deployment, "kubectl-client-side-apply", { operation: "Update" }));
 * await client.close();
 * ```
 */
export function ownedFields(
  object: DeepReadonly<KubernetesObject>,
  manager: string,
  options: FieldManagerOptions = {},
): string[] {
  return entriesOf(object, manager, options).flatMap((entry) => fieldPaths((entry.fieldsV1 ?? {}) as FieldsV1));
}

/**
 * Lists the field managers of an object, each with the paths of the fields it owns. Use it to find out who set a field.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { fieldOwners } from "kubestream/objects";
 *
 * const client = await connect();
 * const deployment = await client.resource(Deployment).namespace("web").get("web");
 * for (const { manager, fields } of fieldOwners(deployment))
 *   if (fields.includes(".spec.replicas")) console.log(`${manager} set the replicas`);
 * await client.close();
 * ```
 */
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
 * Returns the fields that a field manager owns as an apply configuration. Change it and apply it again: fields that you
 * leave in stay owned, fields that you remove are given up. Returns `undefined` if the manager owns nothing.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { extractApplyConfiguration } from "kubestream/objects";
 *
 * const client = await connect({ fieldManager: "my-operator" });
 * const deployments = client.resource(Deployment).namespace("web");
 * const owned = extractApplyConfiguration(await deployments.get("web"), "my-operator");
 * if (owned) await deployments.apply({ ...owned, spec: { ...owned.spec, replicas: 3 } });
 * await client.close();
 * ```
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
 * Returns the part of a value that a trie selects. A leaf selects the whole value, unless another manager owns
 * something below it. Then it's a shared map or list, and the manager owns only its existence.
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
  // `fromEntries` defines properties, so a field named `__proto__` stays data.
  return Object.fromEntries(result);
}

/** Returns true if a step of the trie selects an element of a list. */
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
        // A missing key has its default value, such as the protocol of a port, so the element can still match.
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
 * Creates the patch that moves the fields of client-side managers, such as `kubectl apply` without `--server-side`, to
 * a manager of server-side apply. Fields that its next apply leaves out are then removed. The patch includes the
 * `resourceVersion`, so it fails with a conflict if the object has changed in between. Returns `undefined` if there is
 * nothing to move.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { upgradeManagedFields } from "kubestream/objects";
 *
 * const client = await connect();
 * const deployments = client.resource(Deployment).namespace("web");
 * const operations = upgradeManagedFields(await deployments.get("web"), ["kubectl-client-side-apply"], "my-operator");
 * if (operations) await deployments.patch("web", { type: "json", operations });
 * await client.close();
 * ```
 */
export function upgradeManagedFields(
  object: DeepReadonly<KubernetesObject>,
  clientSideManagers: readonly string[],
  manager: string,
  options: { readonly subresource?: string | undefined } = {},
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
  // Only field sets of the same API version can be united. Other entries of the manager are dropped.
  const written = entries.find((entry) => isUpdate(entry) && entry.apiVersion === target.apiVersion);
  const fieldsV1 =
    written === undefined
      ? target.fieldsV1
      : uniteFields((target.fieldsV1 ?? {}) as FieldsV1, (written.fieldsV1 ?? {}) as FieldsV1);
  const merged = { ...target, manager: to, operation: "Apply" as const, ...(fieldsV1 && { fieldsV1 }) };
  return entries.map((entry) => (entry === target ? merged : entry)).filter((entry) => !isUpdate(entry));
}
