import { describe, expect, it } from "vitest";
import { ClosedError } from "../../../../src/errors/errors.js";
import { openWorld, until } from "../world.js";
import { begin, map } from "./recording-controller.js";

describe("controller", () => {
  it("lets running calls end after a stop and begins no new ones", async () => {
    await using world = openWorld();
    let end!: () => void;
    let signal!: AbortSignal;
    const { controller, clock, calls, maps, outcomes } = begin(world, {
      reconcile: (_request, context) => {
        signal = context.signal;
        return new Promise((resolve) => (end = () => resolve(undefined)));
      },
    });
    for (const name of ["a", "b"]) await maps.create(map(name));
    controller.start();
    await until("the first", () => calls.length === 1);
    let stopped = false;
    const stopping = controller.stop().then(() => (stopped = true));
    await clock.advance(29_000);
    expect([controller.status.type, signal.aborted, stopped]).toEqual(["stopping", false, false]);
    end();
    await stopping;
    await controller.done;
    expect([calls.length, outcomes.length, signal.aborted, clock.pending]).toEqual([1, 1, false, 0]);
  });

  it.each([
    ["after the drain timeout", undefined, 30_000],
    ["immediately with a drain timeout of 0", 0, 0],
  ])("aborts the signals of running calls %s", async (_name, drainTimeoutMs, afterMs) => {
    await using world = openWorld();
    let aborted: unknown;
    const { controller, clock, calls, maps, outcomes } = begin(world, {
      reconcile: (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject((aborted = signal.reason)))),
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => calls.length === 1);
    const stopping = controller.stop(drainTimeoutMs === undefined ? {} : { drainTimeoutMs });
    if (afterMs > 0) {
      await clock.advance(afterMs - 1);
      expect(aborted).toBeUndefined();
      await clock.advance(1);
    }
    await stopping;
    expect(aborted).toBeInstanceOf(ClosedError);
    expect([outcomes.map(({ result }) => result), clock.pending]).toEqual([["aborted"], 0]);
  });

  it("gives up on calls that don't end and names them", async () => {
    await using world = openWorld();
    const { controller, clock, calls, maps } = begin(world, {
      reconcile: () => new Promise(() => undefined),
      drainTimeoutMs: 100,
    });
    await maps.create(map("a"));
    controller.start();
    await until("the first", () => calls.length === 1);
    const failed = controller.done.catch((error: unknown) => String(error));
    void controller.stop();
    await clock.advance(5_100);
    expect(await failed).toContain("controller test: default/a did not stop in time");
    expect(clock.pending).toBe(0);
  });

  it("runs until its signal aborts", async () => {
    await using world = openWorld();
    const abort = new AbortController();
    const { controller, calls, maps } = begin(world);
    const running = controller.run({ signal: abort.signal });
    await maps.create(map("a"));
    await until("the call", () => calls.length === 1);
    abort.abort();
    await running;
    expect(controller.status.type).toBe("stopped");
    const early = begin(world);
    await early.controller.run({ signal: AbortSignal.abort() });
    expect([early.calls, early.controller.status.type]).toEqual([[], "stopped"]);
  });

  it("can be stopped before it was started", async () => {
    await using world = openWorld();
    const { controller } = begin(world);
    await controller.stop();
    await controller.done;
    expect(() => controller.start()).toThrow(ClosedError);
  });
});
