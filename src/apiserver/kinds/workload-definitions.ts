import { controllerRevision } from "./apps/controller-revision.js";
import { daemonSet } from "./apps/daemon-set.js";
import { deployment } from "./apps/deployment.js";
import { replicaSet } from "./apps/replica-set.js";
import { statefulSet } from "./apps/stateful-set.js";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.js";
import { cronJob } from "./batch/cron-job.js";
import { job } from "./batch/job/job.js";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.js";
import { leaseCandidate } from "./coordination/lease-candidate.js";
import { limitRange } from "./core/limit-range.js";
import { node } from "./core/node.js";
import { pod } from "./core/pod/pod.js";
import { podTemplate } from "./core/pod-template.js";
import { replicationController } from "./core/replication-controller.js";
import { persistentVolume } from "./core/volume/persistent-volume.js";
import { persistentVolumeClaim } from "./core/volume/persistent-volume-claim.js";
import { ingress } from "./networking/ingress.js";
import { ingressClass } from "./networking/ingress-class.js";
import { networkPolicy } from "./networking/network-policy.js";
import { runtimeClass } from "./node/runtime-class.js";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.js";
import type { KindDefinition } from "./shared/kind-definition.js";
import { csiDriver } from "./storage/csi-driver.js";
import { csiNode } from "./storage/csi-node.js";
import { csiStorageCapacity } from "./storage/csi-storage-capacity.js";
import { storageClass } from "./storage/storage-class.js";
import { volumeAttachment } from "./storage/volume-attachment.js";
import { volumeAttributesClass } from "./storage/volume-attributes-class.js";

/** Definitions of pods, of the kinds that contain or concern them, and of other kinds that few tests use. */
export const definitions: readonly KindDefinition[] = [
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  horizontalPodAutoscaler,
  cronJob,
  job,
  leaseCandidate,
  limitRange,
  node,
  persistentVolume,
  persistentVolumeClaim,
  pod,
  podTemplate,
  replicationController,
  storageClass,
  volumeAttributesClass,
  volumeAttachment,
  csiNode,
  csiDriver,
  csiStorageCapacity,
  podDisruptionBudget,
  runtimeClass,
  networkPolicy,
  ingress,
  ingressClass,
  certificateSigningRequest,
];
