import { describe, expect, it } from "vitest";
import {
  type RotationFacts,
  type RotationState,
  rotationStep,
  type ServingPair,
  takeStep,
} from "../../../../src/node/webhooks/rotation-step.js";
import { createRandom } from "../../../simulation/random.js";

const hour = 3_600_000;
const pair = (ca: string, notAfterMs: number, hosts = ["a.svc"]): ServingPair => ({
  cert: `cert of ${ca}`,
  key: `key of ${ca}`,
  ca,
  notAfterMs,
  hosts,
});
const old = pair("old", 100 * hour);
const next = pair("next", 190 * hour);
const idle: RotationState = {
  current: old,
  next: undefined,
  trusted: ["old"],
  publishedMs: undefined,
  switchedMs: undefined,
};
const rotating: RotationState = { ...idle, next, trusted: ["old", "next"] };
const facts: RotationFacts = {
  nowMs: 0,
  hosts: ["a.svc"],
  published: true,
  renewBeforeMs: 30 * hour,
  propagationMs: hour,
};

describe("the next step of a certificate's rotation", () => {
  it.each<[string, Partial<RotationState>, Partial<RotationFacts>, object]>([
    ["issues a certificate if there is none", { current: undefined, trusted: [] }, {}, { type: "issue" }],
    ["issues a certificate if the current one has expired", {}, { nowMs: 100 * hour }, { type: "issue" }],
    ["issues a certificate if the current one lacks a host", {}, { hosts: ["a.svc", "b.svc"] }, { type: "issue" }],
    ["waits until the renewal", {}, {}, { type: "wait", untilMs: 70 * hour }],
    ["prepares the next certificate at the renewal", {}, { nowMs: 70 * hour }, { type: "prepare" }],
    [
      "waits for configurations to list the next authority",
      { ...rotating },
      { nowMs: 70 * hour, published: false },
      { type: "wait", untilMs: 100 * hour },
    ],
    [
      "waits while the state of configurations is unknown",
      { ...rotating, publishedMs: 0 },
      { nowMs: 70 * hour, published: undefined },
      { type: "wait", untilMs: 100 * hour },
    ],
    ["confirms that configurations list it", { ...rotating }, { nowMs: 70 * hour }, { type: "confirm" }],
    [
      "waits for callers to see it",
      { ...rotating, publishedMs: 70 * hour },
      { nowMs: 70 * hour },
      { type: "wait", untilMs: 71 * hour },
    ],
    [
      "starts over if a configuration lost it",
      { ...rotating, publishedMs: 70 * hour },
      { nowMs: 71 * hour, published: false },
      { type: "revoke" },
    ],
    [
      "serves the next certificate then",
      { ...rotating, publishedMs: 70 * hour },
      { nowMs: 71 * hour },
      { type: "switch" },
    ],
    [
      "serves the next certificate if the current one expires",
      { ...rotating },
      { nowMs: 100 * hour },
      { type: "switch" },
    ],
    [
      "prepares again if the next one is unusable",
      { ...rotating, next: pair("next", hour) },
      { nowMs: 70 * hour },
      { type: "prepare" },
    ],
    [
      "trusts the former authority until every replica has switched",
      { current: next, trusted: ["old", "next"], switchedMs: 71 * hour },
      { nowMs: 71 * hour },
      { type: "wait", untilMs: 72 * hour },
    ],
    [
      "retires the former authority then",
      { current: next, trusted: ["old", "next"], switchedMs: 71 * hour },
      { nowMs: 72 * hour },
      { type: "retire" },
    ],
  ])("%s", (_, state, given, step) => {
    expect(rotationStep({ ...idle, ...state }, { ...facts, ...given })).toEqual(step);
  });

  it.each(Array.from({ length: 60 }, (_, seed) => seed))(
    "never makes a delayed caller reject a delayed replica's certificate (seed %i)",
    (seed) => {
      const random = createRandom(seed, "rotation");
      const propagationMs = 100;
      const settings = { hosts: ["a.svc"], renewBeforeMs: 800, propagationMs };
      let serial = 0;
      let nowMs = 0;
      const issue = (): ServingPair => {
        const id = `ca${++serial}`;
        return pair(id, nowMs + 2_000);
      };
      let state = takeStep({ ...idle, current: undefined, trusted: [] }, "issue", nowMs, issue);
      let bundle = state.trusted;
      // Histories from which delayed readers see an older entry.
      const states: [number, RotationState][] = [[nowMs, state]];
      const bundles: [number, readonly string[]][] = [[nowMs, bundle]];
      const seen = <T>(history: readonly [number, T][]): T => {
        const at = nowMs - random.int(propagationMs);
        return (history.findLast(([time]) => time <= at) ?? history[0]!)[1];
      };
      let rotations = 0;
      let trusts = true;
      while (nowMs < 20_000) {
        nowMs += random.int(20);
        const { next, trusted } = state;
        // An apply of a manifest that was made before the rotation.
        if (next !== undefined && random.chance(0.02))
          bundles.push([nowMs, (bundle = trusted.filter((ca) => ca !== next.ca))]);
        const listed = JSON.stringify(bundle) === JSON.stringify(trusted);
        const published = listed && random.chance(0.1) ? undefined : listed;
        const step = rotationStep(state, { ...settings, nowMs, published });
        // A replica takes the steps that are due before it publishes.
        if (step.type !== "revoke" && random.chance(0.3)) bundles.push([nowMs, (bundle = trusted)]);
        if (step.type !== "wait" && random.chance(0.5)) {
          if (step.type === "switch") rotations++;
          states.push([nowMs, (state = takeStep(state, step.type, nowMs, issue))]);
        }
        const replica = seen(states);
        const caller = seen(bundles);
        trusts &&= caller.includes(replica.current!.ca);
      }
      expect(trusts).toBe(true);
      expect(rotations).toBeGreaterThan(5);
      expect(state.trusted.length).toBeLessThan(4);
    },
  );
});
