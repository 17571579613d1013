import type { LazyModule } from "../../internal/lazy-module.js";
import { lazyModule } from "../../internal/lazy-module.js";
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
import { lazyRules } from "./lazy-rules.js";
import { ingress } from "./networking/ingress.js";
import { ingressClass } from "./networking/ingress-class.js";
import { ipAddress } from "./networking/ip-address.js";
import { networkPolicy } from "./networking/network-policy.js";
import { serviceCidr } from "./networking/service-cidr.js";
import { runtimeClass } from "./node/runtime-class.js";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.js";
import { clusterRoleBinding, roleBinding } from "./rbac/role-bindings.js";
import { clusterRole, role } from "./rbac/roles.js";
import { priorityClass } from "./scheduling/priority-class.js";
import type { KindDefinition, ServingRules } from "./shared/kind-definition.js";
import type { StructHooks } from "./shared/walk-structs.js";
import { csiDriver } from "./storage/csi-driver.js";
import { csiNode } from "./storage/csi-node.js";
import { csiStorageCapacity } from "./storage/csi-storage-capacity.js";
import { storageClass } from "./storage/storage-class.js";
import { volumeAttachment } from "./storage/volume-attachment.js";
import { volumeAttributesClass } from "./storage/volume-attributes-class.js";

/** Definitions of the groups that are loaded at once. */
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
];

/** Definitions of groups that are loaded with the first request for them, because they need CEL. */
const lazyGroups: Readonly<Record<string, LazyModule<{ readonly definitions: readonly KindDefinition[] }>>> = {
  "admissionregistration.k8s.io": lazyModule(() => import("./admissionregistration/definitions.js")),
  "apiextensions.k8s.io": lazyModule(() => import("./apiextensions/definitions.js")),
  "resource.k8s.io": lazyModule(() => import("./resource/definitions.js")),
};

function lazyGroup(group: string): (typeof lazyGroups)[string] | undefined {
  return Object.hasOwn(lazyGroups, group) ? lazyGroups[group] : undefined;
}

const eagerKinds = byResource(definitions);
const lazyKinds = new Map<string, ReadonlyMap<string, KindDefinition>>();

function byResource(kinds: readonly KindDefinition[]): ReadonlyMap<string, KindDefinition> {
  return new Map(kinds.map((definition) => [definition.resource, definition]));
}

/** Loads the definitions of a group. Returns `undefined` if they are loaded. */
export function loadKinds(group: string): Promise<void> | undefined {
  return lazyGroup(group)?.load();
}

/**
 * Returns the definition of a built-in kind, if it has one; others have only their schema. Throws an error if the group
 * isn't loaded.
 */
export function kindDefinition(group: string, resource: string): KindDefinition | undefined {
  const lazy = lazyGroup(group);
  if (lazy === undefined) return eagerKinds.get(`${group}/${resource}`);
  let kinds = lazyKinds.get(group);
  if (kinds === undefined) {
    kinds = byResource(lazy.get().definitions);
    lazyKinds.set(group, kinds);
  }
  return kinds.get(`${group}/${resource}`);
}

/** Returns what the server must know of a built-in kind to serve it before its definition is loaded. */
export function servingRules(group: string, resource: string): ServingRules {
  const name = `${group}/${resource}`;
  return (Object.hasOwn(lazyRules, name) ? lazyRules[name] : eagerKinds.get(name)) ?? {};
}

const eagerDefaults = defaultsOf(definitions);

/**
 * Returns the defaults for the structs in the kinds of a group, by the OpenAPI name of the struct. Kinds that share a
 * struct share its defaults.
 */
export function structDefaults(group: string): StructHooks {
  const lazy = lazyGroup(group);
  return lazy === undefined ? eagerDefaults : { ...eagerDefaults, ...defaultsOf(lazy.get().definitions) };
}

function defaultsOf(kinds: readonly KindDefinition[]): StructHooks {
  return Object.fromEntries(kinds.flatMap(({ defaults = {} }) => Object.entries(defaults)));
}
