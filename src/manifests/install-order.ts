import type { DynamicObject } from "../client/resource/collection-handle.js";
import { parseApiVersion } from "../meta/kind.js";

/** Kinds in the order in which others need them. Kinds that aren't listed come between Services and webhooks. */
const early: readonly (readonly string[])[] = [
  ["Namespace"],
  ["CustomResourceDefinition"],
  ["PriorityClass", "StorageClass", "IngressClass", "RuntimeClass"],
  ["ResourceQuota", "LimitRange", "NetworkPolicy"],
  ["ServiceAccount"],
  ["ClusterRole", "Role"],
  ["ClusterRoleBinding", "RoleBinding"],
  ["ConfigMap", "Secret", "PersistentVolume", "PersistentVolumeClaim"],
  ["Service"],
];
/** Kinds that intercept or extend requests, after the programs that serve them. */
const late: readonly (readonly string[])[] = [
  ["APIService"],
  [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "MutatingAdmissionPolicy",
    "ValidatingAdmissionPolicy",
  ],
  ["MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding"],
];

const ranks = new Map<string, number>([
  ...early.flatMap((kinds, index) => kinds.map((kind) => [kind, index] as const)),
  ...late.flatMap((kinds, index) => kinds.map((kind) => [kind, early.length + 1 + index] as const)),
]);

/** Groups of the built-in kinds that manifests can hold. */
const builtIn = new Set([
  "",
  "apps",
  "autoscaling",
  "batch",
  "policy",
  ...[
    "admissionregistration",
    "apiextensions",
    "apiregistration",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "flowcontrol.apiserver",
    "networking",
    "node",
    "rbac.authorization",
    "resource",
    "scheduling",
    "storage",
  ].map((group) => `${group}.k8s.io`),
]);

/**
 * Ranks an object by what others need: namespaces first, then definitions, permissions, configuration, Services and
 * workloads, then webhooks, and custom resources last, when their webhooks can answer.
 */
export function installRank({ apiVersion, kind }: Pick<DynamicObject, "apiVersion" | "kind">): number {
  const { group } = parseApiVersion(apiVersion ?? "");
  if (!builtIn.has(group)) return early.length + late.length + 1;
  return ranks.get(kind ?? "") ?? early.length;
}
