// Random workloads of every kind, as fields of objects.
import { type onNodesOf, readiness, template } from "../scenario.js";

/** Source of a history's choices. */
export interface Choices {
  /** Returns true with a probability. */
  chance(probability: number): boolean;
  /** Returns one of some values. */
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
  /** Returns an integer from 0 up to a limit, without it. */
  below(limit: number): number;
}

/** Creates choices from numbers in [0, 1). */
export function createChoices(random: () => number): Choices {
  const below = (limit: number): number => Math.floor(random() * limit);
  return { below, chance: (probability) => random() < probability, pick: (list) => list[below(list.length)]! };
}

type Place = ReturnType<typeof onNodesOf>;

/** Kinds of workloads that histories create. */
export const workloadKinds = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "ReplicaSet",
  "ReplicationController",
  "Job",
  "CronJob",
] as const;

/** Kind of a workload. */
export type WorkloadKind = (typeof workloadKinds)[number];

/** Kinds with `spec.replicas`. */
export const scalable: readonly WorkloadKind[] = ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"];

/** Kinds whose template can change. */
export const updatable: readonly WorkloadKind[] = [...scalable, "DaemonSet"];

/** Returns the fields of a random workload, whose pods have a label `app`. */
export function randomWorkload(
  choices: Choices,
  kind: WorkloadKind,
  app: string,
  { place, storageClassName }: { place: Place; storageClassName: string },
): object {
  const pods = (spec: object = {}): object =>
    template(app, `${app}:1`, { ...place, terminationGracePeriodSeconds: 1, ...spec }, readiness);
  const selector = { matchLabels: { app } };
  const replicas = choices.below(5);
  const minReady = choices.chance(0.2) ? { minReadySeconds: 3 } : {};
  switch (kind) {
    case "Deployment":
      return { spec: { replicas, selector, template: pods(), ...minReady, ...deploymentStrategy(choices) } };
    case "StatefulSet":
      return {
        spec: {
          replicas,
          selector,
          serviceName: app,
          template: pods(),
          ...minReady,
          ...statefulOptions(choices, storageClassName),
        },
      };
    case "DaemonSet":
      return { spec: { selector, template: pods(), ...minReady, ...daemonStrategy(choices) } };
    case "ReplicaSet":
      return { spec: { replicas, selector, template: pods(), ...minReady } };
    case "ReplicationController":
      return { spec: { replicas, selector: { app }, template: pods(), ...minReady } };
    case "Job":
      return { spec: jobSpec(choices, app, place) };
    case "CronJob":
      return {
        spec: {
          // No Job starts by itself, so that nothing depends on the minute.
          schedule: "0 0 29 2 *",
          suspend: choices.chance(0.5),
          concurrencyPolicy: choices.pick(["Allow", "Forbid", "Replace"]),
          successfulJobsHistoryLimit: choices.below(2),
          failedJobsHistoryLimit: choices.below(2),
          jobTemplate: { metadata: { labels: { app } }, spec: jobSpec(choices, app, place) },
        },
      };
  }
}

function deploymentStrategy(choices: Choices): object {
  const history = choices.chance(0.3) ? { revisionHistoryLimit: choices.below(2) } : {};
  if (choices.chance(0.2)) return { ...history, strategy: { type: "Recreate" } };
  if (choices.chance(0.4)) return history;
  const [maxSurge, maxUnavailable] = choices.pick([
    [0, 1],
    [1, 0],
    ["50%", "50%"],
    [2, "30%"],
    ["100%", 0],
  ] as const);
  return { ...history, strategy: { rollingUpdate: { maxSurge, maxUnavailable } } };
}

function statefulOptions(choices: Choices, storageClassName: string): object {
  const claims = {
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        // Volumes of this class exist in advance, because nothing provisions them on the real side.
        spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    ...(choices.chance(0.6) && {
      persistentVolumeClaimRetentionPolicy: {
        whenScaled: choices.pick(["Retain", "Delete"]),
        whenDeleted: choices.pick(["Retain", "Delete"]),
      },
    }),
  };
  return {
    ...(choices.chance(0.4) && { podManagementPolicy: "Parallel" }),
    ...(choices.chance(0.3) && { ordinals: { start: 1 + choices.below(3) } }),
    ...(choices.chance(0.3) && claims),
    ...(choices.chance(0.4) && {
      updateStrategy: choices.pick([
        { type: "OnDelete" },
        { rollingUpdate: { partition: 1 } },
        { rollingUpdate: { partition: 2 } },
        { rollingUpdate: { maxUnavailable: 2 } },
      ]),
    }),
  };
}

function daemonStrategy(choices: Choices): object {
  if (choices.chance(0.4)) return {};
  return {
    updateStrategy: choices.pick([
      { type: "OnDelete" },
      { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      { rollingUpdate: { maxUnavailable: "100%" } },
      { rollingUpdate: { maxUnavailable: 2 } },
    ]),
  };
}

/** Returns the spec of a Job that ends by itself or runs on. */
function jobSpec(choices: Choices, app: string, place: Place): object {
  const completions = 1 + choices.below(4);
  const indexed = choices.chance(0.5);
  const image = choices.pick(["exit-0:1", "exit-0:1", "exit-1:1", "exit-3:1", "exit-at:1", "stay:1"]);
  const perIndex = indexed && choices.chance(0.4);
  const successRule = choices.pick([{ succeededCount: 1 }, { succeededIndexes: "0" }]);
  const successPolicy = indexed && choices.chance(0.3) ? { rules: [successRule] } : undefined;
  // What becomes of pods that end within the second in which another one decides depends on the pace.
  const isDecidedByOne = successPolicy !== undefined || !["exit-0:1", "stay:1"].includes(image);
  return {
    completions,
    parallelism: isDecidedByOne ? choices.below(2) : choices.below(4),
    ...(indexed && { completionMode: "Indexed" }),
    backoffLimit: choices.below(2),
    ...(perIndex && { backoffLimit: undefined, backoffLimitPerIndex: 0 }),
    ...(perIndex && choices.chance(0.5) && { maxFailedIndexes: choices.below(2) }),
    successPolicy,
    ...(choices.chance(0.3) && {
      podFailurePolicy: {
        rules: [
          {
            action: choices.pick(perIndex ? ["FailJob", "Ignore", "FailIndex"] : ["FailJob", "Count"]),
            onExitCodes: { operator: "In", values: [3] },
          },
        ],
      },
    }),
    ...(choices.chance(0.2) && { suspend: true }),
    ...(choices.chance(0.2) && { ttlSecondsAfterFinished: 2 }),
    ...(choices.chance(0.2) && { podReplacementPolicy: "Failed" }),
    template: {
      metadata: { labels: { app } },
      spec: {
        ...place,
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image, args: image.startsWith("exit-at") ? ["1"] : [] }],
      },
    },
  };
}
