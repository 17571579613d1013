import { describe, expect, it } from "vitest";
import { nodeResourcesFit } from "../../../../src/cluster/scheduler/plugins/node-resources.js";
import { type PodInfo, podInfo } from "../../../../src/cluster/scheduler/snapshot/node-info.js";
import { WaitingPods } from "../../../../src/cluster/scheduler/waiting-pods.js";

const fit = nodeResourcesFit({ classOfResource: () => undefined });
const info = (uid: string, priority = 0): PodInfo =>
  podInfo({ metadata: { uid, name: uid, namespace: "default" }, spec: { priority, containers: [] } });

/** Returns the pods after an attempt of each, which no node accepted. */
function rejected(...pods: readonly PodInfo[]): WaitingPods {
  const waiting = new WaitingPods();
  for (const pod of pods) {
    waiting.add(pod);
    waiting.take(0);
    waiting.fail(pod, new Set([fit]));
  }
  return waiting;
}

describe("WaitingPods", () => {
  it("takes pods in their back-off after all others, first those whose back-off ends first", () => {
    const [late, low, high, fresh] = [info("late", 9), info("low", 1), info("high", 5), info("fresh")];
    const waiting = rejected(late, low, high);
    expect(waiting.rest(late, 4_000)).toBe(true);
    expect(waiting.rest(low, 2_100)).toBe(true);
    expect(waiting.rest(high, 2_900)).toBe(true);
    waiting.add(fresh);
    const taken = [1, 2, 3, 4, 5].map(() => waiting.take(1_000)?.uid);
    expect(taken).toEqual(["fresh", "high", "low", "late", undefined]);
  });

  it("doesn't take a pod in its back-off whose last attempt ended with an error", () => {
    const pod = info("a");
    const waiting = rejected(pod);
    waiting.fail(pod, new Set());
    expect(waiting.rest(pod, 2_000)).toBe(false);
    expect(waiting.take(1_000)).toBeUndefined();
  });

  it("takes the last known version of a pod", () => {
    const waiting = rejected(info("a"), info("b"));
    waiting.rest(info("a"), 2_000);
    waiting.add(info("b"));
    const latest = [info("a"), info("b"), info("unknown")];
    for (const pod of latest) waiting.refresh(pod);
    expect([1, 2, 3].map(() => waiting.take(1_000))).toEqual([latest[1], latest[0], undefined]);
    waiting.fail(info("a"), new Set([fit]));
    waiting.refresh(latest[0]!);
    expect(waiting.unschedulable("a")).toBe(latest[0]);
  });

  it("forgets a pod in its back-off that is gone", () => {
    const pod = info("a");
    const waiting = rejected(pod);
    waiting.rest(pod, 2_000);
    waiting.remove("a");
    expect(waiting.take(1_000)).toBeUndefined();
  });

  it("takes at most 100 pods in their back-off per second", () => {
    const pods = Array.from({ length: 150 }, (_, index) => info(`pod-${index}`));
    const waiting = rejected(...pods);
    for (const pod of pods) waiting.rest(pod, 2_000);
    const count = (nowMs: number): number => pods.filter(() => waiting.take(nowMs) !== undefined).length;
    expect([count(1_000), count(1_999), count(2_000)]).toEqual([100, 0, 50]);
  });
});
