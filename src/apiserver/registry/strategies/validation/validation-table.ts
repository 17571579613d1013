import type { FieldError } from "../../../schema/field-error.js";
import { validateMutatingPolicy, validateMutatingPolicyBinding, validateMutatingPolicyUpdate, validateValidatingPolicy, validateValidatingPolicyBinding, validateValidatingPolicyUpdate } from "./validate-admission-policies.js";
import { validateAddress, validateAddressUpdate, validateServiceRange, validateServiceRangeUpdate } from "./validate-addresses.js";
import { validateClaim, validateClaimUpdate, validateConfigMap, validateConfigMapUpdate, validateEvent, validateNamespace, validateNode, validateNodeUpdate, validateQuota, validateSecret, validateSecretUpdate, validateVolume, validateVolumeUpdate } from "./validate-config.js";
import { validateNewEvent, validateNewEventUpdate } from "./validate-events.js";
import { validateEndpointSlice, validateEndpointSliceUpdate, validateIngress, validateService, validateServiceUpdate } from "./validate-network.js";
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from "./validate-network-policy.js";
import { validateAutoscaler, validateBinding, validateBindingUpdate, validateBudget, validateFlowSchema, validateLease, validatePriorityClass, validatePriorityClassUpdate, validatePriorityLevel, validateRole, validateStorageClass, validateStorageClassUpdate } from "./validate-policies.js";
import { validatePod, validatePodUpdate } from "./validate-pod.js";
import { validatePodTemplate } from "./validate-pod-spec.js";
import { validateCronJob, validateCronJobUpdate } from "./validate-cron-jobs.js";
import { validateWebhooks, validateWebhooksUpdate } from "./validate-webhooks.js";
import { validateDaemonSet, validateDaemonSetUpdate, validateDeployment, validateDeploymentStatus, validateDeploymentUpdate, validateJob, validateJobUpdate, validateReplicaSet, validateReplicaSetUpdate, validateReplicationController, validateStatefulSet, validateStatefulSetUpdate } from "./validate-workloads.js";

/** The rules of one kind; the parameters' types are the table's business. */
export interface Validation {
  /** Errors of a new object, and of a changed one unless `update` is given. */
  readonly create: (object: never) => FieldError[];
  /** Errors of a changed object. */
  readonly update?: (object: never, old: never) => FieldError[];
  /** Whether these rules name every text that must be one of a few; the schema is not asked for them then. */
  readonly enums?: true;
  /** Errors of a change through the status subresource. */
  readonly status?: (object: never) => FieldError[];
}

const webhooks: Validation = { create: validateWebhooks, update: validateWebhooksUpdate, enums: true };

/** Hand-written rules by resource. */
export const validations: Readonly<Record<string, Validation>> = {
  "/pods": { create: validatePod, update: validatePodUpdate },
  "/podtemplates": { create: ({ template }: { template?: object }) => validatePodTemplate(template ?? {}, "template") },
  "/replicationcontrollers": { create: validateReplicationController },
  "/services": { create: validateService, update: validateServiceUpdate },
  "/configmaps": { create: validateConfigMap, update: validateConfigMapUpdate },
  "/secrets": { create: validateSecret, update: validateSecretUpdate },
  "/persistentvolumeclaims": { create: validateClaim, update: validateClaimUpdate },
  "/persistentvolumes": { create: validateVolume, update: validateVolumeUpdate },
  "/nodes": { create: validateNode, update: validateNodeUpdate },
  "/namespaces": { create: validateNamespace },
  "/resourcequotas": { create: validateQuota },
  "/events": { create: validateEvent },
  "events.k8s.io/events": { create: validateNewEvent, update: validateNewEventUpdate },
  "apps/deployments": { create: validateDeployment, update: validateDeploymentUpdate, status: validateDeploymentStatus },
  "apps/replicasets": { create: validateReplicaSet, update: validateReplicaSetUpdate },
  "apps/statefulsets": { create: validateStatefulSet, update: validateStatefulSetUpdate },
  "apps/daemonsets": { create: validateDaemonSet, update: validateDaemonSetUpdate },
  "batch/jobs": { create: validateJob, update: validateJobUpdate },
  "batch/cronjobs": { create: validateCronJob, update: validateCronJobUpdate },
  "autoscaling/horizontalpodautoscalers": { create: validateAutoscaler },
  "policy/poddisruptionbudgets": { create: validateBudget },
  "networking.k8s.io/ingresses": { create: validateIngress },
  "networking.k8s.io/networkpolicies": { create: validateNetworkPolicy, update: validateNetworkPolicyUpdate },
  "networking.k8s.io/ipaddresses": { create: validateAddress, update: validateAddressUpdate },
  "networking.k8s.io/servicecidrs": { create: validateServiceRange, update: validateServiceRangeUpdate },
  "discovery.k8s.io/endpointslices": { create: validateEndpointSlice, update: validateEndpointSliceUpdate },
  "coordination.k8s.io/leases": { create: validateLease },
  "rbac.authorization.k8s.io/roles": { create: validateRole(true) },
  "rbac.authorization.k8s.io/clusterroles": { create: validateRole(false) },
  "rbac.authorization.k8s.io/rolebindings": { create: validateBinding(true), update: validateBindingUpdate(true) },
  "rbac.authorization.k8s.io/clusterrolebindings": { create: validateBinding(false), update: validateBindingUpdate(false) },
  "scheduling.k8s.io/priorityclasses": { create: validatePriorityClass, update: validatePriorityClassUpdate },
  "storage.k8s.io/storageclasses": { create: validateStorageClass, update: validateStorageClassUpdate },
  "flowcontrol.apiserver.k8s.io/flowschemas": { create: validateFlowSchema },
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": { create: validatePriorityLevel },
  "admissionregistration.k8s.io/validatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/validatingadmissionpolicies": { create: validateValidatingPolicy, update: validateValidatingPolicyUpdate, enums: true },
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": { create: validateValidatingPolicyBinding, enums: true },
  "admissionregistration.k8s.io/mutatingadmissionpolicies": { create: validateMutatingPolicy, update: validateMutatingPolicyUpdate, enums: true },
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": { create: validateMutatingPolicyBinding, enums: true },
};
