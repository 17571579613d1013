import type { SchedulerLike, Subscription } from "rxjs";
import { config, firstValueFrom, take, toArray, VirtualTimeScheduler } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import type { ListWatch } from "../../../src/client/resource/collection.js";
import { concatMapBuffered } from "../../../src/rx/concat-map-buffered.js";
import { fromInformer, fromInformerStatus } from "../../../src/rx/from-informer.js";
import { fromJoin, fromObject, fromQuery } from "../../../src/rx/from-query.js";
import { fromPages, fromWatch } from "../../../src/rx/from-watch.js";
import { snapshots } from "../../../src/rx/snapshots.js";
import type { Harness } from "../../support/informer-harness.js";
import { createHarness, describeChange } from "../../support/informer-harness.js";
import type { Thing } from "../../support/scripted-source.js";
import { createScriptedSource, failure } from "../../support/scripted-source.js";
import { settle } from "../../support/virtual-clock.js";

let harness: Harness;
afterEach(async () => {
  await harness.informer.close();
  expect(harness.clock.pending).toBe(0);
});

describe("fromInformer", () => {
  it("starts the informer on subscribe and closes its connection when the last subscriber leaves", async () => {
    harness = createHarness();
    const changes = fromInformer(harness.informer);
    await settle();
    expect(harness.source.requests).toEqual([]);
    const received: string[] = [];
    const first = changes.subscribe((change) => received.push(`1 ${describeChange(change)}`));
    await harness.answer("10", ["a@1"]);
    const second = changes.subscribe((change) => received.push(`2 ${describeChange(change)}`));
    first.unsubscribe();
    await harness.send("~a@11");
    expect(received).toEqual(["1 +a@1", "2 +a@1", "2 ~a@1>11"]);
    expect(harness.watch().closed).toBe(false);
    second.unsubscribe();
    await settle();
    expect(harness.watch().closed).toBe(true);
  });
  it("completes when the informer is closed, also for later subscribers", async () => {
    harness = createHarness();
    const ends: string[] = [];
    fromInformer(harness.informer).subscribe({ complete: () => ends.push("first") });
    await harness.informer.close();
    fromInformer(harness.informer).subscribe({ complete: () => ends.push("second") });
    fromInformerStatus(harness.informer).subscribe({ complete: () => ends.push("third") });
    snapshots(harness.informer).subscribe({ complete: () => ends.push("fourth") });
    expect(ends).toEqual(["first", "second", "third", "fourth"]);
  });
  it("isolates subscribers from an error that another one throws", async () => {
    harness = createHarness();
    const reported: unknown[] = [];
    config.onUnhandledError = (error) => reported.push(error);
    const received: string[] = [];
    fromInformer(harness.informer).subscribe((change) => {
      received.push(`bad ${change.key}`);
      throw new TypeError(change.key);
    });
    fromInformer(harness.informer).subscribe((change) => received.push(`good ${change.key}`));
    const scheduler = new VirtualTimeScheduler();
    snapshots(harness.informer, { scheduler }).subscribe(() => {
      throw new TypeError("snapshot");
    });
    await harness.answer("10", ["a@1"]);
    await harness.send("+b@11");
    scheduler.flush();
    // RxJS reports from its own timers; this one fires after them.
    await new Promise((resolve) => setTimeout(resolve));
    config.onUnhandledError = null;
    expect([received, harness.informer.status.type]).toEqual([["bad a", "good a", "bad b", "good b"], "watching"]);
    expect(reported.map(String).sort()).toEqual(["TypeError: a", "TypeError: b", "TypeError: snapshot"]);
  });
  it("can be unsubscribed in the middle of the initial objects", async () => {
    harness = createHarness();
    harness.listen();
    await harness.answer("10", ["a@1", "b@1", "c@1"]);
    expect(
      (await firstValueFrom(fromInformer(harness.informer).pipe(take(2), toArray()))).map(({ key }) => key),
    ).toEqual(["a", "b"]);
    expect(harness.informer.metrics.handlers).toBe(1);
  });
});

it("fromInformerStatus emits the current status first and starts nothing", async () => {
  harness = createHarness();
  const types: string[] = [];
  const subscription = fromInformerStatus(harness.informer).subscribe(({ type }) => types.push(type));
  await settle();
  expect(harness.source.requests).toEqual([]);
  harness.listen();
  await harness.answer("10", []);
  subscription.unsubscribe();
  expect(types).toEqual(["idle", "listing", "synced", "connecting", "watching"]);
});

