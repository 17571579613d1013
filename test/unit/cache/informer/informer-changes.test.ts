import { describe, expect, it } from "vitest";
import type { Change } from "../../../../src/cache/store/change.js";
import { describeChange, harnesses } from "../../../support/informer-harness.js";
import type { Thing } from "../../../support/scripted-source.js";
import { failure } from "../../../support/scripted-source.js";
import { settle } from "../../../support/virtual-clock.js";

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
