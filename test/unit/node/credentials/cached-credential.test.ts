import { expect, it } from "vitest";
import { systemClock } from "../../../../src/internal/clock.js";
import { createCachedCredential } from "../../../../src/node/credentials/cached-credential.js";

const caller = { signal: new AbortController().signal };

it.each<[string, number | undefined, [at: number, fetches: number][]]>([
  [
    "an hour: ten seconds before it expires",
    3_600_000,
    [
      [3_589_999, 1],
      [3_590_000, 2],
    ],
  ],
  [
    "twelve seconds: after half of them",
    12_000,
    [
      [5_999, 1],
      [6_000, 2],
    ],
  ],
  [
    "no time at all: for every request",
    0,
    [
      [0, 2],
      [1, 3],
    ],
  ],
  ["an unlimited time: never", undefined, [[1e12, 1]]],
])("credential is fetched again if it lives for %s", async (_name, lifeMs, looks) => {
  let now = 0;
  let fetches = 0;
  const source = createCachedCredential(
    () => {
      fetches++;
      return Promise.resolve({
        credential: { authorization: `Bearer ${String(fetches)}` },
        expiresAtMs: lifeMs === undefined ? undefined : now + lifeMs,
      });
    },
    { ...systemClock, now: () => now, monotonic: () => now },
  );
  await source.current(caller);
  for (const [at, expected] of looks) {
    now = at;
    await source.current(caller);
    expect([at, fetches]).toEqual([at, expected]);
  }
});
