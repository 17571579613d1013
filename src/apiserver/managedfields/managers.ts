import type { ManagedFieldsEntry } from "../../meta/object.js";
import { decodeFieldSet, encodeFieldSet, type FieldSet, unionSets } from "./field-set.js";
import { compareText } from "./path-element.js";

/** A field manager and the fields that it owns. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  /** Time of its last change, RFC 3339; `undefined` if it made none. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Managers of an object by identity. */
export type Managers = Map<string, Manager>;

/** Returns the identity of a manager. The version doesn't count for appliers. */
export function managerKey(manager: Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">): string {
  return JSON.stringify({
    manager: manager.name === "" ? undefined : manager.name,
    operation: manager.operation,
    apiVersion: manager.operation === "Apply" ? undefined : manager.apiVersion,
    subresource: manager.subresource === "" ? undefined : manager.subresource,
  });
}

/** Describes a manager for conflict messages. */
export function describeManager(manager: Manager): string {
  const name =
    JSON.stringify(manager.name) +
    (manager.subresource === "" ? "" : ` with subresource ${JSON.stringify(manager.subresource)}`);
  return manager.operation === "Update" ? `${name} using ${manager.apiVersion}` : name;
}

/** Parses `metadata.managedFields`; returns `undefined` if any entry is invalid. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers | undefined {
  const managers: Managers = new Map();
  for (const entry of entries ?? []) {
    const known = decodedEntries.get(entry);
    if (known !== undefined) {
      managers.set(known.key, known.manager);
      continue;
    }
    const { operation, apiVersion } = entry;
    if (operation !== "Apply" && operation !== "Update") return undefined;
    if (apiVersion === undefined || apiVersion === "" || entry.fieldsType !== "FieldsV1") return undefined;
    let fields: FieldSet;
    try {
      fields = decodeFieldSet(entry.fieldsV1 ?? {});
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    const manager: Manager = {
      name: entry.manager ?? "",
      operation,
      apiVersion,
      subresource: entry.subresource ?? "",
      time: entry.time ?? undefined,
      fields,
    };
    managers.set(managerKey(manager), manager);
  }
  return managers;
}

/** Returns `metadata.managedFields` in kube-apiserver's order, or `undefined` without managers. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  return managers.size === 0 ? undefined : [...managers.values()].sort(compareManagers).map(encodeManager);
}

/** Entries of managers, and managers of entries. A write leaves most of them as they are. */
const encodedManagers = new WeakMap<Manager, ManagedFieldsEntry>();
const decodedEntries = new WeakMap<ManagedFieldsEntry, KeyedManager>();
/** The last manager with an entry, by its fields. Objects of a workload are written in the same second. */
const lastEncoded = new WeakMap<FieldSet, KeyedManager>();

interface KeyedManager {
  readonly key: string;
  readonly manager: Manager;
}

/** Assigns the fields one after another: V8 gives each object of a literal that begins with a spread a shape of its own. */
function entryFor({ name, operation, apiVersion, time, fields, subresource }: Manager): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (name !== "") entry.manager = name;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = encodeFieldSet(fields);
  if (subresource !== "") entry.subresource = subresource;
  return entry;
}

/** Returns the entry of a manager. It is frozen, because other objects and later writes share it. */
function encodeManager(manager: Manager): ManagedFieldsEntry {
  const known = encodedManagers.get(manager);
  if (known !== undefined) return known;
  // Those of a Scale are listed by other keys.
  const key = managerKey(manager);
  const last = lastEncoded.get(manager.fields);
  if (last?.key === key && last.manager.time === manager.time && last.manager.apiVersion === manager.apiVersion)
    return encodedManagers.get(last.manager)!;
  const entry = Object.freeze(entryFor(manager));
  encodedManagers.set(manager, entry);
  decodedEntries.set(entry, { key, manager });
  lastEncoded.set(manager.fields, { key, manager });
  return entry;
}

/** Returns true if the managers certainly take more than a number of bytes. */
export function isLonger(managers: Managers, bytes: number): boolean {
  let left = bytes;
  const visit = (set: FieldSet): void => {
    for (const key in set) {
      // Quotes, a colon and braces.
      left -= key.length + 5;
      if (left < 0) return;
      visit(set[key]!);
    }
  };
  for (const { fields } of managers.values()) visit(fields);
  return left < 0;
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    (a.time === b.time ? 0 : seconds(a) - seconds(b)) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function seconds(manager: Manager): number {
  return manager.time === undefined ? 0 : Math.floor(Date.parse(manager.time) / 1000);
}

const mostUpdaters = 10;

/** Merges the oldest update entries of each version until ten are left. */
export function capUpdaters(managers: Managers): void {
  if (managers.size <= mostUpdaters) return;
  const updaters = [...managers].filter(([, manager]) => manager.operation === "Update");
  let count = updaters.length;
  if (count <= mostUpdaters) return;
  updaters.sort(
    ([leftKey, left], [rightKey, right]) => seconds(left) - seconds(right) || compareText(leftKey, rightKey),
  );
  const firstOfVersion = new Map<string, string>();
  const merged = new Map<string, FieldSet[]>();
  for (const [key, manager] of updaters) {
    if (count <= mostUpdaters) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, key);
      continue;
    }
    const bucket = {
      name: "ancient-changes",
      operation: "Update",
      apiVersion: manager.apiVersion,
      subresource: "",
    } as const;
    const bucketKey = managerKey(bucket);
    let fields = merged.get(bucketKey);
    if (fields === undefined) {
      const old = managers.get(bucketKey) ?? managers.get(first);
      if (!managers.has(bucketKey)) managers.delete(first);
      fields = [old?.fields ?? {}];
      merged.set(bucketKey, fields);
    }
    fields.push(manager.fields);
    managers.delete(key);
    managers.set(bucketKey, { ...bucket, time: manager.time, fields: {} });
    count -= 1;
  }
  for (const [key, fields] of merged) managers.set(key, { ...managers.get(key)!, fields: unionAll(fields) });
}

/** Returns the fields in any of the sets. Merges in pairs, because each union copies both sides. */
function unionAll(sets: readonly FieldSet[]): FieldSet {
  let left = [...sets];
  while (left.length > 1) left = left.flatMap((set, at) => (at % 2 === 1 ? [] : [unionSets(set, left[at + 1] ?? {})]));
  return left[0] ?? {};
}
