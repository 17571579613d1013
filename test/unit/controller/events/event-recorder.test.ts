import { describe, expect, it } from "vitest";
import { createEventRecorder } from "../../../../src/controller/events/create-event-recorder.js";
import type { EventRecorderOptions } from "../../../../src/controller/events/event-recorder.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { TransportError } from "../../../../src/errors/errors.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { Event } from "../../../../src/kinds/events/v1.js";
import { failure } from "../../../support/scripted-source.js";
import { createVirtualClock, settle } from "../../../support/virtual-clock.js";
import { openWorld } from "../world.js";

function begin(world: ReturnType<typeof openWorld>, options: Partial<EventRecorderOptions> = {}) {
  const clock = createVirtualClock();
  const entries: LogEntry[] = [];
  const requests: string[] = [];
  const net = { fail: undefined as (() => unknown) | undefined };
  const events = world.client.resource(Event);
  /** Handle for events that records each request and can fail. */
  const through: EventRecorderOptions["events"] = {
    namespace(name) {
      const handle = events.namespace(name);
      const over = async <R>(what: string, request: () => Promise<R>): Promise<R> => {
        requests.push(what);
        const error = net.fail?.();
        if (error !== undefined) throw error;
        return request();
      };
      return {
        ...handle,
        create: (object: Event) => over("create", () => handle.create(object)),
        patch: (object: string, patch: never) => over("patch", () => handle.patch(object, patch)),
      } as unknown as ReturnType<typeof events.namespace>;
    },
  };
  const recorder = createEventRecorder({
    events: through,
    controller: "example.com/test",
    instance: "test-1",
    clock,
    random: () => 0,
    log: (entry) => entries.push(entry),
    ...options,
  });
  const stored = async () => (await events.namespace("default").list()).items;
  return { recorder, clock, entries, requests, net, stored };
}

const about = (name = "a", more: object = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: "u", resourceVersion: "1", ...more },
});
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await settle();
};

