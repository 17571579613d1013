import { describe, expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../../../src/cache/informer/informer.js";
import { stripManagedFields } from "../../../../src/cache/informer/transform.js";
import type { Change } from "../../../../src/cache/store/change.js";
import { createStore } from "../../../../src/cache/store/store.js";
import { ClosedError, TransportError } from "../../../../src/errors/errors.js";
import type { Clock } from "../../../../src/internal/clock.js";
import type { DecodeOptions } from "../../../../src/meta/options.js";
import { describeChange, harnesses } from "../../../support/informer-harness.js";
import type { Thing } from "../../../support/scripted-source.js";
import { createScriptedSource, failure, thing } from "../../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../../support/virtual-clock.js";

const begin = harnesses();

describe("informer changes", () => {
  it("report the events of a watch with the old object", async () => {
    const { listen, answer, send, news, store, informer } = begin();
    listen();
    await answer("10", ["web/a@1", "web/b@2"]);
    expect(news()).toEqual(["+web/a@1", "+web/b@2"]);
    await send("+web/c@11", "~web/a@12", "-web/b@13", "=20");
    expect(news()).toEqual(["+web/c@11", "~web/a@1>12", "-web/b@13"]);
    expect(store()).toBe("web/a@12 web/c@11");
    expect(informer.store.get("web/a")?.metadata?.resourceVersion).toBe("12");
    expect(informer.store.resourceVersion).toBe("20");
  });
  it("of a relist are deletions first, then the list's order, without unchanged objects", async () => {
    const { listen, answer, news, store, watch, source, informer } = begin();
    listen();
    await answer("10", ["a@1", "b@2", "c@3", "d@4#old"]);
    news();
    const kept = informer.store.get("b");
    watch().end(failure(410, "Expired"));
    await answer("20", ["e@15", "b@2", "c@12", "d@13#new"]);
    expect(news()).toEqual(["-a@1?", "+e@15", "~c@3>12", "-d@4?", "+d@13"]);
    expect(store()).toBe("b@2 c@12 d@13 e@15");
    expect(informer.store.get("b")).toBe(kept);
    expect(source.requests).toEqual(["list limit=500", "watch rv=10", "list rv=10 match=NotOlderThan", "watch rv=20"]);
  });
  it("of a list are delivered after the whole list is visible", async () => {
    const { informer, answer, watch, source } = begin();
    const seen: string[] = [];
    informer.addHandler((change) =>
      seen.push(`${change.type} ${change.key}: ${[...informer.store.keys()].sort().join(",")}`),
    );
    await answer("10", ["a@1", "b@2"]);
    watch().end(failure(410, "Gone"));
    await settle();
    expect(informer.store.size).toBe(2);
    source.lists.at(-1)!.slice("c@12");
    await settle();
    expect([...informer.store.keys()]).toEqual(["a", "b"]);
    await answer("20", ["b@15"]);
    expect(seen).toEqual(
      ["added a: a,b", "added b: a,b", "deleted a: c,b", "added c: c,b", "updated b: c,b"].map((line) =>
        line.replace("c,b", "b,c"),
      ),
    );
  });
  it("treat another uid as another object", async () => {
    const { listen, answer, send, news } = begin();
    listen();
    await answer("10", ["a@1#u1"]);
    await send("~a@12#u2");
    expect(news()).toEqual(["+a@1", "-a@1?", "+a@12"]);
  });
  it("skip known events, older versions and deletions of unknown objects", async () => {
    const { listen, answer, send, news } = begin();
    listen();
    await answer("10", ["a@9"]);
    news();
    await send("~a@9", "+a@9", "~a@8", "-z@11", "~b@12", "-b@13", "-b@13");
    expect(news()).toEqual(["+b@12", "-b@13"]);
  });
  it("compare versions as numbers of any length, and only if both are numbers", async () => {
    const { listen, answer, send, news } = begin();
    listen();
    await answer("9", ["a@9", "b@x1"]);
    news();
    await send("~a@10", "~b@x0", "~a@123456789012345678901234567890", "~a@99999999999999999999");
    expect(news()).toEqual(["~a@9>10", "~b@x1>x0", "~a@10>123456789012345678901234567890"]);
  });
  it("report their cause and whether they are initial", async () => {
    const { informer, answer, send, watch } = begin();
    const notified: string[] = [];
    const note = (name: string) => (change: Change<Thing>) =>
      notified.push(`${name} ${describeChange(change)} ${change.cause}${change.initial ? " initial" : ""}`);
    informer.addHandler(note("1"));
    await answer("10", ["a@1"]);
    await send("+b@11");
    informer.addHandler(note("2"));
    watch().end(failure(410, "Expired"));
    await answer("20", ["a@12"]);
    expect(notified).toEqual([
      "1 +a@1 list initial",
      "1 +b@11 live",
      "2 +a@1 list initial",
      "2 +b@11 list initial",
      "1 -b@11? relist",
      "1 ~a@1>12 relist",
      "2 -b@11? relist",
      "2 ~a@1>12 relist",
    ]);
  });
  it("handle names like __proto__ and constructor as plain data", async () => {
    const { listen, answer, send, news, informer } = begin();
    listen();
    await answer("10", ["__proto__/constructor@1", "__proto__@2"]);
    await send("-__proto__@11");
    expect(news()).toEqual(["+__proto__/constructor@1", "+__proto__@2", "-__proto__@11"]);
    expect(informer.store.list({ namespace: "__proto__" })).toHaveLength(1);
  });
  it("repeat all objects on resync", async () => {
    const { listen, answer, clock, news } = begin({ resyncMs: 60_000 });
    listen();
    await answer("10", ["a@1"]);
    news();
    await clock.advance(120_000);
    expect(news()).toEqual(["~a@1>1", "~a@1>1"]);
  });
  it("aren't repeated with a resync of 0 ms", async () => {
    const { listen, answer, clock, news } = begin({ resyncMs: 0 });
    listen();
    await answer("10", ["a@1"]);
    news();
    await clock.advance(10);
    expect(news()).toEqual([]);
  });
});

describe("informer handlers", () => {
  it("that throw or reject affect neither the informer nor other handlers", async () => {
    const { informer, listen, answer, send, news } = begin({
      onError: () => {
        throw new TypeError("from onError");
      },
    });
    informer.addHandler(() => {
      throw new TypeError("at once");
    });
    informer.addHandler((async () => {
      throw new TypeError("later");
    }) as () => void);
    listen();
    await answer("10", ["a@1"]);
    await send("~a@11");
    expect(news()).toEqual(["+a@1", "~a@1>11"]);
    expect(informer.metrics.handlerErrors).toBe(4);
  });
  it("aren't called after removal, and removing the last one closes the connection", async () => {
    const { listen, answer, news, watch, informer, source } = begin();
    const first = listen();
    const second = listen();
    await answer("10", ["a@1"]);
    first.remove();
    first.remove();
    expect(watch().closed).toBe(false);
    news();
    watch().send("~a@11");
    second.remove();
    await settle();
    expect([watch().closed, news(), informer.status.type, source.requests.length]).toEqual([true, [], "idle", 2]);
  });
  it("added after the informer went idle resume from its last version", async () => {
    const { listen, answer, news, source, store, send } = begin();
    listen().remove();
    await settle();
    listen();
    await answer("10", ["a@1"]);
    await send("~a@11");
    const again = listen();
    news();
    again.remove();
    expect(source.requests.filter((request) => request.startsWith("watch"))).toEqual(["watch rv=10"]);
    expect(store()).toBe("a@11");
  });
  it("may remove themselves or others during delivery", async () => {
    const { informer, answer } = begin();
    const notified: string[] = [];
    const first = informer.addHandler((change) => {
      notified.push(`first ${change.key}`);
      first.remove();
      second.remove();
    });
    const second = informer.addHandler((change) => notified.push(`second ${change.key}`));
    await answer("10", ["a@1", "b@1"]);
    expect(notified).toEqual(["first a"]);
  });
  it("added by a handler receive the current objects once and all later changes", async () => {
    const { informer, answer, send } = begin();
    const notified: string[] = [];
    let nested = false;
    informer.addHandler(() => {
      if (nested) return;
      nested = true;
      informer.addHandler((change) => notified.push(describeChange(change)));
    });
    await answer("10", ["a@1", "b@1"]);
    await send("~a@11");
    expect(notified).toEqual(["+a@1", "+b@1", "~a@1>11"]);
  });
  it("added on the synced status receive the current objects once, for the first list and for a relist", async () => {
    const { informer, answer, send, watch } = begin();
    const notified: string[][] = [];
    informer.onStatus(({ type }) => {
      if (type !== "synced") return;
      const mine: string[] = [];
      notified.push(mine);
      informer.addHandler((change) => mine.push(describeChange(change)));
    });
    informer.start();
    await answer("10", ["a@1", "b@1"]);
    watch().end(failure(410, "Expired"));
    await answer("20", ["b@1", "c@15"]);
    await send("~c@21");
    expect(notified).toEqual([
      ["+a@1", "+b@1", "-a@1?", "+c@15", "~c@15>21"],
      ["+b@1", "+c@15", "~c@15>21"],
    ]);
  });
  it("may skip the initial objects", async () => {
    const { informer, listen, answer, send } = begin();
    listen();
    await answer("10", ["a@1"]);
    const notified: string[] = [];
    informer.addHandler((change) => notified.push(describeChange(change)), { replay: false });
    await send("~a@11");
    expect(notified).toEqual(["~a@1>11"]);
  });
});

describe("synced()", () => {
  it("resolves when the store is filled, also by an empty list, and immediately after that", async () => {
    const { informer, answer } = begin();
    const synced = informer.synced();
    await answer("10", []);
    await synced;
    await informer.synced({ signal: AbortSignal.abort() });
    expect([informer.hasSynced, informer.store.size]).toEqual([true, 0]);
  });
  it("of a handler resolves when the handler received all initial objects", async () => {
    const { informer, answer } = begin();
    const notified: string[] = [];
    const registration = informer.addHandler((change) => notified.push(change.key));
    const synced = registration.synced().then(() => notified.push("synced"));
    await answer("10", ["a@1", "b@1"]);
    await synced;
    expect(notified).toEqual(["a", "b", "synced"]);
  });
  it.each([
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
  ])("rejects with the Status after a second %d, while the informer keeps retrying", async (code, reason) => {
    const { informer, source, clock, answer } = begin();
    const synced = informer.synced();
    const outcome = expect(synced).rejects.toMatchObject({ code, reason });
    await settle();
    source.lists.at(-1)!.fail(failure(code, reason));
    await clock.advance(999);
    expect(informer.status).toMatchObject({ type: "refused", attempt: 1, delayMs: 1_000 });
    await clock.advance(1);
    source.lists.at(-1)!.fail(failure(code, reason));
    await outcome;
    await clock.advance(3_000);
    await answer("10", ["a@1"]);
    expect(informer.status.type).toBe("watching");
    await informer.synced();
  });
  it("rejects with the last failure on timeout and with the signal's reason on abort", async () => {
    const { informer, source, clock } = begin();
    const timed = expect(informer.synced({ timeoutMs: 500 })).rejects.toMatchObject({ code: 503 });
    const controller = new AbortController();
    const aborted = expect(informer.synced({ signal: controller.signal })).rejects.toBe("enough");
    await settle();
    source.lists.at(-1)!.fail(failure(503, "ServiceUnavailable"));
    controller.abort("enough");
    await clock.advance(500);
    await timed;
    await aborted;
  });
  it("rejects when the informer is closed, and after that", async () => {
    const { informer } = begin();
    const synced = expect(informer.synced()).rejects.toBeInstanceOf(ClosedError);
    await settle();
    await informer.close();
    await synced;
    await expect(informer.synced()).rejects.toBeInstanceOf(ClosedError);
    expect(() => informer.addHandler(() => undefined)).toThrow(ClosedError);
    expect(() => informer.start()).toThrow(ClosedError);
  });
});

describe("waitForResourceVersion()", () => {
  it("resolves with an event or a bookmark of at least that version", async () => {
    const { informer, listen, answer, send } = begin();
    listen();
    await answer("9", []);
    const reached: string[] = [];
    const wait = (version: string): void =>
      void informer.waitForResourceVersion(version).then(() => reached.push(version));
    for (const version of ["8", "9", "10", "11", "100"]) wait(version);
    await settle();
    expect(reached).toEqual(["8", "9"]);
    await send("+a@10");
    expect(reached).toEqual(["8", "9", "10"]);
    await send("=99");
    expect(reached).toEqual(["8", "9", "10", "11"]);
    await send("=100");
    expect(reached).toEqual(["8", "9", "10", "11", "100"]);
  });
  it("rejects on timeout, abort and close, and for invalid versions", async () => {
    const { informer, listen, answer, clock } = begin();
    listen();
    await answer("9", []);
    await expect(informer.waitForResourceVersion("abc")).rejects.toBeInstanceOf(RangeError);
    const timed = expect(informer.waitForResourceVersion("10", { timeoutMs: 50 })).rejects.toThrow(
      "timed out after 50 ms",
    );
    await clock.advance(50);
    await timed;
  });
  it("doesn't report a failure that was overcome before the wait", async () => {
    const { informer, source, listen, answer, clock } = begin();
    listen();
    await settle();
    source.lists.at(-1)!.fail(new TransportError("reset"));
    await clock.advance(30_000);
    await answer("9", []);
    expect(informer.lastError).toBeInstanceOf(TransportError);
    const timed = expect(informer.waitForResourceVersion("10", { timeoutMs: 50 })).rejects.toThrow(
      "timed out after 50 ms",
    );
    await clock.advance(50);
    await timed;
  });
});

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
    const { informer, listen, answer, send, news, watch } = begin({
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

describe("informer indexes", () => {
  it("follow every change and list, whenever they were added", async () => {
    const { informer, listen, answer, send, watch } = begin({
      indexes: { parity: ({ metadata }) => [Number(metadata!.resourceVersion) % 2 === 0 ? "even" : "odd"] },
    });
    listen();
    await answer("10", ["x/a@1", "x/b@2", "y/c@3"]);
    const { store } = informer;
    const names = (objects: readonly { metadata?: { name?: string } | undefined }[]): string =>
      objects
        .map(({ metadata }) => metadata?.name)
        .sort()
        .join();
    expect([
      names(store.byIndex("parity", "odd")),
      names(store.byIndex("parity", "even")),
      names(store.list({ namespace: "x" })),
    ]).toEqual(["a,c", "b", "a,b"]);
    await send("~x/a@12", "-x/b@13", "+y/d@15");
    const byName = ({ metadata }: { metadata?: { name?: string | undefined } | undefined }): string[] => [
      metadata!.name!,
    ];
    store.addIndex("name", byName as never);
    store.addIndex("name", byName as never);
    expect([
      names(store.byIndex("parity", "odd")),
      names(store.byIndex("parity", "even")),
      names(store.list({ namespace: "x" })),
      names(store.byIndex("name", "d")),
    ]).toEqual(["c,d", "a", "a", "d"]);
    watch().end(failure(410, "Gone"));
    await answer("20", ["x/a@12", "z/e@17"]);
    expect([
      store.indexValues("parity").sort(),
      names(store.list({ namespace: "y" })),
      names(store.list({ namespace: "z" })),
      store.indexValues("name").sort(),
    ]).toEqual([["even", "odd"], "", "e", ["a", "e"]]);
    expect(() => store.byIndex("nope", "x")).toThrow(RangeError);
    expect(() => store.addIndex("parity", () => [])).toThrow(RangeError);
  });
  it("hold an object under each of its values, or under none", async () => {
    const values: Record<string, string[]> = { a: ["x", "y"], b: ["y"], c: [] };
    const { informer, listen, answer, send } = begin({
      indexes: { i: ({ metadata }) => (metadata!.resourceVersion === "12" ? ["z", "x"] : values[metadata!.name!]!) },
    });
    listen();
    await answer("10", ["a@1", "b@1", "c@1"]);
    const shown = (): string =>
      informer.store
        .indexValues("i")
        .sort()
        .map(
          (value) =>
            `${value}:${informer.store
              .byIndex("i", value)
              .map(({ metadata }) => metadata!.name)
              .sort()
              .join("")}`,
        )
        .join(" ");
    expect(shown()).toBe("x:a y:ab");
    await send("~a@12", "-b@13");
    expect(shown()).toBe("x:a z:a");
  });
  it("are removed with the last user that added them", async () => {
    const { informer, listen, answer } = begin();
    listen();
    await answer("10", ["a@1"]);
    const { store } = informer;
    const of = (): string[] => ["x"];
    for (const name of ["i", "i"]) store.addIndex(name, of);
    store.removeIndex("i");
    store.removeIndex("nope");
    expect(store.byIndex("i", "x")).toHaveLength(1);
    store.removeIndex("i");
    expect(() => store.byIndex("i", "x")).toThrow(RangeError);
    store.addIndex("i", () => ["other"]);
    expect(store.byIndex("i", "other")).toHaveLength(1);
  });
  it("can be added and removed while a list is processed", async () => {
    const store = createStore<Thing>(() => undefined);
    const of = (): string[] => ["x"];
    for (const name of ["kept", "gone", "other"]) store.addIndex(name, of);
    const prepared = await store.prepareReplace(
      new Map([
        ["a", thing("a@1")],
        ["b", thing("b@1")],
      ]),
      "list",
      () => undefined,
    );
    store.removeIndex("gone");
    store.removeIndex("other");
    store.addIndex("other", () => ["y"]);
    store.addIndex("new", of);
    prepared.commit();
    expect([
      store.byIndex("kept", "x").length,
      store.indexValues("other"),
      store.byIndex("other", "y").length,
      store.byIndex("new", "x").length,
    ]).toEqual([2, ["y"], 2, 2]);
    expect(() => store.byIndex("gone", "x")).toThrow(RangeError);
    store.put("c", thing("c@2"), "live");
    expect([store.byIndex("kept", "x").length, store.byIndex("other", "y").length]).toEqual([3, 3]);
  });
  it("whose function throws skip only that object", async () => {
    const { informer, listen, answer } = begin({
      indexes: {
        bad: () => {
          throw new TypeError("bad index");
        },
      },
    });
    listen();
    await answer("10", ["a@1"]);
    expect([informer.store.size, informer.store.byIndex("bad", "x")]).toEqual([1, []]);
    expect(informer.metrics.handlerErrors).toBeGreaterThan(0);
  });
});

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
