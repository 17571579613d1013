// Steps of random histories that change workloads in ways of their kinds.
import { Deployment, ReplicaSet } from "../../../../src/kinds/apps/v1.js";
import { CronJob, Job } from "../../../../src/kinds/batch/v1.js";
import { PersistentVolume } from "../../../../src/kinds/core/v1.js";
import { StorageClass } from "../../../../src/kinds/storage/v1.js";
import { undoRollout } from "../../../../src/operations/rollout.js";
import { act, patch, type ScenarioStep } from "../scenario.js";
import type { Choices, WorkloadKind } from "./workloads.js";

/** Returns the storage class of a history. */
export const classOf = (namespace: string): string => `now-${namespace}`;

const volumesOfHistory = 10;

/** Creates the storage class of a history and its volumes. */
export function createVolumes(): ScenarioStep {
  return act(
    "create volumes",
    async ({ client, namespace }) => {
      const labels = { scenario: namespace };
      await client.resource(StorageClass).create({
        metadata: { name: classOf(namespace), labels },
        provisioner: "kubernetes.io/no-provisioner",
        volumeBindingMode: "Immediate",
      });
      for (let index = 0; index < volumesOfHistory; index++)
        await client.resource(PersistentVolume).create({
          metadata: { name: `${namespace}-${String(index)}`, labels },
          spec: {
            capacity: { storage: "1Gi" },
            accessModes: ["ReadWriteOnce"],
            storageClassName: classOf(namespace),
            hostPath: { path: "/data" },
          },
        });
    },
    1_000,
  );
}

/** Restores the previous template of a Deployment. */
export const undo = (name: string): ScenarioStep =>
  act(`undo ${name}`, ({ client, namespace }) =>
    undoRollout(
      client.resource(Deployment).namespace(namespace),
      client.resource(ReplicaSet).namespace(namespace),
      name,
    ).catch(String),
  );

/** Deletes the ReplicaSets of a Deployment. */
export const deleteReplicaSets = (app: string): ScenarioStep =>
  act(`delete the ReplicaSets of ${app}`, ({ client, namespace }) =>
    client
      .resource(ReplicaSet)
      .namespace(namespace)
      .deleteCollection({ labelSelector: `app=${app}` }),
  );

/** Creates a Job of a CronJob, such as `kubectl create job --from`. */
export const triggerCronJob = (name: string, number: string): ScenarioStep =>
  act(
    `trigger ${name}`,
    async ({ client, namespace }) => {
      const { metadata, spec } = await client.resource(CronJob).namespace(namespace).get(name);
      const owner = { apiVersion: "batch/v1", kind: "CronJob", name, uid: metadata!.uid!, controller: true };
      await client
        .resource(Job)
        .namespace(namespace)
        .create({
          metadata: {
            name: `manual-${number}`,
            labels: spec!.jobTemplate.metadata?.labels,
            annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
            ownerReferences: [owner],
          },
          spec: spec!.jobTemplate.spec,
        } as Job);
    },
    14_000,
  );

/** Changes a field that only some kinds have. */
export function changeSettings(choices: Choices, { kind, app }: { kind: WorkloadKind; app: string }): ScenarioStep[] {
  const change = (spec: object, waitMs?: number): ScenarioStep[] => [patch(kind, app, { spec }, waitMs)];
  switch (kind) {
    case "Deployment":
      return change(
        choices.pick([
          { revisionHistoryLimit: 0 },
          { minReadySeconds: 3 },
          { strategy: { type: "Recreate", rollingUpdate: null } },
          { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "100%" } } },
          { template: { metadata: { annotations: { changed: String(choices.below(3)) } } } },
        ]),
      );
    case "StatefulSet":
      return change(
        choices.pick<object>([
          { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: choices.below(3) } } },
          { updateStrategy: { type: "OnDelete", rollingUpdate: null } },
          { ordinals: { start: choices.below(3) } },
          { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" } },
          { revisionHistoryLimit: choices.below(2) },
          { minReadySeconds: 3 },
        ]),
        12_000,
      );
    case "DaemonSet":
      return change(
        choices.pick<object>([
          { updateStrategy: { type: "OnDelete", rollingUpdate: null } },
          { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } } },
          { template: { metadata: { annotations: { changed: String(choices.below(3)) } } } },
          { template: { spec: { nodeSelector: { pool: "nowhere" } } } },
        ]),
        9_000,
      );
    case "ReplicaSet":
    case "ReplicationController":
      return change({ minReadySeconds: choices.below(4) });
    case "Job":
      return change(
        choices.pick<object>([
          { parallelism: choices.below(4) },
          { suspend: choices.chance(0.5) },
          { activeDeadlineSeconds: 30 },
          { ttlSecondsAfterFinished: 3 },
        ]),
        14_000,
      );
    case "CronJob":
      return change(choices.pick<object>([{ suspend: true }, { failedJobsHistoryLimit: 0 }]));
  }
}