describe("an event recorder", () => {
  it("writes an event in the API's format", async () => {
    await using world = openWorld();
    const { recorder, stored } = begin(world);
    recorder.event(about(), {
      type: "Warning",
      reason: "Failed",
      action: "Copy",
      note: "no space",
      related: { apiVersion: "v1", kind: "Secret", name: "s" },
    });
    await recorder.flush();
    const [event] = await stored();
    expect({
      ...event,
      metadata: { name: event!.metadata!.name, namespace: event!.metadata!.namespace },
    }).toMatchObject({
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]+$/) as string, namespace: "default" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/test",
      reportingInstance: "test-1",
      type: "Warning",
      reason: "Failed",
      action: "Copy",
      note: "no space",
      regarding: {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "a",
        namespace: "default",
        uid: "u",
        resourceVersion: "1",
      },
      related: { apiVersion: "v1", kind: "Secret", name: "s" },
    });
    expect(recorder.metrics).toEqual({ recorded: 1, sent: 1, counted: 0, dropped: 0, spam: 0, failed: 0, pending: 0 });
    await recorder.close();
  });

  it("aggregates repetitions into a series: sends at the second, counts after that, sends again at the end", async () => {
    await using world = openWorld();
    const { recorder, clock, requests, stored } = begin(world);
    const tell = (version = "1", note = "") =>
      recorder.event(about("a", { resourceVersion: version }), { reason: "Copied", note });
    tell();
    await recorder.flush();
    expect((await stored())[0]!.series).toBeUndefined();
    await clock.advance(1_000);
    tell("2");
    await recorder.flush();
    expect((await stored()).map(({ series }) => series)).toEqual([
      { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" },
    ]);
    for (let i = 0; i < 5; i++) tell(String(i), `note ${String(i)}`);
    await rest();
    expect([requests, recorder.metrics.counted]).toEqual([["create", "patch"], 5]);
    await clock.advance(12 * 60_000);
    await recorder.flush();
    expect((await stored())[0]!.series!.count).toBe(7);
    expect([requests, clock.pending]).toEqual([["create", "patch", "patch"], 0]);
    tell();
    await recorder.flush();
    expect(await stored()).toHaveLength(2);
    await recorder.close();
  });

  it("starts another series for another version of the object with seriesPerVersion", async () => {
    await using world = openWorld();
    const { recorder, stored } = begin(world, { seriesPerVersion: true });
    for (const [version, note] of [
      ["1", "too few"],
      ["1", "not shown"],
      ["2", "too many"],
    ] as const) {
      recorder.event(about("a", { resourceVersion: version }), { reason: "Counted", note });
      await recorder.flush();
    }
    expect((await stored()).map(({ note, series }) => [note, series?.count])).toEqual([
      ["too few", 2],
      ["too many", undefined],
    ]);
    await recorder.close();
  });

  it("sends the count of a running series every half hour", async () => {
    await using world = openWorld();
    const { recorder, clock, requests, stored } = begin(world);
    for (let minute = 0; minute < 75; minute++) {
      recorder.event(about(), { reason: "Copied" });
      await rest();
      await clock.advance(60_000);
    }
    await rest();
    expect(requests).toEqual(["create", "patch", "patch", "patch"]);
    expect((await stored())[0]!.series!.count).toBeGreaterThan(55);
    await recorder.close();
    expect((await stored())[0]!.series!.count).toBe(75);
  });

  it("keeps events apart that differ in type, reason, action or object", async () => {
    await using world = openWorld();
    const { recorder, stored } = begin(world);
    recorder.event(about(), { reason: "A" });
    recorder.event(about(), { reason: "A", type: "Warning" });
    recorder.event(about(), { reason: "A", action: "B" });
    recorder.event(about(), { reason: "B" });
    recorder.event(about("b"), { reason: "A" });
    recorder.event(about("a", { uid: "other" }), { reason: "A" });
    recorder.event(about(), { reason: "A", related: about("c") });
    await recorder.flush();
    expect([(await stored()).length, new Set((await stored()).map(({ metadata }) => metadata!.name)).size]).toEqual([
      7, 7,
    ]);
    await recorder.close();
  });

  it("starts a new series if the event was deleted on the server", async () => {
    await using world = openWorld();
    const { recorder, requests, stored } = begin(world);
    recorder.event(about(), { reason: "A" });
    await recorder.flush();
    await world.client.resource(Event).namespace("default").deleteCollection();
    recorder.event(about(), { reason: "A" });
    await recorder.flush();
    expect([requests, (await stored()).map(({ series }) => series?.count)]).toEqual([
      ["create", "patch", "create"],
      [2],
    ]);
    await recorder.close();
  });

  it.each<[string, unknown, boolean]>([
    ["a broken connection", new TransportError("reset"), true],
    ["a busy server", failure(429), true],
    ["a broken server", failure(500), true],
    ["a forbidden request", failure(403, "Forbidden"), false],
    ["a validation error", failure(422, "Invalid"), false],
    ["an unknown error", new TypeError("x"), false],
  ])("retries after transient errors only: %s", async (_name, error, again) => {
    await using world = openWorld();
    const { recorder, clock, requests, net, entries } = begin(world);
    net.fail = () => error;
    recorder.event(about(), { reason: "A" });
    await rest();
    await clock.advance(200_000);
    expect(requests.length).toBe(again ? 12 : 1);
    expect([recorder.metrics.failed, recorder.metrics.pending, entries.length]).toEqual([1, 0, 1]);
    net.fail = undefined;
    await recorder.close();
  });

  it("treats AlreadyExists after a lost response as success", async () => {
    await using world = openWorld();
    const { recorder, clock, net, stored } = begin(world);
    let tries = 0;
    net.fail = () =>
      tries++ === 0 ? new TransportError("reset") : tries === 2 ? failure(409, "AlreadyExists") : undefined;
    recorder.event(about(), { reason: "A" });
    await rest();
    await clock.advance(10_000);
    expect([recorder.metrics.sent, recorder.metrics.failed, (await stored()).length]).toEqual([1, 0, 0]);
    await recorder.close();
  });

  it("limits waiting events, events per object and remembered events", async () => {
    await using world = openWorld();
    const { recorder, clock, net, stored } = begin(world, { maxPending: 3, burstPerObject: 2, maxRemembered: 4 });
    net.fail = () => new TransportError("down");
    for (const name of ["a", "b", "c", "d", "e"]) recorder.event(about(name), { reason: "A" });
    expect(recorder.metrics).toMatchObject({ recorded: 5, pending: 3, dropped: 2 });
    net.fail = undefined;
    await recorder.flush();
    for (const reason of ["B", "C", "D"]) recorder.event(about("a"), { reason });
    await recorder.flush();
    expect([recorder.metrics.spam, (await stored()).length]).toEqual([2, 4]);
    await clock.advance(300_000);
    recorder.event(about("a"), { reason: "E" });
    await recorder.flush();
    expect([recorder.metrics.spam, (await stored()).length]).toEqual([2, 5]);
    await recorder.close();
  });

  it("counts and logs invalid events instead of throwing", async () => {
    await using world = openWorld();
    const { recorder, entries, requests } = begin(world);
    recorder.event({ metadata: { name: "x" } }, { reason: "A" });
    recorder.event(about(), { reason: "" });
    recorder.event(about(), { reason: "A", type: "Bad" as never });
    recorder.event(undefined as never, undefined as never);
    await rest();
    expect([recorder.metrics.failed, entries.length, requests]).toEqual([4, 4, []]);
    await recorder.close();
    recorder.event(about(), { reason: "late" });
    expect(recorder.metrics.dropped).toBe(1);
  });

  it("truncates reason, action and note, and replaces invalid names", async () => {
    await using world = openWorld();
    const { recorder, stored } = begin(world);
    recorder.event(about("with:colons"), { reason: "R".repeat(200), action: "", note: "ä".repeat(600) });
    recorder.event({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, { reason: "A" });
    await recorder.flush();
    const [first, second] = (await stored()).sort((a, b) => b.reason!.length - a.reason!.length);
    expect([first!.reason!.length, first!.action!.length, first!.note!.length, first!.metadata!.name]).toEqual([
      128,
      128,
      512,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect([second!.regarding!.name, second!.metadata!.namespace]).toEqual(["n", "default"]);
    await recorder.close();
  });

  it("gives up unsent events when close times out", async () => {
    await using world = openWorld();
    const { recorder, clock, net } = begin(world);
    net.fail = () => new TransportError("down");
    recorder.event(about(), { reason: "A" });
    recorder.event(about("b"), { reason: "A" });
    const flushed = recorder.flush({ signal: AbortSignal.abort(new RangeError("no time")) });
    await expect(flushed).rejects.toThrow("no time");
    const closing = recorder.close();
    await clock.advance(5_000);
    await closing;
    expect([recorder.metrics.dropped, recorder.metrics.pending, clock.pending]).toEqual([2, 0, 0]);
  });
});
