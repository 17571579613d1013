import type { AggregatedApis } from "../aggregation/aggregated-apis.js";
import type { ResourceTable } from "../registry/resource-table.js";
import type { ServedGroup } from "../registry/resources.js";

/** Services that know the served groups. */
export interface GroupServices {
  readonly resources: ResourceTable;
  readonly aggregated: AggregatedApis;
}

/** Returns the groups of this server and then those that only other servers serve, each with all of its versions. */
export function servedGroups({ resources, aggregated }: GroupServices): readonly ServedGroup[] {
  const apis = aggregated.list();
  if (apis.length === 0) return resources.groups();
  const groups = new Map(resources.groups().map(({ group, versions }) => [group, [...versions]]));
  for (const { group, version } of apis) {
    const versions = groups.get(group) ?? [];
    groups.set(group, versions);
    if (!versions.includes(version)) versions.push(version);
  }
  return [...groups].map(([group, versions]) => ({ group, versions }));
}

/** Returns a version of another server as in aggregated discovery; `undefined` for one of this server. */
export function aggregatedVersion({ aggregated }: GroupServices, group: string, version: string): object | undefined {
  const api = aggregated.find(group, version);
  if (api === undefined) return undefined;
  const { resources: listed = [], discovery } = aggregated.found(api.name) ?? {};
  const resources = discovery ?? resourceEntries(listed);
  return {
    version,
    ...(resources.length === 0 ? {} : { resources }),
    freshness: api.available ? "Current" : "Stale",
  };
}

type Listed = Readonly<Record<string, unknown>>;

/** Returns the kind of a resource. Like kube-apiserver, leaves an implied group and version empty. */
function responseKind({ group = "", version = "", kind }: Listed): object {
  return { group, version, kind };
}

/** Returns the entries of resources. Of several with the same name, the first counts. */
function resourceEntries(listed: readonly Listed[]): object[] {
  const parents = new Map<string, Listed>();
  const children = new Map<string, Listed[]>();
  for (const each of listed) {
    const [name = "", ...rest] = (each["name"] as string).split("/");
    if (rest.length === 0) parents.set(name, parents.get(name) ?? each);
    else if (children.get(name)?.push(each) === undefined) children.set(name, [each]);
  }
  return [...parents].map(([name, resource]) => resourceEntry(resource, children.get(name) ?? []));
}

function resourceEntry(
  { name, singularName, namespaced, verbs, shortNames, categories, ...kind }: Listed,
  below: readonly Listed[],
): object {
  const subresources = below.map((each) => ({
    subresource: (each["name"] as string).slice((name as string).length + 1),
    responseKind: responseKind(each),
    verbs: each["verbs"],
  }));
  return {
    resource: name,
    responseKind: responseKind(kind),
    scope: namespaced === true ? "Namespaced" : "Cluster",
    singularResource: singularName ?? "",
    verbs,
    ...(Array.isArray(shortNames) && shortNames.length > 0 ? { shortNames } : {}),
    ...(Array.isArray(categories) && categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
