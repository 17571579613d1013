import { apiVersionOf } from "../registry/resources.js";
import type { ServedGroup, ServedResource } from "../registry/resources.js";

/** The APIGroup document of a group. */
export function apiGroup(group: ServedGroup): { kind: string; apiVersion: string; name: string; versions: object[]; preferredVersion: object } {
  const versions = group.versions.map((version) => ({ groupVersion: `${group.group}/${version}`, version }));
  return { kind: "APIGroup", apiVersion: "v1", name: group.group, versions, preferredVersion: versions[0]! };
}

/** The APIResourceList of a group's version. */
export function apiResources(group: string, version: string, resources: readonly ServedResource[]): object {
  const list: { name: string }[] = [];
  for (const resource of resources) {
    const own = { group: resource.group, version: resource.version };
    if (resource.verbs.length > 0) {
      list.push({
        name: resource.resource, singularName: resource.singular, namespaced: resource.namespaced, kind: resource.kind, verbs: resource.verbs,
        ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
        ...(resource.verbs.includes("list") ? { storageVersionHash: storageVersionHash(resource) } : {}),
      } as { name: string });
    }
    for (const sub of resource.subresources.values()) {
      const foreign = sub.kind.group !== own.group || sub.kind.version !== own.version;
      list.push({
        name: `${resource.resource}/${sub.name}`, singularName: "", namespaced: resource.namespaced,
        ...(foreign ? { group: sub.kind.group, version: sub.kind.version } : {}), kind: sub.kind.kind, verbs: sub.verbs,
      } as { name: string });
    }
  }
  if (resources[0]?.custom === undefined) list.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersionOf({ group, version }), resources: list };
}

/** A short hash that tells apart in which version a resource is stored. */
function storageVersionHash(resource: ServedResource): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of `${resource.group}/${resource.version}/${resource.kind}`) hash = ((hash ^ BigInt(char.charCodeAt(0))) * 0x100000001b3n) & 0xffffffffffffffffn;
  let binary = "";
  for (let shift = 56n; shift >= 0n; shift -= 8n) binary += String.fromCharCode(Number((hash >> shift) & 0xffn));
  return btoa(binary);
}
