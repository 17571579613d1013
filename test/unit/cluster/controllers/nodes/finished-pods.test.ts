import { expect, it } from "vitest";
import { surplusPods } from "../../../../../src/cluster/controllers/nodes/pod-garbage-collector.js";
import type { Pod } from "../../../../../src/kinds/core/v1.js";

const pod = (name: string, second: number, phase: "Failed" | "Running" | "Succeeded", reason?: string): Pod => ({
  metadata: { name, creationTimestamp: `2026-01-01T00:00:0${String(second)}Z` },
  status: { phase, reason },
});
const pods = [
  pod("young", 5, "Succeeded"),
  pod("evicted", 9, "Failed", "Evicted"),
  pod("b", 2, "Failed"),
  pod("a", 2, "Succeeded"),
  pod("running", 1, "Running"),
  pod("old", 1, "Failed", "DeadlineExceeded"),
];

it.each([
  [5, []],
  [4, ["evicted"]],
  [3, ["evicted", "old"]],
  [1, ["evicted", "old", "a", "b"]],
])("the garbage collector of pods that keeps %i finished pods removes %j", (kept, expected) => {
  expect(surplusPods(pods, kept).map(({ metadata }) => metadata?.name)).toEqual(expected);
});
