import { describe, expect, it } from "vitest";
import type { Deployment, ReplicaSet, StatefulSet } from "../../../src/kinds/apps/v1.js";
import type { Pod } from "../../../src/kinds/core/v1.js";
import type { ResourceClaim } from "../../../src/kinds/resource/v1.js";
import { MoreRules } from "../../simulation/cluster/more-rules.js";
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

  it("allows an eviction that a budget allowed before its controller was paused", () => {
    let isPaused = true;
    const observer = new Observer(
      () => 0,
      () => !isPaused,
    );
    observer.budget("web", { spec: { minAvailable: 2 } });
    for (const state of ["ready", "evicted"] as const) observer.pod("a", podIn("a", state));
    expect(observer.faults).toEqual([]);
    isPaused = false;
    for (const state of ["ready", "evicted"] as const) observer.pod("b", podIn("b", state));
    expect(observer.faults).toHaveLength(1);
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

  it.each([
    ["allows the scale-down of a StatefulSet with parallel pods", "Parallel", 2, { down: ["0", "1"], gone: "2" }, 0],
    ["allows the update of the last of parallel pods", "Parallel", 3, { down: ["0", "1"], gone: "2" }, 0],
    ["finds the update of parallel pods before the last", "Parallel", 3, { down: ["1"], gone: "0" }, 1],
    ["finds the scale-down of ordered pods", "OrderedReady", 2, { down: ["0", "1"], gone: "2" }, 1],
  ] as const)("%s, while another pod is down", (_, podManagementPolicy, replicas, { down, gone }, faults) => {
    const { observer, wait } = start();
    const set = (count: number): StatefulSet => ({
      metadata: { name: "web", uid: "web" },
      spec: {
        replicas: count,
        serviceName: "web",
        podManagementPolicy,
        selector: {},
        template: { spec: { containers: [] } },
      },
    });
    observer.workload("StatefulSet", "web", set(3));
    const change = (uid: string, state: PodState): void => {
      const { metadata, status } = podIn(uid, state);
      observer.pod(uid, {
        metadata: { ...metadata, labels: { app: "web", "apps.kubernetes.io/pod-index": uid } },
        status: status!,
      });
    };
    for (const uid of ["0", "1", "2"]) change(uid, "ready");
    for (const uid of down) change(uid, "unready");
    wait(61_000);
    observer.workload("StatefulSet", "web", set(replicas));
    change(gone, "deleted");
    expect(observer.faults).toHaveLength(faults);
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

describe("the simulation of Jobs, DaemonSets and devices", () => {
  const pod = (uid: string, more: Pod["metadata"] = {}, spec: Pod["spec"] = { containers: [] }): Pod => ({
    metadata: { name: uid, uid, labels: { app: "task" }, ...more },
    spec,
  });
  const template = { spec: { containers: [] } };
  const begin = (): { readonly rules: MoreRules; readonly faults: string[] } => {
    const faults: string[] = [];
    return { rules: new MoreRules((text) => faults.push(text)), faults };
  };

  it("finds a Job with more active pods than its parallelism", () => {
    const { rules, faults } = begin();
    rules.job("task", { spec: { parallelism: 1, template } });
    rules.pod("a", pod("a", { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    rules.pod("b", pod("b"));
    expect(faults).toEqual([]);
    rules.pod("c", pod("c"));
    expect(faults).toEqual(["Job task has 2 active pods, and at most 1 may be"]);
  });

  it("finds two active pods of one completion index", () => {
    const { rules, faults } = begin();
    const annotations = { "batch.kubernetes.io/job-completion-index": "0" };
    rules.job("task", { spec: { parallelism: 2, completionMode: "Indexed", template } });
    rules.pod("a", pod("a", { annotations }));
    rules.pod("b", pod("b", { annotations }));
    expect(faults).toEqual(["Job task has two active pods of one index"]);
  });

  it("finds a Job that starts again after its end, and one that counts too many successes", () => {
    const { rules, faults } = begin();
    const conditions = [{ type: "Complete", status: "True" as const }];
    rules.job("task", { spec: { completions: 1, template }, status: { succeeded: 2, conditions } });
    rules.job("task", { spec: { completions: 1, template }, status: { succeeded: 1 } });
    expect(faults).toEqual([
      "Job task succeeded 2 times, and 1 were wanted",
      "Job task was complete and isn't any more",
    ]);
  });

  it("finds a DaemonSet with two pods for a node, unless it may surge", () => {
    for (const [maxSurge, found] of [
      [0, ["DaemonSet task has 2 pods for node-1, and at most 1 may be"]],
      [1, []],
    ] as const) {
      const { rules, faults } = begin();
      const updateStrategy = { rollingUpdate: { maxSurge } };
      rules.daemonSet("task", { spec: { selector: {}, template, updateStrategy } });
      rules.pod("a", pod("a", {}, { containers: [], nodeName: "node-1" }));
      rules.pod("b", pod("b", {}, { containers: [], nodeName: "node-1" }));
      expect(faults).toEqual(found);
    }
  });

  it("finds claims with more parts of a device than it has", () => {
    const { rules, faults } = begin();
    const result = { request: "gpu", driver: "gpu.example.com", pool: "node-1", device: "gpu-0" };
    const part = { ...result, shareID: "share", consumedCapacity: { parts: "1" } };
    const claim: ResourceClaim = { spec: {}, status: { allocation: { devices: { results: [part] } } } };
    for (const name of ["a", "b"]) rules.claim(name, claim);
    expect(faults).toEqual([]);
    rules.claim("c", claim);
    expect(faults).toEqual(["3 parts of node-1/gpu-0 are allocated for a, b, c"]);
  });

  it("finds two claims with one device, unless the first one is gone", () => {
    const { rules, faults } = begin();
    const result = { request: "gpu", driver: "gpu.example.com", pool: "node-1", device: "gpu-0" };
    const claim: ResourceClaim = { spec: {}, status: { allocation: { devices: { results: [result] } } } };
    rules.claim("a", claim);
    rules.claim("a", undefined);
    rules.claim("b", claim);
    expect(faults).toEqual([]);
    rules.claim("c", claim);
    expect(faults).toEqual(["4 parts of node-1/gpu-0 are allocated for b, c"]);
  });
});
