import type { Controller } from "../controller/reconcile/controller.js";
import { createHorizontalPodAutoscalerController } from "./controllers/autoscaling/horizontal-pod-autoscaler.js";
import { createCronJobController } from "./controllers/batch/cron-job/cron-job.js";
import { createJobController } from "./controllers/batch/job/job.js";
import { createTtlAfterFinishedController } from "./controllers/batch/ttl-after-finished.js";
import type { ClusterContext } from "./controllers/context.js";
import { createEndpointSliceController } from "./controllers/network/endpoint-slice.js";
import { createNodeLifecycleController } from "./controllers/nodes/node-lifecycle.js";
import { createPodGarbageCollector } from "./controllers/nodes/pod-garbage-collector.js";
import { createTaintEvictionController } from "./controllers/nodes/taint-eviction.js";
import { createClusterRoleAggregation } from "./controllers/policy/cluster-role-aggregation.js";
import { createDisruptionController } from "./controllers/policy/disruption.js";
import { createClaimProtectionController } from "./controllers/volumes/claim-protection.js";
import { createEphemeralVolumeController } from "./controllers/volumes/ephemeral-volume.js";
import { createVolumeBinder } from "./controllers/volumes/volume-binder.js";
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
  | "clusterrole-aggregation"
  | "cronjob"
  | "daemonset"
  | "deployment"
  | "disruption"
  | "endpointslice"
  | "ephemeral-volume"
  | "horizontal-pod-autoscaler"
  | "job"
  | "node-lifecycle"
  | "persistentvolume-binder"
  | "persistentvolume-lifecycle"
  | "persistentvolumeclaim-protection"
  | "pod-garbage-collector"
  | "replicaset"
  | "replicationcontroller"
  | "statefulset"
  | "taint-eviction"
  | "ttl-after-finished";

/** The controllers of a cluster by name. */
export const allControllers: Readonly<Record<ControllerName, (context: ClusterContext) => Controller>> = {
  "clusterrole-aggregation": createClusterRoleAggregation,
  cronjob: createCronJobController,
  daemonset: createDaemonSetController,
  deployment: createDeploymentController,
  disruption: createDisruptionController,
  endpointslice: createEndpointSliceController,
  "ephemeral-volume": createEphemeralVolumeController,
  "horizontal-pod-autoscaler": createHorizontalPodAutoscalerController,
  job: createJobController,
  "node-lifecycle": createNodeLifecycleController,
  "persistentvolume-binder": createVolumeBinder,
  "persistentvolume-lifecycle": createVolumeLifecycleController,
  "persistentvolumeclaim-protection": createClaimProtectionController,
  "pod-garbage-collector": createPodGarbageCollector,
  replicaset: createReplicaSetController,
  replicationcontroller: createReplicationControllerController,
  statefulset: createStatefulSetController,
  "taint-eviction": createTaintEvictionController,
  "ttl-after-finished": createTtlAfterFinishedController,
};
