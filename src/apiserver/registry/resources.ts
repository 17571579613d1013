import type { ApiGroupVersion, ApiResource } from "../../gen/resources.js";
import { groupVersions } from "../../gen/resources.js";
import type { VersionConversion } from "../kinds/shared/kind-definition.js";
import type { Strategy } from "../kinds/strategy.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Schema } from "../schema/schema.js";
import type { Version } from "../storage/mvcc.js";

/** A kind by its full name. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A subresource as it is served. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
  readonly patchTypes: readonly string[];
}

/** What custom resources have beyond the built-in ones. */
export interface CustomResource {
  /** Structural schema of this version. */
  readonly schema: Schema | undefined;
  /** Paths of the scale subresource, if there is one. */
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  /** True once the definition is being deleted: nothing can be created. */
  readonly terminating?: () => boolean;
  /** Version in which objects are stored. */
  readonly storageVersion: string;
}

/** Turns objects of one resource into other versions where that takes asking a webhook. */
export interface ObjectConverter {
  /** Makes stored versions readable; `fresh` asks the webhook for what it was asked before as well. Rejects with the failure to answer with. */
  prepare(versions: readonly Version[], fresh?: boolean): Promise<void>;
  /** A prepared version as `Version.json` would have it in the resource's own version; `undefined` if it is stored in that one. */
  text(version: Version): string | undefined;
  /** The object, of the resource's version, as it is stored. */
  toStored(object: ApiObject): Promise<ApiObject>;
  /** An object in the form in which it is stored, in the resource's version. */
  fromStored(object: ApiObject): Promise<ApiObject>;
  /** The object in another version as the webhook makes it, through the resource's own: unknown fields and all. */
  convert(object: ApiObject, apiVersion: string): Promise<ApiObject>;
}

/** One resource in one version as it is served. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly patchTypes: readonly string[];
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  /** Name of the OpenAPI definition of a built-in kind. */
  readonly definition?: string;
  /** What is special about the kind. */
  readonly strategy: Strategy;
  /** Bucket that holds the objects: `group/resource` of the storage, the same for all versions. */
  readonly bucket: string;
  /** Whether lists and watches go without the watch cache, as Events do. */
  readonly uncached: boolean;
  /** Set for custom resources. */
  readonly custom?: CustomResource;
  /** Warning that every request to this resource gets. */
  readonly deprecation?: string;
  /** Turns a stored object, which is in version `storedAs`, into this version; absent where they differ in `apiVersion` alone. Works in place. */
  fromStorage?(object: ApiObject, storedAs?: string): void;
  /** Turns an object of this version into the stored form. Works in place. */
  toStorage?(object: ApiObject): void;
  /** Set where a webhook turns objects into other versions: what is stored in another one is prepared by it before it is read. */
  readonly converter?: ObjectConverter;
}

