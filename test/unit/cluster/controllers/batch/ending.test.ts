// Rows from the tables of kube-controller-manager's Job controller: which of several reasons to end a Job counts.
import { describe, expect, it } from "vitest";
import { findEnding } from "../../../../../src/cluster/controllers/batch/job/ending.js";
import { tally } from "../../../../../src/cluster/controllers/batch/job/tally.js";
import type { Job, JobCondition, JobSpec } from "../../../../../src/kinds/batch/v1.js";
import type { Pod } from "../../../../../src/kinds/core/v1.js";
import { formatTime } from "../../../../../src/meta/time.js";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

interface Row {
  readonly title: string;
  readonly spec: Partial<JobSpec>;
  readonly conditions?: readonly Pick<JobCondition, "type" | "status" | "reason">[];
  /** Pods as `Failed:1`, with the number of earlier failures of the index. Their position is their index. */
  readonly pods: readonly (Phase | `${Phase}:${number}`)[];
  /** Restarts of the container of each pod. */
  readonly restarts?: readonly number[];
  readonly expected: string | undefined;
}

function makePod(text: string, index: number, restartCount: number): Pod {
  const [phase = "", failures = "0"] = text.split(":");
  const exitCode = phase === "Failed" ? 5 : 0;
  const ended = { terminated: { exitCode, finishedAt: formatTime(nowMs) } };
  return {
    metadata: {
      name: `job-${index}`,
      namespace: "default",
      uid: `uid-${index}`,
      finalizers: ["batch.kubernetes.io/job-tracking"],
      annotations: {
        "batch.kubernetes.io/job-completion-index": String(index),
        "batch.kubernetes.io/job-index-failure-count": failures,
      },
    },
    status: {
      phase: phase as Phase,
      containerStatuses: [
        {
          name: "main",
          image: "job:1",
          imageID: "",
          ready: phase === "Running",
          restartCount,
          state: phase === "Failed" || phase === "Succeeded" ? ended : {},
        },
      ],
    },
  };
}

const indexed = { completionMode: "Indexed", completions: 2, parallelism: 2 } as const;
const anyIndex = { rules: [{ succeededIndexes: "0,1", succeededCount: 1 }] };
const failOn5 = {
  rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [5] } }],
} as const;
const onFailure = { spec: { restartPolicy: "OnFailure" as const, containers: [] } };

const rows: readonly Row[] = [
  {
    title: "a failed index over a met success policy",
    spec: { ...indexed, backoffLimitPerIndex: 1, successPolicy: anyIndex },
    pods: ["Failed:1", "Succeeded"],
    expected: "FailureTarget FailedIndexes",
  },
  {
    title: "a met success policy while a failed index may be tried again",
    spec: { ...indexed, backoffLimitPerIndex: 1, successPolicy: anyIndex },
    pods: ["Failed", "Succeeded"],
    expected: "SuccessCriteriaMet SuccessPolicy",
  },
  {
    title: "an exceeded limit over a met success policy",
    spec: { ...indexed, backoffLimit: 0, successPolicy: anyIndex },
    pods: ["Failed", "Succeeded"],
    expected: "FailureTarget BackoffLimitExceeded",
  },
  {
    title: "the rule FailJob over a met success policy",
    spec: { ...indexed, backoffLimit: 6, successPolicy: anyIndex, podFailurePolicy: failOn5 as never },
    pods: ["Failed", "Succeeded"],
    expected: "FailureTarget PodFailurePolicy",
  },
  {
    title: "an earlier success over a later failure",
    spec: { ...indexed, backoffLimit: 0, successPolicy: anyIndex },
    conditions: [{ type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy" }],
    pods: ["Failed", "Running"],
    expected: "SuccessCriteriaMet SuccessPolicy",
  },
  {
    title: "an earlier failure over a later success",
    spec: { ...indexed, successPolicy: anyIndex },
    conditions: [{ type: "FailureTarget", status: "True", reason: "PodFailurePolicy" }],
    pods: ["Succeeded", "Running"],
    expected: "FailureTarget PodFailurePolicy",
  },
  {
    title: "nothing for conditions that are False",
    spec: indexed,
    conditions: [
      { type: "FailureTarget", status: "False", reason: "Manual" },
      { type: "SuccessCriteriaMet", status: "False", reason: "Manual" },
    ],
    pods: ["Running", "Running"],
    expected: undefined,
  },
  {
    title: "too many failed indexes over failed indexes",
    spec: { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
    pods: ["Failed", "Failed"],
    expected: "FailureTarget MaxFailedIndexesExceeded",
  },
  {
    title: "the limit over the deadline",
    spec: { completions: 1, backoffLimit: 0, activeDeadlineSeconds: 1 },
    pods: ["Failed"],
    expected: "FailureTarget BackoffLimitExceeded",
  },
  {
    title: "the deadline",
    spec: { completions: 1, activeDeadlineSeconds: 1 },
    pods: ["Running"],
    expected: "FailureTarget DeadlineExceeded",
  },
  {
    title: "no deadline of a suspended Job",
    spec: { completions: 1, activeDeadlineSeconds: 1, suspend: true },
    pods: [],
    expected: undefined,
  },
  {
    title: "enough successes",
    spec: { completions: 2 },
    pods: ["Succeeded", "Succeeded"],
    expected: "SuccessCriteriaMet CompletionsReached",
  },
  {
    title: "nothing for a work queue with a running pod",
    spec: {},
    pods: ["Succeeded", "Running"],
    expected: undefined,
  },
  {
    title: "the first success of a work queue, despite a failure",
    spec: {},
    pods: ["Succeeded", "Failed"],
    expected: "SuccessCriteriaMet CompletionsReached",
  },
  ...(
    [
      [0, ["Running"], [0], false],
      [0, ["Running"], [1], true],
      [1, ["Running"], [0], false],
      [1, ["Running"], [1], true],
      [1, ["Pending"], [1], true],
      [6, ["Running", "Running"], [2, 3], false],
      [6, ["Running", "Pending"], [3, 3], true],
      [1, ["Succeeded"], [9], false],
    ] as const
  ).map(([backoffLimit, pods, restarts, exceeded]): Row => {
    const title = `the restarts ${restarts.join(" and ")} of pods that are ${pods.join(" and ")}, with the limit ${backoffLimit}`;
    const expected = exceeded ? "FailureTarget BackoffLimitExceeded" : undefined;
    return { title, spec: { completions: 5, backoffLimit, template: onFailure }, pods, restarts, expected };
  }),
];

describe("A Job ends because of", () => {
  it.each(rows)("$title: $expected", ({ spec, conditions = [], pods, restarts = [], expected }) => {
    const job: Job = {
      metadata: { name: "job", namespace: "default" },
      spec: { template: { spec: { containers: [] } }, ...spec },
      status: { startTime: formatTime(nowMs - 60_000), conditions: conditions.map((each) => ({ ...each })) },
    };
    const owned = pods.map((text, index) => makePod(text, index, restarts[index] ?? 0));
    const ending = findEnding(job, tally(job, owned), nowMs);
    expect(ending && `${ending.type} ${ending.reason}`).toBe(expected);
  });
});
