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
    ["a candidate that finds the lease taken competes on, after a spread pause", competing, taken, competing, 3_200],
    ["a candidate whose attempt failed competes on, after a spread pause", competing, failed, competing, 3_200],
    [
      "a leader that renews leads on from the new renewal",
      leading,
      held,
      { phase: "leading", renewedAt: 7_000 },
      2_000,
    ],
    ["a leader whose attempt failed tries again at its steady pace", leading, failed, leading, 2_000],
    ["a leader that finds another holder has lost", leading, taken, { phase: "lost", reason: 'held by "b"' }, 0],
    ["a leader at its renew deadline has lost", leading, deadline, lost, 0],
    ["a lost lease stays lost even if a late renewal succeeds", lost, held, lost, 0],
  ])("%s", (_title, state, input, next, pauseMs) => {
    expect(stepElection(state, input, config, () => 0.5)).toEqual({ state: next, pauseMs });
  });
});
