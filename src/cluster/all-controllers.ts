import type { ControllerToggles } from "../apiserver/controllers/controllers.js";
import type { Controller } from "../controller/reconcile/controller.js";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../kinds/apps/v1.js";
import { HorizontalPodAutoscaler } from "../kinds/autoscaling/v2.js";
import { CronJob, Job } from "../kinds/batch/v1.js";
import { CertificateSigningRequest } from "../kinds/certificates/v1.js";
import {
  Endpoints,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from "../kinds/core/v1.js";
import { EndpointSlice } from "../kinds/discovery/v1.js";
import { ServiceCIDR } from "../kinds/networking/v1.js";
import { PodDisruptionBudget } from "../kinds/policy/v1.js";
import { ClusterRole } from "../kinds/rbac/v1.js";
import { ResourceClaim } from "../kinds/resource/v1.js";
import { VolumeAttributesClass } from "../kinds/storage/v1.js";
import type { Kind } from "../meta/kind.js";
import { createHorizontalPodAutoscalerController } from "./controllers/autoscaling/horizontal-pod-autoscaler.js";
import { createCronJobController } from "./controllers/batch/cron-job/cron-job.js";
import { createJobController } from "./controllers/batch/job/job.js";
import { createTtlAfterFinishedController } from "./controllers/batch/ttl-after-finished.js";
import { createCertificateApprover } from "./controllers/certificates/approving.js";
import { createCertificateCleaner } from "./controllers/certificates/cleaning.js";
import { createCertificateSigningController } from "./controllers/certificates/signing.js";
import type { ClusterContext } from "./controllers/context.js";
import { createDeviceTaintEvictionController } from "./controllers/devices/device-taint-eviction.js";
import { createResourceClaimController } from "./controllers/devices/resource-claim.js";
import { createGarbageCollector } from "./controllers/garbage/garbage-collector.js";
import { createAccountTokenController } from "./controllers/namespaces/account-tokens.js";
import { createRootCaPublisher, createServiceAccountController } from "./controllers/namespaces/namespace-contents.js";
import { createNamespaceController } from "./controllers/namespaces/namespace-deletion.js";
import { createEndpointSliceController } from "./controllers/network/endpoint-slice.js";
import { createEndpointSliceMirroringController } from "./controllers/network/endpoint-slice-mirroring.js";
import { createEndpointsController } from "./controllers/network/endpoints.js";
import { createServiceCidrController } from "./controllers/network/service-cidr.js";
import { createNodeLifecycleController } from "./controllers/nodes/node-lifecycle.js";
import { createPodGarbageCollector } from "./controllers/nodes/pod-garbage-collector.js";
import { createTaintEvictionController } from "./controllers/nodes/taint-eviction.js";
import { createClusterRoleAggregation } from "./controllers/policy/cluster-role-aggregation.js";
import { createDisruptionController } from "./controllers/policy/disruption.js";
import { createResourceQuotaController } from "./controllers/policy/resource-quota.js";
import { createAttachDetachController } from "./controllers/volumes/attach-detach.js";
import { createAttributesClassProtectionController } from "./controllers/volumes/attributes-class-protection.js";
import { createClaimProtectionController } from "./controllers/volumes/claim-protection.js";
import { createEphemeralVolumeController } from "./controllers/volumes/ephemeral-volume.js";
import { createVolumeBinder } from "./controllers/volumes/volume-binder.js";
import { createVolumeExpander } from "./controllers/volumes/volume-expander.js";
import { createVolumeLifecycleController } from "./controllers/volumes/volume-lifecycle.js";
import { createDaemonSetController } from "./controllers/workloads/daemon-set/daemon-set.js";
import { createDeploymentController } from "./controllers/workloads/deployment/deployment.js";
import {
  createReplicaSetController,
  createReplicationControllerController,
} from "./controllers/workloads/replica-set.js";
import { createStatefulSetController } from "./controllers/workloads/stateful-set/stateful-set.js";

/** Name of a controller of a cluster, as in kube-controller-manager without the suffix `-controller`. */
export type ControllerName =
  | "certificatesigningrequest-approving"
  | "certificatesigningrequest-cleaner"
  | "certificatesigningrequest-signing"
  | "clusterrole-aggregation"
  | "cronjob"
  | "daemonset"
  | "deployment"
  | "device-taint-eviction"
  | "disruption"
  | "endpoints"
  | "endpointslice"
  | "endpointslice-mirroring"
  | "ephemeral-volume"
  | "garbage-collector"
  | "horizontal-pod-autoscaler"
  | "job"
  | "namespace"
  | "node-lifecycle"
  | "persistentvolume-attach-detach"
  | "persistentvolume-binder"
  | "persistentvolume-expander"
  | "persistentvolume-lifecycle"
  | "persistentvolumeclaim-protection"
  | "pod-garbage-collector"
  | "replicaset"
  | "replicationcontroller"
  | "resourceclaim"
  | "resourcequota"
  | "root-ca-certificate-publisher"
  | "service-cidr"
  | "serviceaccount"
  | "serviceaccount-token"
  | "statefulset"
  | "taint-eviction"
  | "ttl-after-finished"
  | "volumeattributesclass-protection";

/** A controller of a cluster. */
export interface ControllerEntry {
  /** Kinds of objects without which it has nothing to do. Default: any object may be work for it. */
  readonly actsOn?: readonly Kind[] | undefined;
  readonly create: (context: ClusterContext) => Controller;
}

/** The controllers of a cluster by name. */
export const allControllers: Readonly<Record<ControllerName, ControllerEntry>> = {
  "certificatesigningrequest-approving": { actsOn: [CertificateSigningRequest], create: createCertificateApprover },
  "certificatesigningrequest-cleaner": { actsOn: [CertificateSigningRequest], create: createCertificateCleaner },
  "certificatesigningrequest-signing": {
    actsOn: [CertificateSigningRequest],
    create: createCertificateSigningController,
  },
  "clusterrole-aggregation": { actsOn: [ClusterRole], create: createClusterRoleAggregation },
  cronjob: { actsOn: [CronJob], create: createCronJobController },
  daemonset: { actsOn: [DaemonSet], create: createDaemonSetController },
  deployment: { actsOn: [Deployment], create: createDeploymentController },
  "device-taint-eviction": { actsOn: [ResourceClaim], create: createDeviceTaintEvictionController },
  disruption: { actsOn: [PodDisruptionBudget, Pod], create: createDisruptionController },
  endpoints: { actsOn: [Service, Endpoints], create: createEndpointsController },
  endpointslice: { actsOn: [Service, EndpointSlice], create: createEndpointSliceController },
  "endpointslice-mirroring": { actsOn: [Endpoints, EndpointSlice], create: createEndpointSliceMirroringController },
  "ephemeral-volume": { actsOn: [Pod], create: createEphemeralVolumeController },
  "garbage-collector": { create: createGarbageCollector },
  "horizontal-pod-autoscaler": { actsOn: [HorizontalPodAutoscaler], create: createHorizontalPodAutoscalerController },
  job: { actsOn: [Job], create: createJobController },
  namespace: { actsOn: [Namespace], create: createNamespaceController },
  "node-lifecycle": { actsOn: [Node], create: createNodeLifecycleController },
  "persistentvolume-attach-detach": { actsOn: [PersistentVolume], create: createAttachDetachController },
  "persistentvolume-binder": { actsOn: [PersistentVolumeClaim, PersistentVolume], create: createVolumeBinder },
  "persistentvolume-expander": { actsOn: [PersistentVolumeClaim], create: createVolumeExpander },
  "persistentvolume-lifecycle": { actsOn: [PersistentVolume], create: createVolumeLifecycleController },
  "persistentvolumeclaim-protection": { actsOn: [PersistentVolumeClaim], create: createClaimProtectionController },
  "pod-garbage-collector": { actsOn: [Pod], create: createPodGarbageCollector },
  replicaset: { actsOn: [ReplicaSet], create: createReplicaSetController },
  replicationcontroller: { actsOn: [ReplicationController], create: createReplicationControllerController },
  resourceclaim: { actsOn: [Pod, ResourceClaim], create: createResourceClaimController },
  resourcequota: { actsOn: [ResourceQuota], create: createResourceQuotaController },
  "root-ca-certificate-publisher": { actsOn: [Namespace], create: createRootCaPublisher },
  "service-cidr": { actsOn: [ServiceCIDR], create: createServiceCidrController },
  serviceaccount: { actsOn: [Namespace], create: createServiceAccountController },
  "serviceaccount-token": { actsOn: [Secret], create: createAccountTokenController },
  statefulset: { actsOn: [StatefulSet], create: createStatefulSetController },
  "taint-eviction": { actsOn: [Pod], create: createTaintEvictionController },
  "ttl-after-finished": { actsOn: [Job], create: createTtlAfterFinishedController },
  "volumeattributesclass-protection": {
    actsOn: [VolumeAttributesClass],
    create: createAttributesClassProtectionController,
  },
};

/** Controllers that the embedded API server contains, with its switches for them. */
export const serverControllers: Readonly<Partial<Record<ControllerName, keyof ControllerToggles>>> = {
  "garbage-collector": "garbageCollection",
  namespace: "namespaceLifecycle",
  "root-ca-certificate-publisher": "rootCaConfigMap",
  serviceaccount: "defaultServiceAccount",
};

/** Controllers that run next to the embedded API server. */
export const defaultControllers: readonly ControllerName[] = (Object.keys(allControllers) as ControllerName[]).filter(
  (name) => serverControllers[name] === undefined,
);
