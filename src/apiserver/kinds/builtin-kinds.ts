import { mutatingAdmissionPolicy } from "./admissionregistration/mutating-admission-policy.js";
import {
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
} from "./admissionregistration/policy-bindings.js";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy.js";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
} from "./admissionregistration/webhook-configurations.js";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.js";
import { apiService } from "./apiregistration/api-service.js";
import { controllerRevision } from "./apps/controller-revision.js";
import { daemonSet } from "./apps/daemon-set.js";
import { deployment } from "./apps/deployment.js";
import { replicaSet } from "./apps/replica-set.js";
import { statefulSet } from "./apps/stateful-set.js";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.js";
import { cronJob } from "./batch/cron-job.js";
import { job } from "./batch/job/job.js";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.js";
import { lease } from "./coordination/lease.js";
import { leaseCandidate } from "./coordination/lease-candidate.js";
import { componentStatus } from "./core/component-status.js";
import { configMap } from "./core/configmap.js";
import { endpoints } from "./core/endpoints.js";
import { event } from "./core/event.js";
import { limitRange } from "./core/limit-range.js";
import { namespace } from "./core/namespace.js";
import { node } from "./core/node.js";
import { pod } from "./core/pod/pod.js";
import { podTemplate } from "./core/pod-template.js";
import { replicationController } from "./core/replication-controller.js";
import { resourceQuota } from "./core/resource-quota.js";
import { secret } from "./core/secret.js";
import { service } from "./core/service/service.js";
import { serviceAccount } from "./core/service-account.js";
import { persistentVolume } from "./core/volume/persistent-volume.js";
import { persistentVolumeClaim } from "./core/volume/persistent-volume-claim.js";
import { endpointSlice } from "./discovery/endpoint-slice.js";
import { newEvent } from "./events/event.js";
import { flowSchema } from "./flowcontrol/flow-schema.js";
import { priorityLevel } from "./flowcontrol/priority-level.js";
import { storageVersion } from "./internal/storage-version.js";
import { ingress } from "./networking/ingress.js";
import { ingressClass } from "./networking/ingress-class.js";
import { ipAddress } from "./networking/ip-address.js";
import { networkPolicy } from "./networking/network-policy.js";
import { serviceCidr } from "./networking/service-cidr.js";
import { runtimeClass } from "./node/runtime-class.js";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.js";
import { clusterRoleBinding, roleBinding } from "./rbac/role-bindings.js";
import { clusterRole, role } from "./rbac/roles.js";
import { deviceClass } from "./resource/device-class.js";
import { deviceTaintRule } from "./resource/device-taint-rule.js";
import { resourceClaim, resourceClaimTemplate } from "./resource/resource-claim.js";
import { resourcePoolStatusRequest } from "./resource/resource-pool-status-request.js";
import { resourceSlice } from "./resource/resource-slice.js";
import { priorityClass } from "./scheduling/priority-class.js";
import type { KindDefinition } from "./shared/kind-definition.js";
import type { StructHooks } from "./shared/walk-structs.js";
import { csiDriver } from "./storage/csi-driver.js";
import { csiNode } from "./storage/csi-node.js";
import { csiStorageCapacity } from "./storage/csi-storage-capacity.js";
import { storageClass } from "./storage/storage-class.js";
import { volumeAttachment } from "./storage/volume-attachment.js";
import { volumeAttributesClass } from "./storage/volume-attributes-class.js";

const definitions: readonly KindDefinition[] = [
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  horizontalPodAutoscaler,
  cronJob,
  job,
  lease,
  leaseCandidate,
  componentStatus,
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolume,
  persistentVolumeClaim,
  pod,
  podTemplate,
  replicationController,
  resourceQuota,
  secret,
  service,
  serviceAccount,
  newEvent,
  storageClass,
  volumeAttributesClass,
  volumeAttachment,
  csiNode,
  csiDriver,
  csiStorageCapacity,
  podDisruptionBudget,
  role,
  clusterRole,
  roleBinding,
  clusterRoleBinding,
  priorityClass,
  runtimeClass,
  networkPolicy,
  ingress,
  ingressClass,
  ipAddress,
  serviceCidr,
  endpointSlice,
  certificateSigningRequest,
  storageVersion,
  apiService,
  flowSchema,
  priorityLevel,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  validatingAdmissionPolicy,
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
  customResourceDefinition,
  deviceClass,
  deviceTaintRule,
  resourceClaim,
  resourceClaimTemplate,
  resourcePoolStatusRequest,
  resourceSlice,
];

/** Definitions of the built-in kinds by `group/plural`. Kinds without one have only their schema. */
export const builtinKinds: ReadonlyMap<string, KindDefinition> = new Map(
  definitions.map((definition) => [definition.resource, definition]),
);

export function kindOf(group: string, resource: string): KindDefinition | undefined {
  return builtinKinds.get(`${group}/${resource}`);
}

/** Defaults of all kinds by the OpenAPI name of their struct. Kinds that share a struct share its defaults. */
export const structDefaults: StructHooks = Object.fromEntries(
  definitions.flatMap(({ defaults = {} }) => Object.entries(defaults)),
);
