import type { ApiGroupVersion, ApiResource } from "../../gen/resources.js";
import { groupVersions } from "../../gen/resources.js";
import type { ServingRules } from "../kinds/shared/kind-definition.js";
import type { Strategy } from "../kinds/shared/strategy.js";
import type { BuiltinGroupVersion } from "../registry/resource-table.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { builtinOperations } from "./builtin-operations.js";

/** Kubernetes minor version that deprecated a group version; it's removed three versions later. */
const deprecatedSince: Readonly<Record<string, number>> = {
  "admissionregistration.k8s.io/v1alpha1": 35,
  "coordination.k8s.io/v1alpha2": 35,
  "coordination.k8s.io/v1beta1": 36,
  "networking.k8s.io/v1beta1": 34,
  "resource.k8s.io/v1beta1": 35,
  "resource.k8s.io/v1beta2": 36,
  "resource.k8s.io/v1alpha3": 36,
};
/** Returns the deprecation warning of a kind in a version, if there is one. */
function deprecationOf(
  groupVersion: ApiGroupVersion,
  { kind }: ApiResource,
  own: string | undefined,
): string | undefined {
  const apiVersion = apiVersionOf(groupVersion);
  const since = deprecatedSince[apiVersion];
  if (own !== undefined || since === undefined) return own === "" ? undefined : own;
  return `${apiVersion} ${kind} is deprecated in v1.${since}+, unavailable in v1.${since + 3}+`;
}

/** Lookup functions for the definitions of built-in kinds. */
export interface KindKnowledge {
  /** Loads a built-in kind. Returns `undefined` if it is loaded. Default: all are loaded. */
  load?(group: string, resource: string): Promise<void> | undefined;
  /** Returns the strategy of a loaded built-in kind. */
  strategyOf(group: string, version: string, resource: string): Strategy;
  /** Returns the rules to serve a built-in kind. Default: it has none. */
  rulesOf?(group: string, resource: string): ServingRules;
}

/** Returns the resources of all built-in kinds by version, in the order of discovery. */
export function builtinResources(knowledge: KindKnowledge): BuiltinGroupVersion[] {
  return groupVersions.map((groupVersion) => ({
    group: groupVersion.group,
    version: groupVersion.version,
    resources: groupVersion.resources.map((resource) => builtinResource(groupVersion, resource, knowledge)),
  }));
}

function builtinResource(
  groupVersion: ApiGroupVersion,
  resource: ApiResource,
  knowledge: KindKnowledge,
): ServedResource {
  const { group, version } = groupVersion;
  const { storage = {}, deprecations = {} } = knowledge.rulesOf?.(group, resource.name) ?? {};
  const deprecation = deprecationOf(groupVersion, resource, deprecations[version]);
  let strategy: Strategy | undefined;
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
    load: () => knowledge.load?.(group, resource.name),
    get strategy() {
      strategy ??= knowledge.strategyOf(group, version, resource.name);
      return strategy;
    },
    ...(storage.version === undefined ? {} : { hashedVersion: storage.version }),
    bucket: storage.bucket ?? `${group}/${resource.name}`,
    uncached: storage.uncached === true,
    ...(deprecation === undefined ? {} : { deprecation }),
    ...builtinOperations,
    ...storage.conversions?.[version],
  };
}
