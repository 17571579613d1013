// Rows from the tables of kube-controller-manager's replica calculator: usages, requests, states of pods, and results.
import { describe, expect, it } from "vitest";
import { proposeReplicas } from "../../../../../src/cluster/controllers/autoscaling/measure.js";
import type { Pod } from "../../../../../src/kinds/core/v1.js";
import { formatTime } from "../../../../../src/meta/time.js";
import type { PodMetrics } from "../../../../../src/operations/usage.js";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
/** State of a pod: `hot` is one whose usage was measured before it was ready. */
type State = "ready" | "unready" | "pending" | "failed" | "deleted" | "hot" | "unmeasured";

interface Row {
  readonly title: string;
  readonly current: number;
  /** Usage of each pod in thousandths. */
  readonly levels: readonly number[];
  readonly states?: readonly State[];
  readonly request?: string;
  readonly utilization?: number;
  readonly average?: number;
  readonly tolerances?: { readonly up: number; readonly down: number };
  readonly expected: number | string;
}

function makePod(index: number, state: State, request: string): Pod {
  const startTime = formatTime(nowMs - 60_000);
  const phase = state === "pending" ? "Pending" : state === "failed" ? "Failed" : "Running";
  const status = state === "unready" || state === "pending" ? ("False" as const) : ("True" as const);
  const lastTransitionTime = formatTime(nowMs - (state === "hot" ? 1_000 : 120_000));
  return {
    metadata: { name: `pod-${index}`, ...(state === "deleted" && { deletionTimestamp: startTime }) },
    spec: { containers: [{ name: "main", resources: { requests: { cpu: request } } }] },
    status: { phase, startTime, conditions: [{ type: "Ready", status, lastTransitionTime }] },
  };
}

function makeMetrics(level: number, index: number): PodMetrics {
  const containers = [{ name: "main", usage: { cpu: `${level}m` } }];
  return {
    metadata: { name: `pod-${index}` },
    timestamp: formatTime(nowMs - 1_000),
    window: "30s",
    containers,
  } as PodMetrics;
}

const rows: readonly Row[] = [
  { title: "more than the target", current: 3, levels: [300, 500, 700], utilization: 30, expected: 5 },
  {
    title: "more than the target, and a pod that isn't ready",
    current: 3,
    levels: [300, 500, 700],
    states: ["unready", "ready", "ready"],
    utilization: 30,
    expected: 4,
  },
  {
    title: "more than the target, and two pods that were just started",
    current: 3,
    levels: [400, 500, 700],
    states: ["ready", "hot", "hot"],
    utilization: 30,
    expected: 3,
  },
  {
    title: "more than the target, and failed pods",
    current: 2,
    levels: [500, 700, 0, 0],
    states: ["ready", "ready", "failed", "failed"],
    utilization: 30,
    expected: 4,
  },
  {
    title: "more than the target, and pods that are being deleted",
    current: 2,
    levels: [500, 700, 900, 900],
    states: ["ready", "ready", "deleted", "deleted"],
    utilization: 30,
    expected: 4,
  },
  { title: "less than the target", current: 5, levels: [100, 300, 500, 250, 250], utilization: 50, expected: 3 },
  {
    title: "less than the target, and pods that aren't ready",
    current: 5,
    levels: [100, 300, 500, 250, 250],
    states: ["ready", "ready", "ready", "unready", "unready"],
    utilization: 50,
    expected: 2,
  },
  {
    title: "less than the target, and pods without a node",
    current: 5,
    levels: [100, 0, 0, 0, 0],
    states: ["ready", "pending", "pending", "pending", "pending"],
    utilization: 50,
    expected: 1,
  },
  { title: "a usage within the tolerance", current: 3, levels: [1_010, 1_030, 1_020], utilization: 100, expected: 3 },
  {
    title: "more than the target without a tolerance",
    current: 3,
    levels: [1_010, 1_030, 1_020],
    utilization: 100,
    tolerances: { up: 0, down: 0.1 },
    expected: 4,
  },
  {
    title: "fewer ready pods than replicas, and a usage within the tolerance upwards",
    current: 5,
    levels: [1_040, 1_060, 1_050, 0, 0],
    states: ["ready", "ready", "ready", "deleted", "deleted"],
    utilization: 100,
    tolerances: { up: 0.1, down: 0 },
    expected: 5,
  },
  {
    title: "a pod without metrics that would be busy",
    current: 3,
    levels: [400, 95, 0],
    states: ["ready", "ready", "unmeasured"],
    utilization: 50,
    expected: 3,
  },
  {
    title: "a pod without metrics that would be idle",
    current: 2,
    levels: [1_000, 0],
    states: ["ready", "unmeasured"],
    utilization: 24,
    expected: 5,
  },
  { title: "an average amount", current: 3, levels: [20, 10, 30], average: 15, expected: 4 },
  {
    title: "requests of zero",
    current: 1,
    levels: [100],
    request: "0",
    utilization: 100,
    expected: "no metrics returned matched known pods",
  },
  {
    title: "only pods that aren't ready",
    current: 1,
    levels: [100],
    states: ["unready"],
    utilization: 100,
    expected: "did not receive metrics for targeted pods (pods might be unready)",
  },
];

describe("An autoscaler's proposal for", () => {
  it.each(rows)("$title is $expected", (row) => {
    const { levels, states = [], request = "1", utilization, average = 0, current, expected } = row;
    const { tolerances = { up: 0.1, down: 0.1 } } = row;
    const stateOf = (index: number): State => states[index] ?? "ready";
    const pods = levels.map((_, index) => makePod(index, stateOf(index), request));
    const metrics = levels.map(makeMetrics).filter((_, index) => stateOf(index) !== "unmeasured");
    const target = utilization === undefined ? { average } : { utilization };
    const options = { resource: "cpu", container: undefined, target, current, tolerances, nowMs };
    const propose = (): number => proposeReplicas(pods, metrics, options).replicas;
    if (typeof expected === "string") expect(propose).toThrow(expected);
    else expect(propose()).toBe(expected);
  });
});
