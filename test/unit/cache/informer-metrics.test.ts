import { describe, expect, it } from "vitest";
import { harnesses } from "../../support/informer-harness.js";
import { failure } from "../../support/scripted-source.js";
import { settle } from "../../support/virtual-clock.js";

const begin = harnesses();

describe("informer status and metrics", () => {
  it("count restarts by cause and report the age of the data", async () => {
    const { informer, listen, answer, send, watch, clock, source } = begin();
    listen();
    await clock.advance(250);
    await answer("10", ["a@1"]);
    expect(informer.metrics).toMatchObject({
      lists: 1,
      listsDone: 1,
      pages: 1,
      lastListMs: 250,
      lastContactAt: clock.now(),
      lastEventAt: undefined,
    });
    await clock.advance(5_000);
    await send("~a@11");
    const lastEventAt = clock.now();
    await clock.advance(2_000);
    await send("=12");
    expect(informer.metrics).toMatchObject({ lastEventAt, lastContactAt: clock.now() });
    watch().end(failure(410, "Expired"));
    await answer("20", ["a@11"]);
    watch().end();
    await settle();
    await clock.advance(800);
    await answer("20", ["a@11"]);
    watch().end(failure(500, "InternalError"));
    await clock.advance(1_600);
    source.lists.at(-1)!.fail(failure(403, "Forbidden"));
    await settle();
    const { failures, events, ...metrics } = informer.metrics;
    expect(metrics).toMatchObject({
      lists: 3,
      listsDone: 2,
      watches: 3,
      shortWatches: 1,
      streams: 0,
      stalls: 0,
      size: 1,
      handlers: 1,
      lag: 0,
      lastEventAt,
    });
    expect([events, failures.expired, failures.server, failures.forbidden, failures.throttled]).toEqual([
      { ADDED: 0, MODIFIED: 1, DELETED: 0, BOOKMARK: 1 },
      1,
      1,
      1,
      0,
    ]);
    expect(metrics.lastContactAt).toBe(clock.now() - 1_600);
  });
  it("reach all status handlers even if one throws", async () => {
    const { informer, listen, answer } = begin();
    const delivered: string[] = [];
    informer.onStatus(() => {
      throw new Error("bad");
    });
    informer.onStatus(({ type }) => delivered.push(type));
    listen();
    await answer("10", ["a@1"]);
    expect([delivered, informer.metrics.handlerErrors]).toEqual([["listing", "synced", "connecting", "watching"], 4]);
  });
});
