import { describe, expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../../../src/cache/informer/informer.js";
import { stripManagedFields } from "../../../../src/cache/informer/transform.js";
import type { Clock } from "../../../../src/internal/clock.js";
import type { DecodeOptions } from "../../../../src/meta/options.js";
import { harnesses } from "../../../support/informer-harness.js";
import type { Thing } from "../../../support/scripted-source.js";
import { createScriptedSource, thing } from "../../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../../support/virtual-clock.js";

const begin = harnesses();

describe("informer with a large list", () => {
  it("yields to the event loop, keeps the order, and delivers everything once to late handlers", async () => {
    // A clock on which each reading takes time, to simulate work.
    let spent = 0;
    const clock = createVirtualClock();
    let turns = 0;
    const counted: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + (spent += 0.2),
      setTimer: (callback, delayMs) =>
        clock.setTimer(() => {
          turns++;
          callback();
        }, delayMs),
    };
    const { informer, source } = begin({ freeze: false, clock: counted });
    const [early, late]: [string[], string[]] = [[], []];
    const registration = informer.addHandler((change) => {
      early.push(change.key);
      if (early.length === 5_000) informer.addHandler((other) => late.push(other.key));
    });
    await settle();
    source.lists[0]!.answer(
      "10",
      Array.from({ length: 20_000 }, (_, i) => `n/${String(i)}@1`),
    );
    await clock.advance(1_000);
    expect(turns).toBeGreaterThan(8);
    expect(early).toEqual(Array.from({ length: 20_000 }, (_, i) => `n/${String(i)}`));
    expect(late).toEqual(early);
    expect(registration.lag).toBe(0);
  });
});

it.each([
  [{ resyncMs: -1 }, "resyncMs must be at least 0, not -1"],
  [{ resyncMs: Number.NaN }, "resyncMs must be at least 0, not NaN"],
  [{ pageSize: 0.5 }, "pageSize must be a positive integer, not 0.5"],
  [{ pageSize: Number.POSITIVE_INFINITY }, "pageSize must be a positive integer, not Infinity"],
  [{ backoff: { initialMs: 0, factor: 2, capMs: 10, jitter: 0 } }, "backoff.initialMs must be greater than 0, not 0"],
  [{ backoff: { initialMs: 1, factor: 0.5, capMs: 10, jitter: 0 } }, "backoff.factor must be at least 1, not 0.5"],
  [
    { refusedBackoff: { initialMs: 1, factor: 2, capMs: Number.NaN, jitter: 0 } },
    "refusedBackoff.capMs must be greater than 0, not NaN",
  ],
  [
    { refusedBackoff: { initialMs: 1, factor: 2, capMs: 10, jitter: -1 } },
    "refusedBackoff.jitter must be at least 0, not -1",
  ],
  [{ watchTimeoutSeconds: { min: 0, max: 10 } }, "watchTimeoutSeconds must satisfy 1 <= min <= max, not 0 and 10"],
])("createInformer rejects %j", (options, message) => {
  expect(() => createInformer(createScriptedSource(), options)).toThrow(new RangeError(message));
});

it("thing() parses the short form of a test object", () =>
  expect(thing("web/a@7#u1").metadata).toEqual({ namespace: "web", name: "a", resourceVersion: "7", uid: "u1" }));

/** The store, in which similar objects share their parts. */
const pool = expect.any(Object) as object;

it.each<[string, InformerOptions<Thing>, DecodeOptions]>([
  ["lazy by default", {}, { managedFields: "lazy", pool }],
  ["kept apart from other objects without freezing", { freeze: false }, { managedFields: "lazy" }],
  [
    "decoded as the options say",
    { decode: { managedFields: "keep", lazy: true } },
    { managedFields: "keep", lazy: true, pool },
  ],
  ["dropped with stripManagedFields", { transform: stripManagedFields }, { managedFields: "drop" }],
  ["kept for any other transform", { transform: (object) => object }, { managedFields: "keep" }],
  [
    "kept for a transform, even with shareStructure",
    { transform: (object) => object, shareStructure: true },
    { managedFields: "keep" },
  ],
])("managed fields are %s", async (_name, options, decode) => {
  const { listen, answer, source } = begin(options);
  listen();
  await answer("10", []);
  expect([source.lists[0]!.options.decode, source.watches[0]!.options.decode]).toEqual([decode, decode]);
});
