import { describe, expect, it } from "vitest";
import { ClosedError, TransportError } from "../../../../src/errors/errors.js";
import { harnesses } from "../../../support/informer-harness.js";
import { failure } from "../../../support/scripted-source.js";
import { settle } from "../../../support/virtual-clock.js";

const begin = harnesses();

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
  it.each([400, 422])("rejects with the Status after a second %d, such as for an invalid selector", async (code) => {
    const { informer, source, clock, answer } = begin();
    const outcome = expect(informer.synced()).rejects.toMatchObject({ code });
    await settle();
    source.lists.at(-1)!.fail(failure(code, "Invalid"));
    await settle();
    expect(informer.status).toMatchObject({ type: "backingOff", kind: "unsupported", attempt: 1 });
    await clock.advance(2_000);
    source.lists.at(-1)!.fail(failure(code, "Invalid"));
    await outcome;
    await clock.advance(4_000);
    await answer("10", ["a@1"]);
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
