import { words } from "../internal/words.js";
import type { ApiObject } from "../objects/api-object.js";
import { metaOf } from "../objects/metadata.js";

/**
 * Kinds in versions that are no longer served but that kube-apiserver still decodes, by group and version; each has a
 * list kind too.
 */
const oldKinds: Readonly<Record<string, readonly string[]>> = {
  "admission.k8s.io/v1": ["AdmissionReview"],
  "admission.k8s.io/v1beta1": ["AdmissionReview"],
  "admissionregistration.k8s.io/v1alpha1": words(
    "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
  ),
  "admissionregistration.k8s.io/v1beta1": words(
    "ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
  ),
  "apiextensions.k8s.io/v1beta1": ["CustomResourceDefinition"],
  "apiregistration.k8s.io/v1beta1": ["APIService"],
  "apps/v1beta1": words("Deployment DeploymentRollback Scale StatefulSet ControllerRevision"),
  "apps/v1beta2": words("Deployment Scale StatefulSet DaemonSet ReplicaSet ControllerRevision"),
  "authentication.k8s.io/v1alpha1": ["SelfSubjectReview"],
  "authentication.k8s.io/v1beta1": ["SelfSubjectReview", "TokenReview"],
  "authorization.k8s.io/v1beta1": words(
    "SelfSubjectRulesReview SelfSubjectAccessReview SubjectAccessReview LocalSubjectAccessReview",
  ),
  "batch/v1beta1": ["CronJob"],
  "certificates.k8s.io/v1alpha1": ["ClusterTrustBundle"],
  "certificates.k8s.io/v1beta1": words("CertificateSigningRequest ClusterTrustBundle PodCertificateRequest"),
  "coordination.k8s.io/v1beta1": ["Lease", "LeaseCandidate"],
  "discovery.k8s.io/v1beta1": ["EndpointSlice"],
  "events.k8s.io/v1beta1": ["Event"],
  "extensions/v1beta1": words("Deployment DeploymentRollback Scale DaemonSet Ingress ReplicaSet NetworkPolicy"),
  "flowcontrol.apiserver.k8s.io/v1beta1": ["FlowSchema", "PriorityLevelConfiguration"],
  "flowcontrol.apiserver.k8s.io/v1beta2": ["FlowSchema", "PriorityLevelConfiguration"],
  "flowcontrol.apiserver.k8s.io/v1beta3": ["FlowSchema", "PriorityLevelConfiguration"],
  "imagepolicy.k8s.io/v1alpha1": ["ImageReview"],
  "networking.k8s.io/v1beta1": words("Ingress IngressClass IPAddress ServiceCIDR"),
  "node.k8s.io/v1alpha1": ["RuntimeClass"],
  "node.k8s.io/v1beta1": ["RuntimeClass"],
  "policy/v1beta1": ["PodDisruptionBudget", "Eviction"],
  "rbac.authorization.k8s.io/v1alpha1": words("Role RoleBinding ClusterRole ClusterRoleBinding"),
  "rbac.authorization.k8s.io/v1beta1": words("Role RoleBinding ClusterRole ClusterRoleBinding"),
  "scheduling.k8s.io/v1beta1": ["PriorityClass"],
  "storage.k8s.io/v1alpha1": ["VolumeAttachment", "CSIStorageCapacity", "VolumeAttributesClass"],
  "storage.k8s.io/v1beta1": words(
    "StorageClass VolumeAttachment CSIDriver CSINode CSIStorageCapacity VolumeAttributesClass",
  ),
};

/** True if kube-apiserver still decodes a kind in a version that is no longer served. */
export function isOldKind(group: string, version: string, kind: string): boolean {
  const key = `${group}/${version}`;
  return (
    Object.hasOwn(oldKinds, key) &&
    (oldKinds[key]!.includes(kind) || (kind.endsWith("List") && oldKinds[key]!.includes(kind.slice(0, -4))))
  );
}

const networked = new Set(["Ingress", "NetworkPolicy"]);

/**
 * Returns the group of a kind in kube-apiserver's internal form, which is the same for kinds that moved between groups.
 */
export function homeGroup(group: string, kind: string): string {
  const single = kind.replace(/List$/, "");
  if (group === "events.k8s.io") return "";
  if (single === "Scale" && (group === "apps" || group === "extensions")) return "autoscaling";
  return group !== "extensions" ? group : networked.has(single) ? "networking.k8s.io" : "apps";
}

/** Kinds that copy the labels of their pod template in some old versions, if they have none. */
const labelledByTemplate: Readonly<Record<string, readonly string[]>> = {
  "apps/v1beta1": ["Deployment", "StatefulSet"],
  "extensions/v1beta1": ["Deployment", "DaemonSet", "ReplicaSet"],
};

/** Applies the defaults that only old versions of a kind have, in place. */
export function labelOld(object: ApiObject): void {
  if (labelledByTemplate[object.apiVersion ?? ""]?.includes(object.kind ?? "") !== true) return;
  const { template } = (object.spec ?? {}) as { template?: { metadata?: { labels?: Record<string, string> } } };
  const labels = template?.metadata?.labels;
  if (labels === undefined) return;
  (object.spec as Record<string, unknown>)["selector"] ??= { matchLabels: { ...labels } };
  const metadata = metaOf(object);
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}
