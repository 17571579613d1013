import type { Kind } from "../meta/kind.js";

/** A subresource as the server describes it. */
export interface DiscoveredSubresource {
  /** Name, as `scale`. */
  readonly name: string;
  /** What it takes and answers. */
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  /** What can be done with it. */
  readonly verbs: readonly string[];
}

/** A resource as the server describes it; a kind that `client.resource` takes. */
export interface DiscoveredResource extends Kind {
  /** Singular name in lower case. */
  readonly singular: string;
  /** What can be done with it. */
  readonly verbs: readonly string[];
  /** Short names, as `po`. */
  readonly shortNames: readonly string[];
  /** Categories, as `all`. */
  readonly categories: readonly string[];
  /** Its subresources. */
  readonly subresources: readonly DiscoveredSubresource[];
}

/** One version of an API group. */
export interface DiscoveredVersion {
  /** API group. */
  readonly group: string;
  /** Version. */
  readonly version: string;
  /** True where the server could not ask the one behind it and tells what it knew. */
  readonly stale: boolean;
  /** Its resources. */
  readonly resources: readonly DiscoveredResource[];
}

/** An API group. */
export interface DiscoveredGroup {
  /** Name; `""` for the core group. */
  readonly name: string;
  /** The versions, the preferred one first. */
  readonly versions: readonly DiscoveredVersion[];
}

/** A part of the API that the server could not tell about. */
export interface DiscoveryFailure {
  /** API group. */
  readonly group: string;
  /** Version. */
  readonly version: string;
  /** Why. */
  readonly error: unknown;
}

/** What the server serves, as data: it is not looked at again. */
export interface ApiCatalog {
  /** The groups in the server's order of preference, the core group first. */
  readonly groups: readonly DiscoveredGroup[];
  /** What is missing or may be out of date; never thrown, for one broken extension must not stop the rest. */
  readonly failures: readonly DiscoveryFailure[];
  /** When it was read, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** Lists the resources of all groups and versions in order of preference: each group's preferred version first. */
export function listResources(catalog: ApiCatalog): DiscoveredResource[] {
  return catalog.groups.flatMap((group) => group.versions.flatMap((version) => version.resources));
}

/** The resource of a kind: of an object's `apiVersion` and `kind`, or of a group's preferred version. */
export function findByKind(
  catalog: ApiCatalog,
  wanted: { readonly apiVersion?: string; readonly group?: string; readonly kind: string },
): DiscoveredResource | undefined {
  const { group = wanted.group, version } = wanted.apiVersion === undefined ? {} : parseApiVersion(wanted.apiVersion);
  return listResources(catalog).find(
    (resource) =>
      resource.kind === wanted.kind &&
      (group === undefined || resource.group === group) &&
      (version === undefined || resource.version === version),
  );
}

/**
 * The resource that somebody means who writes `deploy`, `deployments`, `Deployment`, `deployments.apps` or
 * `deployments.v1.apps`: by plural, singular or short name or kind, case ignored. Among several the first in the server's order.
 */
export function findByName(catalog: ApiCatalog, text: string): DiscoveredResource | undefined {
  const wanted = text.toLowerCase();
  const all = listResources(catalog);
  const named = (name: string, suits: (resource: DiscoveredResource) => boolean): DiscoveredResource | undefined =>
    all.find((r) => suits(r) && r.plural === name) ??
    all.find((r) => suits(r) && (r.singular === name || r.kind.toLowerCase() === name)) ??
    all.find((r) => suits(r) && r.shortNames.includes(name));
  const dot = wanted.indexOf(".");
  if (dot < 0) return named(wanted, () => true);
  const name = wanted.slice(0, dot);
  const rest = wanted.slice(dot + 1);
  const next = rest.indexOf(".");
  const version = next < 0 ? rest : rest.slice(0, next);
  const group = next < 0 ? "" : rest.slice(next + 1);
  return named(name, (r) => r.version === version && r.group === group) ?? named(name, (r) => r.group === rest);
}

/** The resources of a category, as `all`, in their preferred versions. */
export function findByCategory(catalog: ApiCatalog, category: string): DiscoveredResource[] {
  const found: DiscoveredResource[] = [];
  const seen = new Set<string>();
  for (const resource of listResources(catalog)) {
    const name = `${resource.plural}.${resource.group}`;
    if (!resource.categories.includes(category) || seen.has(name)) continue;
    seen.add(name);
    found.push(resource);
  }
  return found;
}

/** Group and version of an `apiVersion`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
