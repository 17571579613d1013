import { describe, expect, it } from "vitest";
import { failure } from "../../../../src/apiserver/errors/status.js";
import { deadline } from "../../../../src/apiserver/filters/deadline.js";
import type { FilterContext, Next } from "../../../../src/apiserver/filters/filter.js";
import type { ServerResponse } from "../../../../src/apiserver/http/http.js";
import type { WireServices } from "../../../../src/apiserver/wire/services.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

const response: ServerResponse = { status: 200, headers: [], body: undefined };

/** Sends a request with a limit of ten seconds through the filter. */
function send(handler: Next<WireServices>) {
  const clock = createVirtualClock();
  const client = new AbortController();
  let timers = 0;
  let signals = 0;
  const context = {
    info: { path: "/", verb: "get", subresource: "" },
    query: new URLSearchParams(),
    services: {
      clock: {
        ...clock,
        setTimer: (...timer: Parameters<typeof clock.setTimer>) => (timers++, clock.setTimer(...timer)),
      },
    },
    signal: () => (signals++, client.signal),
  } as unknown as FilterContext;
  const answer = deadline(10_000)(context, handler);
  return { answer, clock, client, created: () => ({ timers, signals }) };
}

describe("deadline of a request", () => {
  it("needs no signal and no timer if nothing reads the signal", async () => {
    const { answer, created } = send(() => Promise.resolve(response));
    expect(await answer).toBe(response);
    expect(created()).toEqual({ timers: 0, signals: 0 });
  });

  it("aborts the signal with 504 when it passes, however late the signal was read", async () => {
    let read: (() => AbortSignal) | undefined;
    let end: () => void = () => undefined;
    const { answer, clock } = send((context) => {
      read = () => context.signal();
      return new Promise((_, reject) => {
        end = () => reject(new Error("the handler gave up"));
      });
    });
    await clock.advance(9_999);
    const signal = read!();
    expect(read!()).toBe(signal);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({ status: { code: 504, reason: "Timeout" } });
    end();
    await expect(answer).rejects.toMatchObject({ status: { code: 504 } });
  });

  it("answers 504 to a request that fails after the limit without having read the signal", async () => {
    let end: () => void = () => undefined;
    const { answer, clock } = send(
      () =>
        new Promise((_, reject) => {
          end = () => reject(failure(409, "Conflict", "too late", {}));
        }),
    );
    await clock.advance(10_000);
    end();
    await expect(answer).rejects.toMatchObject({ status: { code: 504 } });
  });

  it("passes on the reason of a client that left, and stops its timer at the end", async () => {
    let fail: (error: unknown) => void = () => undefined;
    let signal: AbortSignal | undefined;
    const { answer, clock, client } = send((context) => {
      signal = context.signal();
      return new Promise((_, reject) => {
        fail = reject;
      });
    });
    const left = new Error("left");
    client.abort(left);
    expect(signal!.reason).toBe(left);
    await clock.advance(10_000);
    fail(left);
    await expect(answer).rejects.toBe(left);
    expect(clock.pending).toBe(0);
  });
});
