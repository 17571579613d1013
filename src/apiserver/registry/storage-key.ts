import type { ServedResource } from "./resources.js";

/** Where a real server keeps kinds that are not under their own name. */
const special: Readonly<Record<string, string>> = {
  "/services": "services/specs",
  "/endpoints": "services/endpoints",
  "/nodes": "minions",
  "/replicationcontrollers": "controllers",
  "networking.k8s.io/ingresses": "ingress",
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices": "apiregistration.k8s.io/apiservices",
};

/** The key of an object in the store of a real server, which errors tell; those of trials leave out where the store begins. */
export function storageKey(resource: ServedResource, key: string, dryRun = false): string {
  const { group, resource: plural, custom, bucket } = resource;
  return `${dryRun ? "" : "/registry"}/${custom === undefined ? (special[bucket] ?? plural) : `${group}/${plural}`}/${key}`;
}
