import { describe, expect, it } from "vitest";
import {
  allLost,
  countZones,
  EvictionLimiter,
  evictionRate,
  zoneOf,
} from "../../../../../src/cluster/controllers/nodes/zones.js";
import type { Node } from "../../../../../src/kinds/core/v1.js";

const node = (name: string, labels: Record<string, string> = {}): Node => ({ metadata: { name, labels } });

describe("the zone of a node", () => {
  it.each<[labels: Record<string, string>, zone: string]>([
    [{}, "/"],
    [{ "topology.kubernetes.io/zone": "a" }, "/a"],
    [{ "topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "a" }, "r/a"],
    [{ "topology.kubernetes.io/zone": "a", "failure-domain.beta.kubernetes.io/zone": "b" }, "/b"],
  ])("of the labels %j is %s", (labels, zone) => {
    expect(zoneOf(node("n", labels))).toBe(zone);
  });
});

describe("the evictions of a zone", () => {
  it.each([
    [0, 3, 0.1],
    [2, 1, 0.1],
    [3, 1, 0],
    [3, 3, 0.1],
    [11, 9, 0],
    [28, 23, 0.1],
    [29, 23, 0.01],
    [29, 21, 0],
    // Without a single node that is ready, the rate is the normal one, if other zones have some.
    [4, 0, 0.1],
  ])("with %i lost and %i ready nodes are %f per second", (lost, ready, rate) => {
    expect(evictionRate({ ready, lost })).toBe(rate);
  });

  it("count neither excluded nodes nor those of other zones", () => {
    const zones = countZones(
      [
        node("a-1", { "topology.kubernetes.io/zone": "a" }),
        node("a-2", { "topology.kubernetes.io/zone": "a" }),
        node("a-3", { "topology.kubernetes.io/zone": "a", "node.kubernetes.io/exclude-disruption": "" }),
        node("b-1", { "topology.kubernetes.io/zone": "b" }),
      ],
      ({ metadata }) => metadata?.name !== "a-1",
    );
    expect([...zones]).toEqual([
      ["/a", { ready: 1, lost: 1 }],
      ["/b", { ready: 0, lost: 1 }],
    ]);
    expect(allLost(zones)).toBe(false);
  });

  it("are ten seconds apart, and start with a delay after they were stopped", () => {
    const limiter = new EvictionLimiter();
    expect([limiter.take(0.1, 1_000), limiter.take(0.1, 1_000), limiter.take(0.1, 11_000)]).toEqual([0, 10_000, 0]);
    expect(limiter.take(0, 60_000)).toBe(Number.POSITIVE_INFINITY);
    expect(limiter.take(0.1, 60_000)).toBe(10_000);
    expect(limiter.take(0.01, 65_000)).toBe(100_000);
  });
});
