import { sha256 } from "@noble/hashes/sha2.js";
import { base64Encode } from "../../internal/base64.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { ResourceTable } from "../registry/resource-table.js";
import type { ServedGroup, ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";

/** Returns a group in the form of an APIGroupList's items. */
export function groupEntry(group: ServedGroup): object {
  const versions = group.versions.map((version) => ({ groupVersion: `${group.group}/${version}`, version }));
  return { name: group.group, versions, preferredVersion: versions[0]! };
}

/** Returns the APIResourceList of a group version. */
export function apiResources(
  table: ResourceTable,
  group: string,
  version: string,
  resources: readonly ServedResource[],
): object {
  const list: { name: string }[] = [];
  for (const resource of resources) {
    const own = { group: resource.group, version: resource.version };
    if (resource.verbs.length > 0) {
      const hash =
        resource.verbs.includes("list") && resource.verbs.includes("create")
          ? storageVersionHash(table, resource)
          : undefined;
      list.push({
        name: resource.resource,
        singularName: resource.singular,
        namespaced: resource.namespaced,
        kind: resource.kind,
        verbs: resource.verbs,
        ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
        ...(hash === undefined ? {} : { storageVersionHash: hash }),
      } as { name: string });
    }
    for (const sub of resource.subresources.values()) {
      const foreign = sub.kind.group !== own.group || sub.kind.version !== own.version;
      list.push({
        name: `${resource.resource}/${sub.name}`,
        singularName: "",
        namespaced: resource.namespaced,
        ...(foreign ? { group: sub.kind.group, version: sub.kind.version } : {}),
        kind: sub.kind.kind,
        verbs: sub.verbs,
      } as { name: string });
    }
  }
  if (table.isBuiltinVersion(group, version)) list.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: list,
  };
}

/**
 * Returns a short hash of a resource's storage version. All versions of a custom resource have the hash of the storage
 * version, if that is served.
 */
function storageVersionHash(
  table: ResourceTable,
  { group, version, resource, kind, storageVersion, hashedVersion }: ServedResource,
): string | undefined {
  if (storageVersion !== undefined && table.find(group, storageVersion, resource) === undefined) return undefined;
  const preferred =
    storageVersion ?? table.group(group)?.versions.find((one) => table.find(group, one, resource) !== undefined);
  const stored = hashedVersion ?? `${group}/${preferred ?? version}`;
  return base64Encode(sha256(utf8Encode(`${stored}/${kind}`)).subarray(0, 8));
}
