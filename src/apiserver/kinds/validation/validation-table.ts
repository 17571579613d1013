import type { FieldError } from "../../errors/field-error.js";
import { validatePod, validatePodUpdate } from "../core/pod/pod-errors.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { validatePodStatus } from "../core/pod/pod-status-errors.js";
import { statusCounts } from "../core/pod/workload-status.js";
import { validateReplicationController } from "../core/replication-controller.js";
import { validateService, validateServiceStatus, validateServiceUpdate } from "../core/service/service-errors.js";
import { conditionsErrors } from "../shared/selectors.js";
import type { StrategyContext } from "../strategy.js";
import {
  validateAddress,
  validateAddressUpdate,
  validateServiceRange,
  validateServiceRangeUpdate,
} from "./validate-addresses.js";
import {
  validateMutatingPolicy,
  validateMutatingPolicyBinding,
  validateMutatingPolicyUpdate,
  validateValidatingPolicy,
  validateValidatingPolicyBinding,
  validateValidatingPolicyStatus,
  validateValidatingPolicyUpdate,
} from "./validate-admission-policies.js";
import { validateSigningRequest, validateSigningRequestUpdate } from "./validate-certificates.js";
import { validateClaimStatusUpdate } from "./validate-claim-status.js";
import {
  validateClaimTemplate,
  validateClaimTemplateUpdate,
  validateDeviceClass,
  validateResourceClaim,
  validateResourceClaimUpdate,
} from "./validate-device-claims.js";
import {
  validatePoolAnswer,
  validatePoolRequest,
  validatePoolRequestUpdate,
  validateTaintRule,
  validateTaintRuleUpdate,
} from "./validate-device-rules.js";
import {
  validateEndpointSlice,
  validateEndpointSliceUpdate,
  validateEndpoints,
  validateEndpointsUpdate,
} from "./validate-endpoints.js";
import { validateFlowSchema, validateFlowStatus, validatePriorityLevel } from "./validate-flow-control.js";
import {
  validateIngress,
  validateIngressClass,
  validateIngressClassUpdate,
  validateIngressStatus,
  validateIngressUpdate,
} from "./validate-ingress.js";
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from "./validate-network-policy.js";
import {
  validateNamespace,
  validateNamespaceStatus,
  validateNode,
  validateNodeStatus,
  validateNodeUpdate,
} from "./validate-nodes.js";
import {
  validateBinding,
  validateBindingUpdate,
  validateBudget,
  validateBudgetStatus,
  validateClusterRole,
  validatePriorityClass,
  validatePriorityClassUpdate,
  validateRole,
} from "./validate-policies.js";
import {
  validateApiService,
  validateApiServiceStatus,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from "./validate-registration.js";
import { validateResourceSlice, validateResourceSliceUpdate } from "./validate-resource-slices.js";
import {
  validateAttachment,
  validateAttachmentUpdate,
  validateAttributesClass,
  validateAttributesClassUpdate,
  validateCapacity,
  validateCapacityUpdate,
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
} from "./validate-storage.js";
import { validateStorageVersionStatus } from "./validate-storage-versions.js";
import { validateWebhooks, validateWebhooksUpdate } from "./validate-webhooks.js";
/** The rules of one kind; the parameters' types are the table's business. */
export interface Validation {
  /** Errors of a new object, and of a changed one unless `update` is given. */
  readonly create: (object: never, about?: StrategyContext) => FieldError[];
  /** Errors of a changed object. */
  readonly update?: (object: never, old: never) => FieldError[];
  /** Whether these rules name every text that must be one of a few; the schema is not asked for them then. */
  readonly enums?: true;
  /** Errors of a change through the status subresource. */
  readonly status?: (object: never, old: never, about?: StrategyContext) => FieldError[];
}

const webhooks: Validation = { create: validateWebhooks, update: validateWebhooksUpdate, enums: true };

/** Hand-written rules by resource. */
export const validations: Readonly<Record<string, Validation>> = {
  "/pods": { create: validatePod, update: validatePodUpdate, status: validatePodStatus },
  "/podtemplates": { create: ({ template }: { template?: object }) => validatePodTemplate(template ?? {}, "template") },
  "/replicationcontrollers": {
    create: validateReplicationController,
    status: statusCounts({
      counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
      partsOfReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      readyBeforeAvailable: true,
    }),
  },
  "/services": { create: validateService, update: validateServiceUpdate, status: validateServiceStatus },
  "/endpoints": { create: validateEndpoints, update: validateEndpointsUpdate },
  "/nodes": { create: validateNode, update: validateNodeUpdate, status: validateNodeStatus, enums: true },
  "/namespaces": { create: validateNamespace, update: () => [], status: validateNamespaceStatus },
  "policy/poddisruptionbudgets": { create: validateBudget, status: validateBudgetStatus },
  "networking.k8s.io/ingresses": {
    create: validateIngress,
    update: validateIngressUpdate,
    status: validateIngressStatus,
  },
  "networking.k8s.io/ingressclasses": { create: validateIngressClass, update: validateIngressClassUpdate },
  "networking.k8s.io/networkpolicies": { create: validateNetworkPolicy, update: validateNetworkPolicyUpdate },
  "networking.k8s.io/ipaddresses": { create: validateAddress, update: validateAddressUpdate },
  "networking.k8s.io/servicecidrs": { create: validateServiceRange, update: validateServiceRangeUpdate },
  "discovery.k8s.io/endpointslices": { create: validateEndpointSlice, update: validateEndpointSliceUpdate },
  "certificates.k8s.io/certificatesigningrequests": {
    create: validateSigningRequest,
    update: validateSigningRequestUpdate(""),
    status: validateSigningRequestUpdate("status"),
  },
  "node.k8s.io/runtimeclasses": { create: validateRuntimeClass, update: validateRuntimeClassUpdate },
  "apiregistration.k8s.io/apiservices": { create: validateApiService, status: validateApiServiceStatus },
  "rbac.authorization.k8s.io/roles": { create: validateRole(true) },
  "rbac.authorization.k8s.io/clusterroles": { create: validateClusterRole },
  "rbac.authorization.k8s.io/rolebindings": { create: validateBinding(true), update: validateBindingUpdate(true) },
  "rbac.authorization.k8s.io/clusterrolebindings": {
    create: validateBinding(false),
    update: validateBindingUpdate(false),
  },
  "scheduling.k8s.io/priorityclasses": { create: validatePriorityClass, update: validatePriorityClassUpdate },
  "storage.k8s.io/storageclasses": { create: validateStorageClass, update: validateStorageClassUpdate },
  "storage.k8s.io/csidrivers": { create: validateCsiDriver, update: validateCsiDriverUpdate },
  "storage.k8s.io/csinodes": { create: validateCsiNode, update: validateCsiNodeUpdate },
  "storage.k8s.io/csistoragecapacities": { create: validateCapacity, update: validateCapacityUpdate },
  "storage.k8s.io/volumeattachments": {
    create: validateAttachment,
    update: validateAttachmentUpdate,
    status: validateAttachmentUpdate,
  },
  "storage.k8s.io/volumeattributesclasses": { create: validateAttributesClass, update: validateAttributesClassUpdate },
  "flowcontrol.apiserver.k8s.io/flowschemas": { create: validateFlowSchema, status: validateFlowStatus, enums: true },
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {
    create: validatePriorityLevel,
    status: validateFlowStatus,
    enums: true,
  },
  "resource.k8s.io/deviceclasses": { create: validateDeviceClass, enums: true },
  "resource.k8s.io/resourceclaims": {
    create: validateResourceClaim,
    update: validateResourceClaimUpdate,
    status: validateClaimStatusUpdate,
    enums: true,
  },
  "resource.k8s.io/resourceclaimtemplates": {
    create: validateClaimTemplate,
    update: validateClaimTemplateUpdate,
    enums: true,
  },
  "resource.k8s.io/resourceslices": { create: validateResourceSlice, update: validateResourceSliceUpdate, enums: true },
  "resource.k8s.io/devicetaintrules": {
    create: validateTaintRule,
    update: validateTaintRuleUpdate,
    status: ({ status }: { status?: { conditions?: Parameters<typeof conditionsErrors>[0] } }) =>
      conditionsErrors(status?.conditions ?? [], "status.conditions"),
    enums: true,
  },
  "resource.k8s.io/resourcepoolstatusrequests": {
    create: validatePoolRequest,
    update: validatePoolRequestUpdate,
    status: validatePoolAnswer,
    enums: true,
  },
  "internal.apiserver.k8s.io/storageversions": { create: () => [], status: validateStorageVersionStatus },
  "admissionregistration.k8s.io/validatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/validatingadmissionpolicies": {
    create: validateValidatingPolicy,
    update: validateValidatingPolicyUpdate,
    status: validateValidatingPolicyStatus,
    enums: true,
  },
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": {
    create: validateValidatingPolicyBinding,
    enums: true,
  },
  "admissionregistration.k8s.io/mutatingadmissionpolicies": {
    create: validateMutatingPolicy,
    update: validateMutatingPolicyUpdate,
    enums: true,
  },
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": {
    create: validateMutatingPolicyBinding,
    enums: true,
  },
};