describe("snapshots", () => {
  it("emits once for all changes within an interval", async () => {
    harness = createHarness();
    const scheduler = new VirtualTimeScheduler();
    const seen: string[] = [];
    const subscription = snapshots(harness.informer, { scheduler, intervalMs: 100 }).subscribe((objects) =>
      seen.push(objects.map(({ metadata }) => metadata?.name).join()),
    );
    await harness.answer("10", ["a@1", "b@1"]);
    scheduler.flush();
    await harness.send("+c@11", "-a@12", "~b@13");
    scheduler.flush();
    await harness.send("=14");
    scheduler.flush();
    expect(seen).toEqual(["a,b", "b,c"]);
    subscription.unsubscribe();
    await settle();
    expect(harness.watch().closed).toBe(true);
  });
  it("emits an empty collection and applies the query", async () => {
    harness = createHarness();
    const scheduler = new VirtualTimeScheduler();
    const seen: number[] = [];
    const subscription = snapshots(harness.informer, { scheduler, query: { namespace: "x" } }).subscribe((objects) =>
      seen.push(objects.length),
    );
    await harness.answer("10", []);
    scheduler.flush();
    await harness.send("+x/a@11", "+y/a@12");
    scheduler.flush();
    subscription.unsubscribe();
    expect(seen).toEqual([0, 1]);
    expect(() => snapshots(harness.informer, { query: { labelSelector: "=" } })).toThrow(TypeError);
  });
});

it("snapshots keeps no reference to completed schedules", async () => {
  harness = createHarness();
  const scheduler = new VirtualTimeScheduler();
  const made: Subscription[] = [];
  const noting = {
    now: () => scheduler.now(),
    schedule(...work: Parameters<VirtualTimeScheduler["schedule"]>) {
      const action = scheduler.schedule(...work);
      made.push(action);
      return action;
    },
  } as SchedulerLike;
  const subscription = snapshots(harness.informer, { scheduler: noting }).subscribe();
  await harness.answer("10", ["a@1"]);
  scheduler.flush();
  for (let version = 11; version < 20; version++) {
    await harness.send(`~a@${String(version)}`);
    scheduler.flush();
  }
  await harness.send("~a@20");
  const left: number[] = [];
  for (const [index, action] of made.entries()) action.add(() => left.push(index));
  subscription.unsubscribe();
  // Only the pending one is left.
  expect([made.length, left]).toEqual([11, [10]]);
  await settle();
});

describe("fromWatch", () => {
  it("opens a watch per subscriber and closes it on unsubscribe, even while it is quiet", async () => {
    harness = createHarness();
    const source = createScriptedSource();
    const types: string[] = [];
    const subscription = fromWatch(source, { resourceVersion: "5" }).subscribe(({ type }) => types.push(type));
    source.watches[0]!.send("+a@6", "=7");
    await settle();
    expect(types).toEqual(["ADDED", "BOOKMARK"]);
    subscription.unsubscribe();
    await settle();
    expect(source.watches[0]!.closed).toBe(true);
  });
  it("completes when the watch ends cleanly and fails with its error otherwise", async () => {
    harness = createHarness();
    const source = createScriptedSource();
    const ends: unknown[] = [];
    for (const _ of [1, 2])
      fromWatch(source).subscribe({
        complete: () => ends.push("end"),
        error: (error: { code: number }) => ends.push(error.code),
      });
    source.watches[0]!.end();
    source.watches[1]!.end(failure(410, "Expired"));
    await settle();
    expect(ends).toEqual(["end", 410]);
  });
});

it("fromPages requests only as many pages as are consumed", async () => {
  harness = createHarness();
  let made = 0;
  let left = false;
  const source = {
    async *pages() {
      try {
        for (;;) yield { metadata: {}, items: [{ metadata: { name: String(made++) } }] };
      } finally {
        left = true;
      }
    },
  } as unknown as ListWatch<Thing>;
  const pages = await firstValueFrom(fromPages(source).pipe(take(3), toArray()));
  await settle();
  expect([pages.length, made, left]).toEqual([3, 3, true]);
});