/** `apiVersion` of a group and version. */
export function apiVersionOf(kind: { group: string; version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** A group with its versions in order of preference. */
export interface ServedGroup {
  readonly group: string;
  /** Versions, the preferred one first. */
  readonly versions: string[];
}

/** Where and how a kind's objects are kept, if not under its own name. */
const storedElsewhere: Readonly<Record<string, string>> = { "events.k8s.io/events": "/events" };

const deprecations: Readonly<Record<string, string>> = {
  "v1/endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  "v1/componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
  "storage.k8s.io/v1beta1/volumeattributesclasses":
    "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass",
};

/** Since which minor version of Kubernetes a version of a group is deprecated, where all of it is; it goes three later. */
const deprecatedSince: Readonly<Record<string, number>> = {
  "admissionregistration.k8s.io/v1alpha1": 35,
  "coordination.k8s.io/v1alpha2": 35,
  "coordination.k8s.io/v1beta1": 36,
  "networking.k8s.io/v1beta1": 34,
  "resource.k8s.io/v1beta1": 35,
  "resource.k8s.io/v1beta2": 36,
  "resource.k8s.io/v1alpha3": 36,
};
const stillSupported = new Set([
  "resource.k8s.io/v1beta2/devicetaintrules",
  "resource.k8s.io/v1alpha3/resourcepoolstatusrequests",
]);

function deprecationOf(apiVersion: string, resource: ApiResource): string | undefined {
  const key = `${apiVersion}/${resource.name}`;
  const since = deprecatedSince[apiVersion];
  if (since === undefined || stillSupported.has(key)) return deprecations[key];
  return `${apiVersion} ${resource.kind} is deprecated in v1.${since}+, unavailable in v1.${since + 3}+`;
}

/** What the table asks of those who know the kinds. */
export interface KindKnowledge {
  /** Strategy of a built-in kind. */
  strategyOf(group: string, version: string, resource: string): Strategy;
  /** Conversions of a built-in kind to and from the stored version, if it has any. */
  conversionOf?(group: string, version: string, resource: string): VersionConversion | undefined;
}

function served(groupVersion: ApiGroupVersion, resource: ApiResource, knowledge: KindKnowledge): ServedResource {
  const { group, version } = groupVersion;
  const own = `${group}/${resource.name}`;
  const bucket = storedElsewhere[own] ?? own;
  const deprecation = deprecationOf(apiVersionOf(groupVersion), resource);
  let strategy: Strategy | undefined;
  const conversion = knowledge.conversionOf?.(group, version, resource.name);
  return {
    group,
    version,
    resource: resource.name,
    singular: resource.singular,
    kind: resource.kind,
    listKind: resource.listKind ?? `${resource.kind}List`,
    namespaced: resource.namespaced,
    verbs: resource.verbs,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    patchTypes: resource.patchTypes ?? [],
    subresources: new Map(
      (resource.subresources ?? []).map((sub) => [
        sub.name,
        {
          name: sub.name,
          kind: sub.kind,
          verbs: sub.verbs,
          patchTypes: sub.patchTypes ?? [],
        },
      ]),
    ),
    ...(resource.definition === undefined ? {} : { definition: resource.definition }),
    get strategy() {
      strategy ??= knowledge.strategyOf(group, version, resource.name);
      return strategy;
    },
    bucket,
    uncached: bucket === "/events",
    ...(deprecation === undefined ? {} : { deprecation }),
    ...conversion,
  };
}

/** All that is served, built-in and custom. */
export class ResourceTable {
  private readonly resources = new Map<string, ServedResource>();
  private readonly groupVersionsByName = new Map<string, ServedResource[]>();
  private groupList: ServedGroup[] = [];
  private customGroups: ServedGroup[] = [];
  private readonly customKeys = new Set<string>();
  /** Grows with every change of what is served; discovery documents are made anew then. */
  generation = 0;

  constructor(knowledge: KindKnowledge) {
    for (const groupVersion of groupVersions) {
      const entries = groupVersion.resources.map((resource) => served(groupVersion, resource, knowledge));
      for (const entry of entries) this.resources.set(`${entry.group}/${entry.version}/${entry.resource}`, entry);
      this.groupVersionsByName.set(`${groupVersion.group}/${groupVersion.version}`, entries);
      const known = this.groupList.find((one) => one.group === groupVersion.group);
      if (known === undefined) this.groupList.push({ group: groupVersion.group, versions: [groupVersion.version] });
      else known.versions.push(groupVersion.version);
    }
  }

  /** A resource by its path. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.resources.get(`${group}/${version}/${resource}`);
  }

  /** Resources of one version of a group, in order; `undefined` if it is not served. */
  inGroupVersion(group: string, version: string): readonly ServedResource[] | undefined {
    return this.groupVersionsByName.get(`${group}/${version}`);
  }

  /** All groups, the built-in ones first; the core group is among them as `""`. */
  groups(): readonly ServedGroup[] {
    return [...this.groupList, ...this.customGroups];
  }

  /** A group, if it is served. */
  group(name: string): ServedGroup | undefined {
    return this.groupList.find((one) => one.group === name) ?? this.customGroups.find((one) => one.group === name);
  }

  /** Whether a group is built in, rather than made by CustomResourceDefinitions alone. */
  isBuiltin(name: string): boolean {
    return this.groupList.some((one) => one.group === name);
  }

  /** All resources. */
  all(): Iterable<ServedResource> {
    return this.resources.values();
  }

  /** One entry for each bucket: the resource in its group's preferred version. */
  storages(): ServedResource[] {
    const seen = new Map<string, ServedResource>();
    for (const resource of this.resources.values())
      if (!seen.has(resource.bucket) && resource.verbs.includes("list")) seen.set(resource.bucket, resource);
    return [...seen.values()];
  }

  /** Replaces all custom resources: groups and versions in the order given, preferred versions first. */
  setCustom(resources: readonly ServedResource[]): void {
    for (const key of this.customKeys) this.resources.delete(key);
    this.customKeys.clear();
    for (const group of this.customGroups)
      for (const version of group.versions) this.groupVersionsByName.delete(`${group.group}/${version}`);
    this.customGroups = [];
    for (const resource of resources) {
      const key = `${resource.group}/${resource.version}/${resource.resource}`;
      this.resources.set(key, resource);
      this.customKeys.add(key);
      let group = this.customGroups.find((one) => one.group === resource.group);
      if (group === undefined) {
        group = { group: resource.group, versions: [] };
        this.customGroups.push(group);
      }
      const name = `${resource.group}/${resource.version}`;
      const list = this.groupVersionsByName.get(name);
      if (list === undefined) {
        group.versions.push(resource.version);
        this.groupVersionsByName.set(name, [resource]);
      } else list.push(resource);
    }
    this.generation += 1;
  }
}
