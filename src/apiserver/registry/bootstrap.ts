import type { BootstrapTemplate } from "../../gen/bootstrap.js";
import { bootstrapObject, bootstrapTemplates } from "../../gen/bootstrap.js";
import { formatTime } from "../objects/metadata.js";
import type { PolicyRule } from "../rbac/policy-rule.js";
import { keyOf } from "./read.js";
import type { ResourceTable } from "./resource-table.js";
import { groupVersionOf, type ServedResource } from "./resources.js";
import type { RegistryServices } from "./services.js";

/** Returns the rules that a ClusterRole has on every new cluster. */
export function bootstrapRules(name: string): readonly PolicyRule[] {
  const role = bootstrapObject("ClusterRole", name) as { readonly rules?: readonly PolicyRule[] } | undefined;
  return role?.rules ?? [];
}

/** Fields that each server sets for itself. */
type OwnFields = Readonly<Record<"uid" | "time" | "date" | "revision", string>>;

/** Object that a new server has. */
export interface InitialObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** `""` for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Returns the stored form. */
  json(own: OwnFields): string;
}

/** A template, split at the fields that each server sets for itself. */
class SplitTemplate implements InitialObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Text and names of fields, alternately. */
  readonly #parts: readonly string[];

  constructor({ apiVersion, kind, namespace, name, json }: BootstrapTemplate) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
    this.#parts = json.split(/\{(\w+)\}/);
  }

  json(own: OwnFields): string {
    const parts = this.#parts;
    let json = parts[0]!;
    for (let at = 1; at < parts.length; at += 2) json += own[parts[at] as keyof OwnFields] + parts[at + 1]!;
    return json;
  }
}

let splitTemplates: readonly SplitTemplate[] | undefined;

/** False for the APIService of a version that isn't served. */
function isAnnounced({ kind, name }: InitialObject, { resources }: RegistryServices): boolean {
  if (kind !== "APIService") return true;
  const dot = name.indexOf(".");
  return resources.inGroupVersion(name.slice(dot + 1), name.slice(0, dot)) !== undefined;
}

/** Returns the resource of an object; `undefined` if its version isn't served. */
function resourceOf({ apiVersion, kind }: InitialObject, resources: ResourceTable): ServedResource | undefined {
  const { group, version } = groupVersionOf(apiVersion);
  const served = resources.inGroupVersion(group, version);
  return served?.find((resource) => resource.kind === kind);
}

/**
 * Stores the objects that every cluster starts with: namespaces, default roles, flow control, priority classes, the
 * Service `kubernetes` with its IPAddress and ServiceCIDR, and the APIServices; then `more`.
 */
export function storeBootstrapObjects(services: RegistryServices, more: readonly InitialObject[]): void {
  const { resources, store } = services;
  const time = formatTime(services.clock.now());
  const date = time.slice(0, 10);
  splitTemplates ??= bootstrapTemplates.map((template) => new SplitTemplate(template));
  for (const object of [...splitTemplates, ...more]) {
    const resource = resourceOf(object, resources);
    // `runtimeConfig` may have switched off the kind, or the version that an APIService announces.
    if (resource === undefined || !isAnnounced(object, services)) continue;
    const uid = services.uuid();
    const key = keyOf(resource, object.namespace, object.name);
    store.commit(store.bucket(resource.bucket), key, (revision) =>
      object.json({ uid, time, date, revision: String(revision) }),
    );
  }
}
