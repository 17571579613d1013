import type { ApiGroupVersion, ApiResource } from "../../gen/resources.js";
import { groupVersions } from "../../gen/resources.js";
import type { VersionConversion } from "../kinds/shared/kind-definition.js";
import type { Strategy } from "../kinds/strategy.js";
import type { BuiltinGroupVersion } from "../registry/resource-table.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { builtinOperations } from "./builtin-operations.js";

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

/** Directories of kinds that etcd does not hold under their own name. */
const storagePaths: Readonly<Record<string, string>> = {
  "/services": "services/specs",
  "/endpoints": "services/endpoints",
  "/nodes": "minions",
  "/replicationcontrollers": "controllers",
  "networking.k8s.io/ingresses": "ingress",
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices": "apiregistration.k8s.io/apiservices",
};

/** Lookups in the definitions of the built-in kinds. */
export interface KindKnowledge {
  /** Strategy of a built-in kind. */
  strategyOf(group: string, version: string, resource: string): Strategy;
  /** Conversions of a built-in kind to and from the stored version, if it has any. */
  conversionOf?(group: string, version: string, resource: string): VersionConversion | undefined;
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
    storagePath: storagePaths[bucket] ?? resource.name,
    ...builtinOperations,
    ...conversion,
  };
}
