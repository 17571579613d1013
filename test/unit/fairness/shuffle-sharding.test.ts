import { describe, expect, it } from "vitest";
import { createDealer, dealHand, hashFlow, shuffleShardingCollision } from "../../../src/fairness/shuffle-sharding.js";
import { randomFrom } from "../../support/random-writes.js";
import { chooseSeed } from "../../support/seed.js";

// The rows of https://kubernetes.io/docs/concepts/cluster-administration/flow-control/: hand size, queues, and the
// probability that a mouse is squeezed by 1, 4 and 16 elephants.
const published: [number, number, number, number, number][] = [
  [12, 32, 4.428838398950118e-9, 0.11431348830099144, 0.9935089607656024],
  [10, 32, 1.550093439632541e-8, 0.0626479840223545, 0.9753101519027554],
  [10, 64, 6.601827268370426e-12, 0.00045571320990370776, 0.49999929150089345],
  [9, 64, 3.6310049976037345e-11, 0.00045501212304112273, 0.4282314876454858],
  [8, 64, 2.25929199850899e-10, 0.0004886697053040446, 0.35935114681123076],
  [8, 128, 6.994461389026097e-13, 3.4055790161620863e-6, 0.02746173137155063],
  [7, 128, 1.0579122850901972e-11, 6.960839379258192e-6, 0.02406157386340147],
  [7, 256, 7.597695465552631e-14, 6.728547142019406e-8, 0.0006709661542533682],
  [6, 256, 2.7134626662687968e-12, 2.9516464018476436e-7, 0.0008895654642000348],
  [6, 512, 4.116062922897309e-14, 4.982983350480894e-9, 2.26025764343413e-5],
  [6, 1024, 6.337324016514285e-16, 8.09060164312957e-11, 4.517408062903668e-7],
];

describe("shuffle sharding", () => {
  it.each(published)("collides as documented with hands of %i of %i queues", (handSize, queues, one, four, sixteen) => {
    // The published figures carry the rounding errors of their own program in the last digits.
    const digits = (value: number): string => value.toPrecision(14);
    expect([1, 4, 16].map((elephants) => digits(shuffleShardingCollision(queues, handSize, elephants)))).toEqual(
      [one, four, sixteen].map(digits),
    );
  });

  it.each([
    [1, 1, 1, 1],
    [64, 8, 0, 0],
    [2, 1, 1, 0.5],
    [2, 1, 2, 0.75],
    [8, 8, 1, 1],
  ])("collides with %i queues, hands of %i and %i elephants in a share of %f", (queues, handSize, elephants, wanted) =>
    expect(shuffleShardingCollision(queues, handSize, elephants)).toBe(wanted),
  );

  it("deals different queues of the deck, and the same hand to the same flow", () => {
    const random = randomFrom(chooseSeed(1));
    for (let round = 0; round < 500; round += 1) {
      const queues = 1 + Math.floor(random() * 128);
      const handSize = 1 + Math.floor(random() * Math.min(queues, 8));
      const deal = createDealer(queues, handSize);
      const hash = hashFlow("schema", `user-${String(Math.floor(random() * 1e6))}`);
      const hand = deal(hash);
      expect(new Set(hand).size).toBe(handSize);
      expect(hand.every((queue) => queue >= 0 && queue < queues)).toBe(true);
      expect(deal(hash)).toBe(hand);
      expect(dealHand(hash, queues, handSize)).toEqual(hand);
    }
  });

  it("hashes a flow like kube-apiserver: the first 8 bytes of a SHA-256, little endian", () => {
    // printf 'global-default\0alice' | sha256sum
    expect(hashFlow("global-default", "alice").toString(16)).toBe("f4de3bd42ccdf6b7");
  });
});
