import type { Strategy } from "./strategy.js";

/** Kinds that PUT creates. */
const createOnUpdate = new Set([
  "/endpoints",
  "/services",
  "node.k8s.io/runtimeclasses",
  "rbac.authorization.k8s.io/clusterroles",
  "rbac.authorization.k8s.io/clusterrolebindings",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings",
]);

/** Kinds whose PUT must name the resourceVersion. */
const conditionalUpdate = new Set([
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "internal.apiserver.k8s.io/storageversions",
  "node.k8s.io/runtimeclasses",
  "policy/poddisruptionbudgets",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/csistoragecapacities",
  "storage.k8s.io/volumeattachments",
  "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices",
  "resource.k8s.io/resourcepoolstatusrequests",
]);

/** Kinds that count the changes of what is wanted. */
const generations = new Set([
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "apiextensions.k8s.io/customresourcedefinitions",
  "/pods",
  "/podtemplates",
  "/replicationcontrollers",
  "discovery.k8s.io/endpointslices",
  "flowcontrol.apiserver.k8s.io/flowschemas",
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  "networking.k8s.io/ingresses",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/networkpolicies",
  "policy/poddisruptionbudgets",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/devicetaintrules",
  "resource.k8s.io/resourceslices",
]);

/** Kinds whose generation is not that of their state: it begins with the first change, or stays. */
const oddGenerations: Readonly<Record<string, "late" | "fixed">> = {
  "storage.k8s.io/csidrivers": "late",
  "scheduling.k8s.io/priorityclasses": "fixed",
};
const countedMetadata: Readonly<Record<string, "annotations" | "labels">> = {
  "discovery.k8s.io/endpointslices": "labels",
};

/** What is compared as it is in memory, where an empty list is not none. */
const countedEmpties = new Set([
  "networking.k8s.io/networkpolicies",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
]);

/** Kinds older than the garbage collector, whose dependents once stayed. */
const orphansByDefault = new Set(["/replicationcontrollers"]);

/** The rules of writing and deleting that are a matter of yes or no. */
export function traitsOf(
  group: string,
  resource: string,
): Pick<
  Strategy,
  | "allowCreateOnUpdate"
  | "allowUnconditionalUpdate"
  | "generations"
  | "countedAsGiven"
  | "countedMetadata"
  | "countedEmpties"
  | "garbageCollected"
  | "deletedAlong"
  | "orphansByDefault"
> {
  const key = `${group}/${resource}`;
  return {
    ...(createOnUpdate.has(key) ? { allowCreateOnUpdate: true } : {}),
    ...(conditionalUpdate.has(key) ? { allowUnconditionalUpdate: false } : {}),
    ...(generations.has(key) ? { generations: true } : {}),
    ...(Object.hasOwn(oddGenerations, key) ? { generations: oddGenerations[key]! } : {}),
    ...(Object.hasOwn(countedMetadata, key) ? { countedMetadata: countedMetadata[key]! } : {}),
    ...(countedEmpties.has(key) ? { countedEmpties: true } : {}),
    ...(key === "discovery.k8s.io/endpointslices" ? { countedAsGiven: true } : {}),
    ...(key === "/services" ? { deletedAlong: "/endpoints" } : {}),
    ...(orphansByDefault.has(key) ? { orphansByDefault: true } : {}),
  };
}
