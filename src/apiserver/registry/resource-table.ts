import type { ServedGroup, ServedResource } from "./resources.js";

/** Resources of a built-in group version. */
export interface BuiltinGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** Table of all served resources, built-in and custom. */
export class ResourceTable {
  private readonly resources = new Map<string, ServedResource>();
  private readonly groupVersionsByName = new Map<string, ServedResource[]>();
  private readonly builtinVersions = new Set<string>();
  private groupList: ServedGroup[] = [];
  private customGroups: ServedGroup[] = [];
  private readonly customKeys = new Set<string>();
  private storageList: readonly ServedResource[] | undefined;
  /** Increases whenever the set of served resources changes; discovery documents are rebuilt then. */
  generation = 0;

  private readonly adapt: (resource: ServedResource) => void;

  /** `adapt` changes each new resource in place. Default: no changes. */
  constructor(builtin: readonly BuiltinGroupVersion[], adapt: (resource: ServedResource) => void = () => undefined) {
    this.adapt = adapt;
    for (const { group, version, resources } of builtin) {
      resources.forEach(adapt);
      for (const entry of resources) this.resources.set(`${entry.group}/${entry.version}/${entry.resource}`, entry);
      this.groupVersionsByName.set(`${group}/${version}`, [...resources]);
      this.builtinVersions.add(`${group}/${version}`);
      const known = this.groupList.find((one) => one.group === group);
      if (known === undefined) this.groupList.push({ group, versions: [version] });
      else known.versions.push(version);
    }
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.resources.get(`${group}/${version}/${resource}`);
  }

  /** Returns the resources of a group version in order, or `undefined` if it isn't served. */
  inGroupVersion(group: string, version: string): readonly ServedResource[] | undefined {
    return this.groupVersionsByName.get(`${group}/${version}`);
  }

  /** Returns all groups, built-in ones first. The core group is `""`. */
  groups(): readonly ServedGroup[] {
    return [...this.groupList, ...this.customGroups];
  }

  group(name: string): ServedGroup | undefined {
    return this.groupList.find((one) => one.group === name) ?? this.customGroups.find((one) => one.group === name);
  }

  /** True if the group is built in, false if only CustomResourceDefinitions create it. */
  isBuiltin(name: string): boolean {
    return this.groupList.some((one) => one.group === name);
  }

  /** True if the group version is built in. */
  isBuiltinVersion(group: string, version: string): boolean {
    return this.builtinVersions.has(`${group}/${version}`);
  }

  all(): Iterable<ServedResource> {
    return this.resources.values();
  }

  /** Returns one resource per bucket, in its group's preferred version. */
  storages(): readonly ServedResource[] {
    this.storageList ??= this.listStorages();
    return this.storageList;
  }

  private listStorages(): ServedResource[] {
    const seen = new Map<string, ServedResource>();
    for (const resource of this.resources.values())
      if (!seen.has(resource.bucket) && resource.verbs.includes("list")) seen.set(resource.bucket, resource);
    return [...seen.values()];
  }

  /** Replaces all custom resources. They must be sorted by group and version, preferred versions first. */
  setCustom(resources: readonly ServedResource[]): void {
    for (const key of this.customKeys) this.resources.delete(key);
    this.customKeys.clear();
    for (const group of this.customGroups)
      for (const version of group.versions) this.groupVersionsByName.delete(`${group.group}/${version}`);
    this.customGroups = [];
    for (const resource of resources) {
      this.adapt(resource);
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
    this.storageList = undefined;
    this.generation += 1;
  }
}
