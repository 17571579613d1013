import { controllerRevision } from "./apps/controller-revision.js";
import { daemonSet } from "./apps/daemon-set.js";
import { deployment } from "./apps/deployment.js";
import { replicaSet } from "./apps/replica-set.js";
import { statefulSet } from "./apps/stateful-set.js";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.js";
import { cronJob } from "./batch/cron-job.js";
import { job } from "./batch/job/job.js";
import { lease } from "./coordination/lease.js";
import { leaseCandidate } from "./coordination/lease-candidate.js";
import { componentStatus } from "./core/component-status.js";
import { configMap } from "./core/configmap.js";
import { event } from "./core/event.js";
import { limitRange } from "./core/limit-range.js";
import { resourceQuota } from "./core/resource-quota.js";
import { secret } from "./core/secret.js";
import { serviceAccount } from "./core/service-account.js";
import { persistentVolume } from "./core/volume/persistent-volume.js";
import { persistentVolumeClaim } from "./core/volume/persistent-volume-claim.js";
import { adminDefaults } from "./defaults/admission-defaults.js";
import { coreDefaults } from "./defaults/core-defaults.js";
import { networkDefaults } from "./defaults/network-defaults.js";
import { policyDefaults } from "./defaults/policy-defaults.js";
import { storageDefaults } from "./defaults/storage-defaults.js";
import { newEvent } from "./events/event.js";
import type { KindDefinition } from "./shared/kind-definition.js";
import type { StructHooks } from "./shared/walk-structs.js";

const definitions: readonly KindDefinition[] = [
  ...[controllerRevision, daemonSet, deployment, replicaSet, statefulSet],
  ...[horizontalPodAutoscaler],
  ...[cronJob, job],
  ...[lease, leaseCandidate],
  componentStatus,
  configMap,
  event,
  limitRange,
  persistentVolume,
  persistentVolumeClaim,
  resourceQuota,
  secret,
  serviceAccount,
  newEvent,
];

/** Definitions of the built-in kinds by `group/plural`. A kind without one has nothing but its schema. */
export const builtinKinds: ReadonlyMap<string, KindDefinition> = new Map(
  definitions.map((definition) => [definition.resource, definition]),
);

/** Defaults of all kinds by the OpenAPI name of the struct that they belong to. Kinds that share a struct share its defaults. */
export const structDefaults: StructHooks = {
  ...coreDefaults,
  ...networkDefaults,
  ...policyDefaults,
  ...storageDefaults,
  ...adminDefaults,
  ...Object.fromEntries(definitions.flatMap(({ defaults = {} }) => Object.entries(defaults))),
};
