import type { ControllerToggles } from "../apiserver/controllers/controllers.js";
import type { Controller } from "../controller/reconcile/controller.js";
import { createHorizontalPodAutoscalerController } from "./controllers/autoscaling/horizontal-pod-autoscaler.js";
import { createCronJobController } from "./controllers/batch/cron-job/cron-job.js";
import { createJobController } from "./controllers/batch/job/job.js";
import { createTtlAfterFinishedController } from "./controllers/batch/ttl-after-finished.js";
import { createCertificateApprover } from "./controllers/certificates/approving.js";
import { createCertificateCleaner } from "./controllers/certificates/cleaning.js";
import { createCertificateSigningController } from "./controllers/certificates/signing.js";
import type { ClusterContext } from "./controllers/context.js";
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

/** The controllers of a cluster by name. */
export const allControllers: Readonly<Record<ControllerName, (context: ClusterContext) => Controller>> = {
  "certificatesigningrequest-approving": createCertificateApprover,
  "certificatesigningrequest-cleaner": createCertificateCleaner,
  "certificatesigningrequest-signing": createCertificateSigningController,
  "clusterrole-aggregation": createClusterRoleAggregation,
  cronjob: createCronJobController,
  daemonset: createDaemonSetController,
  deployment: createDeploymentController,
  disruption: createDisruptionController,
  endpoints: createEndpointsController,
  endpointslice: createEndpointSliceController,
  "endpointslice-mirroring": createEndpointSliceMirroringController,
  "ephemeral-volume": createEphemeralVolumeController,
  "garbage-collector": createGarbageCollector,
  "horizontal-pod-autoscaler": createHorizontalPodAutoscalerController,
  job: createJobController,
  namespace: createNamespaceController,
  "node-lifecycle": createNodeLifecycleController,
  "persistentvolume-binder": createVolumeBinder,
  "persistentvolume-expander": createVolumeExpander,
  "persistentvolume-lifecycle": createVolumeLifecycleController,
  "persistentvolumeclaim-protection": createClaimProtectionController,
  "pod-garbage-collector": createPodGarbageCollector,
  replicaset: createReplicaSetController,
  replicationcontroller: createReplicationControllerController,
  resourceclaim: createResourceClaimController,
  resourcequota: createResourceQuotaController,
  "root-ca-certificate-publisher": createRootCaPublisher,
  "service-cidr": createServiceCidrController,
  serviceaccount: createServiceAccountController,
  "serviceaccount-token": createAccountTokenController,
  statefulset: createStatefulSetController,
  "taint-eviction": createTaintEvictionController,
  "ttl-after-finished": createTtlAfterFinishedController,
  "volumeattributesclass-protection": createAttributesClassProtectionController,
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
