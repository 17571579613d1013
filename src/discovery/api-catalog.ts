import { type Kind, parseApiVersion } from "../meta/kind.js";

/** A subresource reported by the server. */
export interface DiscoveredSubresource {
  /** Name, such as `scale`. */
  readonly name: string;
  /** Kind that it accepts and returns. */
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Supported verbs. */
  readonly verbs: readonly string[];
}

/** A resource reported by the server. It is a `Kind`, so `client.resource` accepts it. */
export interface DiscoveredResource extends Kind {
  /** Singular name in lower case. */
  readonly singular: string;
  /** Supported verbs. */
  readonly verbs: readonly string[];
  /** Short names, such as `po`. */
  readonly shortNames: readonly string[];
  /** Categories, such as `all`. */
  readonly categories: readonly string[];
  /** Subresources. */
  readonly subresources: readonly DiscoveredSubresource[];
}

/** One version of an API group. */
export interface DiscoveredVersion {
  /** API group. */
  readonly group: string;
  /** Version. */
  readonly version: string;
  /** True if the server couldn't reach the extension that serves this version and returned its last known resources. */
  readonly stale: boolean;
  /** Resources. */
  readonly resources: readonly DiscoveredResource[];
}

/** An API group. */
export interface DiscoveredGroup {
  /** Name; `""` for the core group. */
  readonly name: string;
  /** Versions, the preferred one first. */
  readonly versions: readonly DiscoveredVersion[];
}

/** A part of the API that the server couldn't report. */
export interface DiscoveryFailure {
  /** API group. */
  readonly group: string;
  /** Version. */
  readonly version: string;
  /** Error of the request. */
  readonly error: unknown;
}

/** Snapshot of the APIs that a server serves. */
export interface ApiCatalog {
  /** Groups in the server's order of preference, the core group first. */
  readonly groups: readonly DiscoveredGroup[];
  /** Missing or possibly outdated parts. They aren't thrown, so that one broken extension doesn't hide the rest. */
  readonly failures: readonly DiscoveryFailure[];
  /** Time of the snapshot in milliseconds since the epoch. */
  readonly readAt: number;
}

/** Lists the resources of all groups and versions in order of preference: each group's preferred version first. */
export function listResources(catalog: ApiCatalog): DiscoveredResource[] {
  return catalog.groups.flatMap((group) => group.versions.flatMap((version) => version.resources));
}

/**
 * Finds the resource for an object's `apiVersion` and `kind`. Without `apiVersion`, finds the kind in the preferred
 * version of `group`, or of the first group that has it. Returns `undefined` if the server has no such kind.
 */
export function findByKind(
  catalog: ApiCatalog,
  wanted: { readonly apiVersion?: string | undefined; readonly group?: string | undefined; readonly kind: string },
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
 * Finds a resource by a name that users type: `deploy`, `deployments`, `Deployment`, `deployments.apps` or
 * `deployments.v1.apps`. Matches plural, singular, kind and short name, ignoring case. If several match, returns the
 * first in the server's order; if none does, `undefined`.
 *
 * @example
 * ```ts
 * import { createDiscovery, findByCategory, findByName } from "kubestream/discovery";
 * import { connect } from "kubestream/node";
 *
 * const catalog = await createDiscovery(await connect()).catalog();
 * console.log(findByName(catalog, "deploy")?.plural); // deployments
 * console.log(findByCategory(catalog, "all").map(({ plural }) => plural));
 * ```
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

/** Lists the resources of a category, such as `all`, in their preferred versions. */
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