describe("fromQuery", () => {
  it("emits added when an object starts to match and deleted when it stops", async () => {
    harness = createHarness({
      transform: (object) => ({
        ...object,
        metadata: { ...object.metadata!, labels: { big: String(Number(object.metadata!.resourceVersion) >= 12) } },
      }),
    });
    const received: string[] = [];
    const subscription = fromQuery(harness.informer, { labelSelector: "big=true" }).subscribe((change) =>
      received.push(describeChange(change)),
    );
    await harness.answer("10", ["a@1", "b@12"]);
    await harness.send("~a@13", "~a@14", "~b@15", "-b@16", "-c@17");
    harness.watch().end(failure(410, "Expired"));
    await harness.answer("20", ["a@3", "d@18"]);
    expect(received).toEqual(["+b@12", "+a@13", "~a@13>14", "~b@12>15", "-b@16", "-a@14", "+d@18"]);
    expect(() => fromQuery(harness.informer, { labelSelector: "=" })).toThrow(TypeError);
    subscription.unsubscribe();
  });
});

it("fromObject emits each state of one object, and undefined while it doesn't exist", async () => {
  harness = createHarness();
  const received: (string | undefined)[] = [];
  const subscription = fromObject(harness.informer, "a").subscribe((object) =>
    received.push(object?.metadata?.resourceVersion),
  );
  await harness.answer("10", ["b@1"]);
  await harness.send("+a@11", "~b@12", "~a@13", "-a@14", "+a@15");
  harness.watch().end(failure(410, "Expired"));
  await harness.answer("20", ["a@15"]);
  expect(received).toEqual([undefined, "11", "13", undefined, "15"]);
  const late: (string | undefined)[] = [];
  fromObject(harness.informer, "a")
    .subscribe((object) => late.push(object?.metadata?.resourceVersion))
    .unsubscribe();
  expect(late).toEqual(["15"]);
  subscription.unsubscribe();
});

it("fromJoin completes when either informer is closed", async () => {
  harness = createHarness();
  const right = createHarness();
  const received: string[] = [];
  const names = ({ metadata }: { readonly metadata?: { readonly name?: string } }): string[] => [metadata!.name!];
  fromJoin(harness.informer, right.informer, { name: "j", left: names, right: names }).subscribe({
    next: (change) => received.push(`${change.type} ${change.key} ${String(change.right.length)}`),
    complete: () => received.push("end"),
  });
  await harness.answer("10", ["a@1"]);
  await right.answer("10", ["a@1"]);
  await right.send("-a@11");
  await right.informer.close();
  expect(received).toEqual(["added a 1", "updated a 0", "end"]);
});

describe("concatMapBuffered", () => {
  it("processes one change at a time and conflates the changes that arrive in between", async () => {
    harness = createHarness();
    const finish: (() => void)[] = [];
    const begun: string[] = [];
    const lags: number[] = [];
    const subscription = fromInformer(harness.informer)
      .pipe(
        concatMapBuffered(
          (change) => {
            begun.push(describeChange(change));
            return new Promise<void>((resolve) => finish.push(resolve));
          },
          { policy: "conflate", onLag: (lag) => lags.push(lag) },
        ),
      )
      .subscribe();
    await harness.answer("10", ["a@1"]);
    await harness.send("~a@11", "~a@12", "+b@13", "-b@14");
    expect(begun).toEqual(["+a@1"]);
    finish.pop()!();
    await settle();
    expect(begun).toEqual(["+a@1", "~a@1>12"]);
    expect(Math.max(...lags)).toBe(2);
    subscription.unsubscribe();
    finish.pop()!();
    await settle();
    expect(begun).toHaveLength(2);
  });
  it("fails when the promise rejects and when the buffer overflows", async () => {
    harness = createHarness();
    const errors: string[] = [];
    fromInformer(harness.informer)
      .pipe(concatMapBuffered(() => Promise.reject(new TypeError("no"))))
      .subscribe({ error: (error) => errors.push(String(error)) });
    fromInformer(harness.informer)
      .pipe(concatMapBuffered(() => new Promise(() => undefined), { policy: "error", capacity: 1 }))
      .subscribe({ error: (error) => errors.push(String(error)) });
    await harness.answer("10", ["a@1", "b@1", "c@1"]);
    expect(errors.sort()).toEqual([
      "KubestreamError: the change buffer is full: 1 changes are waiting to be consumed",
      "TypeError: no",
    ]);
    expect(harness.informer.metrics.handlers).toBe(0);
  });
});
