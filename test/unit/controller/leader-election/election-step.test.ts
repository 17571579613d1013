import { describe, expect, it } from "vitest";
import type { ElectionInput, ElectionState } from "../../../../src/controller/leader-election/election-step.js";
import { stepElection } from "../../../../src/controller/leader-election/election-step.js";

const config = { renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const competing: ElectionState = { phase: "competing" };
const leading: ElectionState = { phase: "leading", renewedAt: 5_000 };
const lost: ElectionState = { phase: "lost", reason: "not renewed for 10000 ms" };
const held: ElectionInput = { type: "held", sentAt: 7_000, slow: false };
const taken: ElectionInput = { type: "taken", holder: "b" };
const failed: ElectionInput = { type: "failed" };
const deadline: ElectionInput = { type: "deadline" };

describe("stepElection", () => {
  it.each<[string, ElectionState, ElectionInput, ElectionState, number]>([
    ["a candidate that gets the lease leads", competing, held, { phase: "leading", renewedAt: 7_000 }, 2_000],
    [
      "a candidate that finds the lease taken keeps competing, after a jittered pause",
      competing,
      taken,
      competing,
      3_200,
    ],
    ["a candidate whose attempt failed keeps competing, after a jittered pause", competing, failed, competing, 3_200],
    [
      "a leader that renews keeps leading from the new renewal",
      leading,
      held,
      { phase: "leading", renewedAt: 7_000 },
      2_000,
    ],
    ["a leader whose attempt failed retries at its steady pace", leading, failed, leading, 2_000],
    ["a leader that finds another holder loses", leading, taken, { phase: "lost", reason: 'held by "b"' }, 0],
    ["a leader at its renew deadline loses", leading, deadline, lost, 0],
    ["a lost lease stays lost even if a late renewal succeeds", lost, held, lost, 0],
  ])("%s", (_title, state, input, next, pauseMs) => {
    expect(stepElection(state, input, config, () => 0.5)).toEqual({ state: next, pauseMs });
  });
});
