import { describe, expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { harnesses } from "../../support/informer-harness.js";
import type { ScriptedSource } from "../../support/scripted-source.js";
import { createScriptedSource, failure } from "../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

const begin = harnesses({ initialList: "auto" });

describe("a streaming list", () => {
  it("becomes visible in one step at its end bookmark and continues on the same connection", async () => {
    const { listen, informer, watch, send, news, store, source } = begin();
    const synced = informer.synced();
    listen();
    await settle();
    await send("+a@3", "+b@5", "~a@7", "-b@8", "=8");
    expect([store(), news(), informer.hasSynced, informer.status]).toEqual([
      "",
      [],
      false,
      { type: "streaming", received: 4 },
    ]);
    await send("!9");
    await synced;
    expect([store(), news(), informer.status]).toEqual(["a@7", ["+a@7"], { type: "watching", resourceVersion: "9" }]);
    await send("+c@10");
    expect([news(), source.requests, watch().closed]).toEqual([["+c@10"], ["stream"], false]);
  });
  it.each([1, 15, 16, 17, 40])(
    "of %i objects mixed with live events gives the same result in a batch as one by one",
    async (count) => {
      const texts = [
        ...Array.from({ length: count }, (_, i) => `+n${String(i)}@${String(i + 1)}`),
        "~n0@90",
        "+m@91",
        "-n1@92",
        "=93",
        "+k@94",
        "!95",
        "+l@96",
      ];
      const seen = await Promise.all(
        [[texts], texts.map((text) => [text])].map(async (portions) => {
          const { listen, informer, send, news, store } = begin();
          listen();
          await settle();
          for (const portion of portions) await send(...portion);
          const { events, listsDone } = informer.metrics;
          return [store(), news(), informer.status, events, listsDone];
        }),
      );
      expect(seen[0]).toEqual(seen[1]);
      expect(seen[0]![3]).toMatchObject({ ADDED: count + 3, MODIFIED: 1, BOOKMARK: 2 });
    },
  );
  it("repeated after an expiry keeps the store until its end, then delivers the differences", async () => {
    const { listen, send, watch, news, store, source } = begin();
    listen();
    await settle();
    await send("+a@1", "+b@2", "!3");
    news();
    watch().end(failure(410, "Expired"));
    await settle();
    await send("+c@12", "+b@2");
    expect([store(), news()]).toEqual(["a@1 b@2", []]);
    await send("!13");
    expect([store(), news()]).toEqual(["b@2 c@12", ["-a@1?", "+c@12"]]);
    expect(source.requests).toEqual(["stream", "stream rv=3"]);
  });
  it("that never ends is abandoned, regardless of live events", async () => {
    const { listen, send, clock, source } = begin();
    listen();
    await settle();
    await send("+a@1");
    for (let second = 0; second < 9; second++) {
      await clock.advance(1_000);
      await send(`~a@${String(second + 2)}`);
    }
    await clock.advance(1_000);
    expect(source.requests).toEqual(["stream", "list limit=500"]);
  });
  it("that is slow but makes progress is awaited", async () => {
    const { listen, send, clock, source, store } = begin();
    listen();
    await settle();
    for (let i = 0; i < 10; i++) {
      await send(`+n${String(i)}@1`);
      await clock.advance(9_000);
    }
    await send("!20");
    expect([source.requests.length, store().split(" ").length]).toEqual([1, 10]);
  });
});

describe("a server without streaming lists", () => {
  const of = (groupVersionResource: string | undefined, cacheScope: object | undefined): ScriptedSource =>
    Object.assign(createScriptedSource(), {
      ...(groupVersionResource && { groupVersionResource }),
      ...(cacheScope && { cacheScope }),
    });
  const refuse = (source: ScriptedSource): void => source.watches[0]!.end(failure(422, "Invalid"));
  /**
   * Returns the first request of an informer of the second collection, after an informer of the first had to fall back
   * to a list.
   */
  const second = async (
    first: ScriptedSource,
    other: ScriptedSource,
    spoil: (source: ScriptedSource) => void | Promise<void>,
    passMs = 0,
    clock = createVirtualClock(),
    otherClock = clock,
  ): Promise<string> => {
    const options = { clock, random: () => 0 };
    const one = createInformer(first, options);
    one.start();
    await settle();
    await spoil(first);
    await settle();
    first.lists.at(-1)?.answer("10", []);
    await settle();
    expect(one.hasSynced).toBe(true);
    await clock.advance(passMs);
    const two = createInformer(other, { ...options, clock: otherClock });
    two.start();
    await settle();
    const [request] = other.requests;
    await one.close();
    await two.close();
    return request!;
  };
  const [owner, stranger] = [{}, {}];
  it.each<[string, ScriptedSource, ScriptedSource, string, number?]>([
    [
      "receives plain lists for the same resource in any namespace",
      of("apps/v1/things", owner),
      of("apps/v1/things", owner),
      "list limit=500",
    ],
    [
      "still receives streaming requests for other resources",
      of("apps/v1/others", owner),
      of("apps/v1/fewer", owner),
      "stream",
    ],
    ["doesn't affect another client", of("apps/v1/things", {}), of("apps/v1/things", stranger), "stream"],
    [
      "receives a streaming request again after an hour",
      of("apps/v1/late", owner),
      of("apps/v1/late", owner),
      "stream",
      3_600_000,
    ],
    [
      "receives streaming requests from each collection without scope and resource",
      of(undefined, undefined),
      of(undefined, undefined),
      "stream",
    ],
    [
      "receives streaming requests from collections with a scope but without a resource",
      of(undefined, owner),
      of(undefined, owner),
      "stream",
    ],
  ])("%s", async (_name, first, other, expected, passMs) =>
    expect(await second(first, other, refuse, passMs)).toBe(expected),
  );
  it("is remembered if the end bookmark never came or streams repeatedly ended early", async () => {
    const clock = createVirtualClock();
    expect(await second(of("a", owner), of("a", owner), () => clock.advance(10_000), 0, clock)).toBe("list limit=500");
    expect(
      await second(
        of("b", owner),
        of("b", owner),
        async (source) => {
          for (const waitMs of [800, 1_600, 0]) {
            source.watches.at(-1)!.end();
            await clock.advance(waitMs);
          }
        },
        0,
        clock,
      ),
    ).toBe("list limit=500");
  });
  it("isn't assumed after temporary network or server failures, or for another clock", async () => {
    const clock = createVirtualClock();
    expect(
      await second(
        of("c", owner),
        of("c", owner),
        async (source) => {
          for (const [error, waitMs] of [
            [failure(503, "ServiceUnavailable"), 800],
            [failure(500, "InternalError"), 1_600],
            [failure(503, "ServiceUnavailable"), 0],
          ] as const) {
            source.watches.at(-1)!.end(error);
            await clock.advance(waitMs);
          }
        },
        0,
        clock,
      ),
    ).toBe("stream");
    expect(await second(of("d", owner), of("d", owner), refuse, 0, clock, createVirtualClock())).toBe("stream");
  });
  it("isn't assumed if the plain list failed as well", async () => {
    const clock = createVirtualClock();
    const [first, other] = [of("e", owner), of("e", owner)];
    const one = createInformer(first, { clock, random: () => 0 });
    one.start();
    await settle();
    first.watches[0]!.end(failure(400, "BadRequest"));
    await settle();
    first.lists[0]!.fail(failure(400, "BadRequest"));
    await settle();
    const two = createInformer(other, { clock, random: () => 0 });
    two.start();
    await settle();
    expect(other.requests).toEqual(["stream"]);
    await one.close();
    await two.close();
  });
});
