import { describe, expect, it } from "vitest";
import type { Deployment, ReplicaSet } from "../../../src/kinds/apps/v1.js";
import type { Pod } from "../../../src/kinds/core/v1.js";
import { Observer } from "../../simulation/cluster/observer.js";

/** The rules of `npm run simulate:cluster` must find a violation, or the simulation would pass with any bug. */
function start(): { readonly observer: Observer; wait(ms: number): void; pod(uid: string, state: PodState): void } {
  let nowMs = 0;
  const observer = new Observer(() => nowMs);
  return {
    observer,
    wait(ms) {
      nowMs += ms;
    },
    pod: (uid, state) => observer.pod(uid, podIn(uid, state)),
  };
}

type PodState = "ready" | "unready" | "deleted" | "evicted" | "deleted by a taint";

function podIn(uid: string, state: PodState): Pod {
  const disrupted = { evicted: "EvictionByEvictionAPI", "deleted by a taint": "DeletionByTaintManager" }[
    state as string
  ];
  const deleted = state !== "ready" && state !== "unready";
  return {
    metadata: { name: uid, uid, labels: { app: "web" }, ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    status: {
      conditions: [
        { type: "Ready", status: state === "unready" ? "False" : "True" },
        ...(disrupted === undefined ? [] : [{ type: "DisruptionTarget", status: "True", reason: disrupted }]),
      ],
    },
  };
}

function web(replicas: number): Deployment {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
  const strategy = { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  return { metadata: { name: "web", uid: "web" }, spec: { replicas, selector: {}, template, strategy } };
}

describe("the simulation of a cluster", () => {
  const rows: readonly [title: string, changes: readonly (readonly [string, PodState])[], fault: RegExp | undefined][] =
    [
      ["allows a controller to delete maxUnavailable pods", [["a", "deleted"]], undefined],
      [
        "finds a controller that deletes more pods than maxUnavailable",
        [
          ["a", "deleted"],
          ["b", "deleted"],
        ],
        /the deletion of b leaves 1 available pods, and at least 2 must be/,
      ],
      [
        "counts a pod that has just crashed as available",
        [
          ["a", "unready"],
          ["b", "deleted"],
        ],
        undefined,
      ],
      [
        "counts a pod that has just lost its node as available",
        [
          ["a", "deleted by a taint"],
          ["b", "deleted"],
        ],
        undefined,
      ],
      ["allows an eviction within the budget", [["a", "evicted"]], undefined],
      [
        "finds an eviction that violates the budget",
        [
          ["a", "evicted"],
          ["b", "evicted"],
        ],
        /an eviction of b leaves 1 pods, and the budget wants 2/,
      ],
    ];
  it.each(rows)("%s", (_, changes, fault) => {
    const { observer, pod } = start();
    observer.workload("Deployment", "web", web(3));
    observer.budget("web", { spec: { minAvailable: 2 } });
    for (const uid of ["a", "b", "c"]) pod(uid, "ready");
    for (const [uid, state] of changes) pod(uid, state);
    expect(observer.faults).toEqual(fault === undefined ? [] : [expect.stringMatching(fault)]);
  });

  it("finds ReplicaSets that want more pods than maxSurge allows", () => {
    const { observer } = start();
    const replicaSet = (replicas: number): ReplicaSet => ({
      metadata: { labels: { app: "web" } },
      spec: { replicas, selector: {} },
    });
    observer.workload("Deployment", "web", web(3));
    observer.replicaSet("old", replicaSet(3));
    observer.replicaSet("new", replicaSet(1));
    expect(observer.faults).toEqual([]);
    observer.replicaSet("new", replicaSet(2));
    expect(observer.faults).toEqual([
      expect.stringContaining("the ReplicaSets of web want 5 pods, and at most 4 may be"),
    ]);
  });

  it("finds a deletion long after a crash", () => {
    const { observer, pod, wait } = start();
    observer.workload("Deployment", "web", web(3));
    for (const uid of ["a", "b", "c"]) pod(uid, "ready");
    pod("a", "unready");
    wait(61_000);
    pod("b", "deleted");
    expect(observer.faults).toHaveLength(1);
  });

  it("allows deletions after a scale-down", () => {
    const { observer, pod } = start();
    observer.workload("Deployment", "web", web(3));
    for (const uid of ["a", "b", "c"]) pod(uid, "ready");
    observer.workload("Deployment", "web", web(0));
    for (const uid of ["a", "b", "c"]) pod(uid, "deleted");
    expect(observer.faults).toEqual([]);
  });

  it("finds two pods of one ordinal that run at once", () => {
    const { observer } = start();
    observer.started("db-0", "first");
    observer.ended("db-0", "first");
    observer.started("db-0", "second");
    expect(observer.faults).toEqual([]);
    observer.started("db-0", "third");
    expect(observer.faults).toEqual([expect.stringContaining("two pods called db-0 run at once")]);
  });
});
