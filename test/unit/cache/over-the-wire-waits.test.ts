import { describe, expect, it } from "vitest";
import { list, quiet, refusal, useScriptedInformer } from "./scripted-informer.js";

const wire = useScriptedInformer();
const { begin, names, requests } = wire;

describe("an informer of a throttling server", () => {
  const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toUTCString();
  it.each<[string, Record<string, string>, number]>([
    ["Retry-After in seconds", { "retry-after": "7" }, 7_000],
    ["Retry-After as a date", { "retry-after": at(9_000) }, 9_000],
    ["Retry-After as a date in the past", { "retry-after": at(-9_000) }, 800],
    ["Retry-After of a day", { "retry-after": "86400" }, 120_000],
    ["Retry-After of ten digits", { "retry-after": "9999999999" }, 120_000],
    ["Retry-After of more digits than a number holds", { "retry-after": "9".repeat(400) }, 120_000],
    ["Retry-After of no time", { "retry-after": "0" }, 800],
    ["no Retry-After", {}, 800],
    ["an invalid Retry-After", { "retry-after": "soon" }, 800],
  ])("sends no request before the delay is over: %s", async (_name, headers, waitMs) => {
    await begin([list("10", ["a"]), refusal(429, "TooManyRequests", headers), quiet]);
    await wire.clock.advance(waitMs - 1);
    expect([requests(), wire.informer.status]).toEqual([
      ["list", "watch from 10"],
      expect.objectContaining({ type: "backingOff", kind: "throttled", delayMs: waitMs }),
    ]);
    await wire.clock.advance(1);
    expect(requests()).toEqual(["list", "watch from 10", "watch from 10"]);
  });
  it("counts the failures of its lists and watches together", async () => {
    const busy = refusal(503, "ServiceUnavailable");
    await begin([list("10", []), busy, list("10", []), busy, busy, busy, list("11", []), quiet]);
    const waits: number[] = [];
    while (wire.informer.status.type === "backingOff") {
      waits.push(wire.informer.status.delayMs);
      await wire.clock.advance(wire.informer.status.delayMs);
    }
    expect([waits, requests()]).toEqual([
      [800, 1_600, 3_200, 6_400],
      [
        "list",
        "watch from 10",
        "list from 10",
        "watch from 10",
        "list from 10",
        "list from 10",
        "list from 10",
        "watch from 11",
      ],
    ]);
  });
});

it.each([
  [undefined, 90_000],
  [200_000, 200_000],
])(
  "a stalled list is abandoned after listIdleTimeoutMs (%s), not after the client's idle timeout",
  async (listIdleTimeoutMs, limitMs) => {
    await begin(
      [
        { body: ['{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[', "hang"] },
        list("10", ["a"]),
        quiet,
      ],
      listIdleTimeoutMs === undefined ? {} : { listIdleTimeoutMs },
    );
    await wire.clock.advance(limitMs - 1);
    expect([requests(), wire.informer.status.type]).toEqual([["list"], "listing"]);
    await wire.clock.advance(1);
    expect([wire.informer.status.type, String(wire.informer.lastError)]).toEqual([
      "backingOff",
      `TransportError: received no data for ${String(limitMs / 1_000)} s`,
    ]);
    await wire.clock.advance(1_000);
    expect([requests(), names()]).toEqual([["list", "list", "watch from 10"], "a"]);
  },
);
