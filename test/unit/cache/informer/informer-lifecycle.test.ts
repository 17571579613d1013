import { describe, expect, it } from "vitest";
import { ClosedError, TransportError } from "../../../../src/errors/errors.js";
import { harnesses } from "../../../support/informer-harness.js";
import type { Thing } from "../../../support/scripted-source.js";
import { failure } from "../../../support/scripted-source.js";
import { settle } from "../../../support/virtual-clock.js";

const begin = harnesses();

describe("informer lifecycle and failures", () => {
  it("ignores a second start", async () => {
    const { informer, source } = begin();
    informer.start();
    informer.start();
    await settle();
    expect(source.requests).toEqual(["list limit=500"]);
  });
  it("closes during a list without delivering anything", async () => {
    const { informer, listen, source, news, statuses } = begin();
    listen();
    await settle();
    source.lists[0]!.slice("a@1");
    const closing = informer.close();
    source.lists[0]!.answer("10", ["b@1"]);
    await closing;
    await informer.close();
    expect([
      source.requests.length,
      news(),
      informer.status.type,
      statuses.filter(({ type }) => type === "closed").length,
    ]).toEqual([1, [], "closed", 1]);
  });
  it("recovers from every server failure and reports its status", async () => {
    const { informer, listen, answer, watch, clock, statuses, source } = begin();
    listen();
    await answer("10", ["a@1"]);
    watch().end(failure(500, "InternalError"));
    await settle();
    expect(informer.status).toMatchObject({ type: "backingOff", kind: "server", delayMs: 800 });
    expect(informer.lastError).toMatchObject({ code: 500 });
    await clock.advance(800);
    await answer("10", ["a@1"]);
    watch().end(failure(429, "TooManyRequests", { retryAfterSeconds: 5 }));
    await settle();
    expect(informer.status).toMatchObject({ type: "backingOff", kind: "throttled", delayMs: 5_000 });
    await clock.advance(5_000);
    watch().end(new TransportError("reset"));
    await clock.advance(30_000);
    // A list of one checks the server's version before the watch, unless the server was just busy.
    expect(source.requests).toEqual([
      "list limit=500",
      "watch rv=10",
      "list limit=1 rv=10 match=NotOlderThan",
      "watch rv=10",
      "watch rv=10",
      "list limit=1 rv=10 match=NotOlderThan",
    ]);
    expect(statuses.map(({ type }) => type)).toEqual([
      "listing",
      "synced",
      "connecting",
      "watching",
      "backingOff",
      "connecting",
      "watching",
      "backingOff",
      "watching",
      "backingOff",
    ]);
    await answer("10", []);
    expect(informer.status.type).toBe("watching");
    expect(informer.metrics).toMatchObject({
      lists: 1,
      listsDone: 1,
      watches: 4,
      failures: { server: 1, throttled: 1, transport: 1 },
    });
  });
  it("replaces a connection that receives no data", async () => {
    const { listen, answer, send, watch, clock, source, informer, statuses } = begin();
    listen();
    await answer("10", ["a@1"]);
    await send("=11");
    const first = watch();
    await clock.advance(149_999);
    await send("=12");
    await clock.advance(149_999);
    expect(first.closed).toBe(false);
    await clock.advance(1);
    expect([first.closed, source.requests.at(-1), informer.metrics.stalls]).toEqual([
      true,
      "list limit=1 rv=12 match=NotOlderThan",
      1,
    ]);
    expect(informer.status.type).toBe("connecting");
    await clock.advance(90_000);
    expect(informer.status).toMatchObject({ type: "backingOff", kind: "transport", delayMs: 800 });
    await clock.advance(800);
    expect(informer.status).toMatchObject({ type: "backingOff" });
    await answer("12", ["a@1"]);
    expect(source.requests.at(-1)).toBe("watch rv=12");
    expect(statuses.map(({ type }) => type).slice(-4)).toEqual(["connecting", "backingOff", "connecting", "watching"]);
  });
  it("uses the watch timeout instead of bookmarks as idle limit if the server sent none", async () => {
    const { listen, answer, watch, clock, source } = begin();
    listen();
    await answer("10", []);
    await clock.advance(329_999);
    expect(watch().closed).toBe(false);
    await clock.advance(1);
    expect(source.requests.at(-1)).toBe("list limit=1 rv=10 match=NotOlderThan");
    await answer("10", []);
    expect([source.requests.at(-1), source.watches.length]).toEqual(["watch rv=10", 2]);
  });
  it("skips objects whose transform fails and objects without a name", async () => {
    const { informer, listen, answer, news, watch } = begin({
      transform(object) {
        if (object.metadata?.name === "bad") throw new TypeError("bad");
        return { ...object, value: 1 };
      },
    });
    listen();
    await answer("10", ["a@1", "bad@2"]);
    watch().send("~bad@11", "~a@12");
    await settle();
    expect(news()).toEqual(["+a@1", "~a@1>12"]);
    expect(informer.store.get("a")).toMatchObject({ value: 1 });
    expect(informer.metrics.objectsDropped).toBe(2);
  });
  it("removes an object if the transform fails for its new state", async () => {
    const { listen, answer, send, news, store } = begin({
      transform(object) {
        if (Number(object.metadata!.resourceVersion) === 11) throw new TypeError("bad");
        return object;
      },
    });
    listen();
    await answer("10", ["a@1", "b@1"]);
    await send("~a@11");
    expect([store(), news()]).toEqual(["b@1", ["+a@1", "+b@1", "-a@1?"]]);
    await send("~a@12");
    expect([store(), news()]).toEqual(["a@12 b@1", ["+a@12"]]);
  });
  it("rejects the wait of a removed handler and closes the connection", async () => {
    const { informer, source } = begin();
    const registration = informer.addHandler(() => undefined);
    const waiting = registration.synced();
    await settle();
    registration.remove();
    await expect(waiting).rejects.toThrow(ClosedError);
    await expect(registration.synced()).rejects.toThrow(ClosedError);
    await settle();
    expect([source.lists[0]!.closed, informer.status.type]).toEqual([true, "idle"]);
  });
  it("shows its list at once when it starts again after a failure", async () => {
    const { informer, source } = begin();
    const registration = informer.addHandler(() => undefined);
    await settle();
    source.lists[0]!.fail(failure(503, "ServiceUnavailable"));
    await settle();
    expect(informer.status.type).toBe("backingOff");
    registration.remove();
    await settle();
    expect(informer.status.type).toBe("idle");
    informer.addHandler(() => undefined);
    await settle();
    expect([source.lists.length, informer.status.type]).toEqual([2, "listing"]);
  });
  it("keeps its connection while someone waits, and no longer", async () => {
    const { informer, source, answer, send, watch } = begin();
    const registration = informer.addHandler(() => undefined);
    const waiting = informer.synced();
    registration.remove();
    await answer("10", ["a@1"]);
    await waiting;
    await settle();
    expect([source.watches.every(({ closed }) => closed), informer.status.type]).toEqual([true, "idle"]);
    const again = informer.addHandler(() => undefined);
    const version = informer.waitForResourceVersion("12");
    await answer("11", ["a@1"]);
    again.remove();
    await settle();
    expect(watch().closed).toBe(false);
    await send("=12");
    await version;
    await settle();
    expect(watch().closed).toBe(true);
  });
  it("freezes stored objects", async () => {
    const { informer, listen, answer } = begin();
    listen();
    await answer("10", ["a@1"]);
    expect(() => {
      (informer.store.get("a") as Thing).metadata!.name = "b";
    }).toThrow(TypeError);
  });
  it("lists more objects than a function call can take as arguments", async () => {
    const { informer, listen, source } = begin({ freeze: false });
    listen();
    await settle();
    source.lists[0]!.answer(
      "10",
      Array.from({ length: 200_000 }, (_, i) => `n/${String(i)}@1`),
    );
    await informer.synced();
    expect(informer.store.list()).toHaveLength(200_000);
    expect(informer.store.list({ namespace: "n" })).toHaveLength(200_000);
  });
});
