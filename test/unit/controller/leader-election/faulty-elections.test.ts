import { describe, expect, it } from "vitest";
import { onAbort } from "../../../../src/internal/abort.js";
import type { Clock } from "../../../../src/internal/clock.js";
import { createRandom } from "../../../simulation/random.js";
import { failure } from "../../../support/scripted-source.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";
import { openWorld } from "../world.js";
import type { Candidate } from "./candidates.js";
import { advance, begin, specNow } from "./candidates.js";

/** Lets three candidates compete over a faulty network with skewed clocks, and cancels and restarts some of them. */
async function play(seed: number): Promise<string[]> {
  await using world = openWorld();
  const clock = createVirtualClock();
  const random = createRandom(seed, "election");
  const faults: string[] = [];
  /**
   * Candidates that may write: from the start of a term until its loss, or until the work has ended after a
   * cancellation.
   */
  const atWork = new Map<string, number>();
  let highest = -1;
  let holder = "";
  const candidates = ["a", "b", "c"].map((identity) => {
    // Up to ten years off, and up to one percent faster or slower.
    const skew = (random.next() - 0.5) * 20 * 365 * 86_400_000;
    const rate = 0.99 + 0.02 * random.next();
    const own: Clock = {
      now: () => clock.now() + skew,
      monotonic: () => clock.monotonic() * rate,
      setTimer: (callback, ms) => clock.setTimer(callback, ms / rate),
    };
    return { identity, own, current: undefined as Candidate | undefined };
  });
  const start = (candidate: (typeof candidates)[number]): void => {
    const { identity, own } = candidate;
    candidate.current = begin(world, own, identity, {
      random: random.next,
      drainTimeoutMs: 3_000,
      onStartedLeading: ({ signal, lost, term }) => {
        for (const [other, theirs] of atWork)
          faults.push(`${identity} leads term ${String(term)} while ${other} is at work in ${String(theirs)}`);
        if (term < highest || (term === highest && holder !== identity))
          faults.push(`${identity} has term ${String(term)} after ${String(highest)} of ${holder}`);
        highest = Math.max(highest, term);
        holder = identity;
        atWork.set(identity, term);
        const unfollow = onAbort(lost, () => atWork.delete(identity));
        return new Promise((resolve) =>
          signal.addEventListener("abort", () =>
            clock.setTimer(() => {
              unfollow();
              atWork.delete(identity);
              resolve(undefined);
            }, random.int(2_000)),
          ),
        );
      },
    });
  };
  for (const candidate of candidates) start(candidate);
  for (let step = 0; step < 45; step++) {
    const candidate = random.pick(candidates);
    const { network } = candidate.current!;
    switch (random.int(7)) {
      case 0:
        network.cut = !network.cut;
        break;
      case 1:
        network.loseAnswers = !network.loseAnswers;
        break;
      case 2:
        network.requestDelayMs = random.pick([0, 0, 50, 1_500, 6_000]);
        break;
      case 3:
        network.answerDelayMs = random.pick([0, 0, 50, 1_500, 6_000]);
        break;
      case 4:
        network.fail = random.pick([undefined, undefined, failure(503), failure(409, "Conflict"), failure(429)]);
        break;
      case 5:
        candidate.current!.cancel();
        break;
      default:
    }
    await advance(clock, random.pick([300, 2_000, 7_000]));
    for (const each of candidates)
      if (each.current!.elector.status.type === "idle" && random.chance(0.5)) {
        await advance(clock, 4_000);
        start(each);
      }
  }
  for (const { current } of candidates)
    Object.assign(current!.network, {
      cut: false,
      loseAnswers: false,
      fail: undefined,
      requestDelayMs: 0,
      answerDelayMs: 0,
    });
  await advance(clock, 25_000);
  for (const each of candidates) if (each.current!.elector.status.type === "idle") start(each);
  await advance(clock, 40_000);
  if (atWork.size !== 1) faults.push(`${String(atWork.size)} lead in the end`);
  for (const { current } of candidates) current!.cancel();
  await advance(clock, 20_000);
  await Promise.all(candidates.map(({ current }) => current!.ended));
  const { holderIdentity } = await specNow(world);
  if (holderIdentity !== "") faults.push(`the lease is left to ${holderIdentity!}`);
  return faults;
}

describe("leader election over faulty networks and clocks", () => {
  it.each([1, 4, 7])(
    "never has two leaders, increases terms and recovers (3 seeds from %d)",
    { timeout: 300_000 },
    async (firstSeed) => {
      for (let seed = firstSeed; seed < firstSeed + 3; seed++)
        expect({ seed, faults: await play(seed) }).toEqual({ seed, faults: [] });
    },
  );
});
