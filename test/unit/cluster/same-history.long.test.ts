import { expect, it } from "vitest";
import { runClusterSeed } from "../../simulation/cluster/run-cluster-seed.js";

it.each([3, 14, 159, 2653])(
  "a cluster has the same history, byte for byte, with the same seed: rollouts, failures and faults of seed %i",
  async (seed) => {
    const first = await runClusterSeed(seed);
    const second = await runClusterSeed(seed);
    expect(first.faults).toEqual([]);
    expect(first.history.length).toBeGreaterThan(50);
    expect(second.story).toEqual(first.story);
    expect(second.history).toEqual(first.history);
  },
  120_000,
);
