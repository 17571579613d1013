import { type ApiCatalog, type DiscoveredResource, listResources } from "../../../discovery/api-catalog.js";

/** Kind whose objects can be listed, watched and deleted. */
export type DeletableKind = DiscoveredResource;

const verbs = ["list", "watch", "delete"];

/** Lists the kinds of a server whose objects can be listed, watched and deleted, each in its preferred version. */
export function listDeletableKinds(catalog: ApiCatalog): DeletableKind[] {
  const kinds = new Map<string, DeletableKind>();
  for (const resource of listResources(catalog)) {
    const name = nameOf(resource);
    if (!kinds.has(name) && verbs.every((verb) => resource.verbs.includes(verb))) kinds.set(name, resource);
  }
  return [...kinds.values()];
}

/** Returns the full name of a resource, such as `deployments.apps`; `pods.` for one of the core group. */
export function nameOf({ plural, group }: Pick<DiscoveredResource, "plural" | "group">): string {
  return `${plural}.${group}`;
}
