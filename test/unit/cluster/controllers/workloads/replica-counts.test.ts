import { describe, expect, it } from "vitest";
import {
  currentReplicas,
  rollingLimits,
  scaleDownOld,
  scaleProportionally,
} from "../../../../../src/cluster/controllers/workloads/deployment/replica-counts.js";
import type { Deployment, ReplicaSet } from "../../../../../src/kinds/apps/v1.js";

function deployment(replicas: number, spec: object): Deployment {
  return { metadata: { name: "web" }, spec: { replicas, selector: {}, template: {}, ...spec } };
}

describe("limits of a rolling update", () => {
  it.each([
    [4, { maxSurge: "30%", maxUnavailable: "30%" }, { maxSurge: 2, maxUnavailable: 1 }],
    [4, { maxSurge: 0, maxUnavailable: "10%" }, { maxSurge: 0, maxUnavailable: 1 }],
    [2, { maxSurge: 1, maxUnavailable: 5 }, { maxSurge: 1, maxUnavailable: 2 }],
    // The surge counts in the annotation `max-replicas` of a ReplicaSet without pods.
    [0, { maxSurge: 2, maxUnavailable: 1 }, { maxSurge: 2, maxUnavailable: 0 }],
    [0, { maxSurge: "50%", maxUnavailable: "50%" }, { maxSurge: 0, maxUnavailable: 0 }],
  ])("of %i pods with %o are %o", (replicas, rollingUpdate, limits) => {
    const strategy = { type: "RollingUpdate", rollingUpdate };
    expect(rollingLimits(deployment(replicas, { strategy }))).toEqual(limits);
  });
});

/** A ReplicaSet with `available` of `replicas` pods, last scaled for `max` pods. */
function set(name: string, replicas: number, available = replicas, max = 0): ReplicaSet {
  return {
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:00:0${name.length}Z`,
      annotations: {
        "deployment.kubernetes.io/max-replicas": String(max),
        "deployment.kubernetes.io/desired-replicas": "0",
      },
    },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  };
}

describe("Numbers of a rolling update", () => {
  const limits = (maxSurge: number | string, maxUnavailable: number | string): object => ({
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
  });

  it.each([
    { desired: 10, surge: "25%", current: 0, old: 10, result: 3 },
    { desired: 10, surge: 0, current: 0, old: 10, result: 0 },
    { desired: 10, surge: 5, current: 8, old: 2, result: 10 },
    { desired: 3, surge: 1, current: 5, old: 0, result: 3 },
    { desired: 1, surge: "25%", current: 0, old: 1, result: 1 },
  ])("of $desired pods with a surge of $surge, $old old and $current new ones gives $result new ones", (row) => {
    const web = deployment(row.desired, limits(row.surge, 0));
    expect(currentReplicas(web, [set("old", row.old), set("new", row.current)], row.current)).toBe(row.result);
  });

  it.each([
    {
      title: "as many available pods as may be missing",
      unavailable: 2,
      current: set("new", 0),
      old: [set("a", 10)],
      left: { a: 8 },
    },
    {
      title: "pods that aren't available first",
      unavailable: 2,
      current: set("new", 2),
      old: [set("a", 4, 2), set("bb", 6)],
      left: { a: 0 },
    },
    {
      title: "nothing while new pods aren't available",
      unavailable: 0,
      current: set("new", 3, 0),
      old: [set("a", 10)],
      left: {},
    },
    {
      title: "nothing while a status says more pods than the set has",
      unavailable: 2,
      current: set("new", 4, 0),
      old: [set("a", 9, 12)],
      left: {},
    },
    {
      title: "the oldest first",
      unavailable: 5,
      current: set("new", 5),
      old: [set("a", 3), set("bb", 3)],
      left: { a: 0, bb: 0 },
    },
  ])("scale down $title", ({ unavailable, current, old, left }) => {
    const web = deployment(10, limits("25%", unavailable));
    const scaled = scaleDownOld(web, current, old).map(({ set: { metadata }, replicas }) => [metadata!.name, replicas]);
    expect(Object.fromEntries(scaled)).toEqual(left);
  });

  it.each([
    { title: "in proportion to their sizes", from: 10, to: 15, sizes: [5, 8], max: 13, result: { a: 7, bb: 11 } },
    { title: "down in proportion", from: 10, to: 5, sizes: [5, 8], max: 13, result: { a: 3, bb: 5 } },
    { title: "to zero", from: 10, to: 0, sizes: [5, 8], max: 13, result: { a: 0, bb: 0 } },
  ])("share a change $title", ({ to, sizes, max, result }) => {
    const web = deployment(to, limits(3, 2));
    const [a, b] = [set("a", sizes[0]!, sizes[0], max), set("bb", sizes[1]!, sizes[1], max)];
    const shares = scaleProportionally(web, b, [a]).map(({ set: { metadata }, replicas }) => [
      metadata!.name,
      replicas,
    ]);
    expect(Object.fromEntries(shares)).toEqual(result);
  });
});
