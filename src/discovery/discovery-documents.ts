import type { DiscoveredGroup, DiscoveredResource, DiscoveredSubresource, DiscoveredVersion } from "./api-catalog.js";

/** The fields of `apidiscovery.k8s.io/v2 APIGroupDiscoveryList` that are read. */
export interface AggregatedDocument {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly AggregatedResource[];
    }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: ResponseKind;
  readonly scope: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: ResponseKind;
    readonly verbs?: readonly string[];
  }[];
}

interface ResponseKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
}

/** The fields of `v1 APIResourceList`, the older format, that are read. */
export interface ResourceListDocument {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly group?: string;
    readonly version?: string;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** Converts an aggregated discovery document. */
export function readAggregated(document: AggregatedDocument): DiscoveredGroup[] {
  return (document.items ?? []).map((item) => {
    const group = item.metadata?.name ?? "";
    return {
      name: group,
      versions: (item.versions ?? []).map(({ version, freshness, resources = [] }) => ({
        group,
        version,
        stale: freshness === "Stale",
        // Without a responseKind (the extension is unavailable), the resource can't be addressed.
        resources: resources
          .filter((resource) => resource.responseKind !== undefined)
          .map((resource) => readResource(group, version, resource)),
      })),
    };
  });
}

function readResource(group: string, version: string, resource: AggregatedResource): DiscoveredResource {
  const kind = resource.responseKind!;
  return describe(group, version, {
    plural: resource.resource,
    kind: kind.kind,
    namespaced: resource.scope === "Namespaced",
    singular: resource.singularResource,
    verbs: resource.verbs,
    shortNames: resource.shortNames,
    categories: resource.categories,
    subresources: (resource.subresources ?? []).map((sub) => ({
      name: sub.subresource,
      // Empty fields default to the resource's own.
      responseKind: {
        group: sub.responseKind?.group || group,
        version: sub.responseKind?.version || version,
        kind: sub.responseKind?.kind ?? kind.kind,
      },
      verbs: sub.verbs ?? [],
    })),
  });
}

/** Converts a version in the older format, which lists subresources next to the resources, as in `pods/log`. */
export function readResourceList(group: string, version: string, document: ResourceListDocument): DiscoveredVersion {
  const all = document.resources ?? [];
  const subresources = (plural: string): DiscoveredSubresource[] =>
    all
      .filter((entry) => entry.name.startsWith(`${plural}/`))
      .map((entry) => ({
        name: entry.name.slice(plural.length + 1),
        responseKind: { group: entry.group || group, version: entry.version || version, kind: entry.kind },
        verbs: entry.verbs ?? [],
      }));
  return {
    group,
    version,
    stale: false,
    resources: all
      .filter((entry) => !entry.name.includes("/"))
      .map((entry) =>
        describe(group, version, {
          plural: entry.name,
          kind: entry.kind,
          namespaced: entry.namespaced,
          singular: entry.singularName,
          verbs: entry.verbs,
          shortNames: entry.shortNames,
          categories: entry.categories,
          subresources: subresources(entry.name),
        }),
      ),
  };
}

interface Description {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singular: string | undefined;
  readonly verbs: readonly string[] | undefined;
  readonly shortNames: readonly string[] | undefined;
  readonly categories: readonly string[] | undefined;
  readonly subresources: readonly DiscoveredSubresource[];
}

function describe(group: string, version: string, from: Description): DiscoveredResource {
  return {
    group,
    version,
    kind: from.kind,
    plural: from.plural,
    scope: from.namespaced ? "Namespaced" : "Cluster",
    singular: from.singular || from.kind.toLowerCase(),
    verbs: from.verbs ?? [],
    shortNames: from.shortNames ?? [],
    categories: from.categories ?? [],
    subresources: from.subresources,
  };
}
