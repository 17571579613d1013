import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AbortGroup, linkAbort, onAbort } from "../../../src/internal/abort.js";

describe("onAbort", () => {
  it("calls every callback once, in order, over a single listener", () => {
    const controller = new AbortController();
    const called: number[] = [];
    for (let index = 0; index < 50; index++) onAbort(controller.signal, () => called.push(index));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort();
    controller.abort();
    expect(called).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("removes its listener after the last callback was removed, and adds it again for a new one", () => {
    const controller = new AbortController();
    const called: string[] = [];
    const callback = (): void => void called.push("same function twice");
    const first = onAbort(controller.signal, callback);
    const second = onAbort(controller.signal, callback);
    first();
    first();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    second();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    onAbort(controller.signal, () => called.push("late"));
    controller.abort();
    expect(called).toEqual(["late"]);
  });

  it("lets a callback remove a later one", () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => {
      called.push("first");
      stop();
    });
    const stop = onAbort(controller.signal, () => called.push("second"));
    controller.abort();
    expect(called).toEqual(["first"]);
  });
});

describe("linkAbort", () => {
  it("aborts with the reason of the first parent and unsubscribes from the others", () => {
    const [left, right] = [new AbortController(), new AbortController()];
    const link = linkAbort(left.signal, undefined, right.signal);
    right.abort("why");
    expect(link.signal.reason).toBe("why");
    expect(getEventListeners(left.signal, "abort")).toHaveLength(0);
  });

  it("is aborted from the start if a parent is", () => {
    const left = new AbortController();
    const link = linkAbort(left.signal, AbortSignal.abort("before"));
    expect(link.signal.reason).toBe("before");
    expect(getEventListeners(left.signal, "abort")).toHaveLength(0);
  });

  it("unsubscribes from its parents on release", () => {
    const left = new AbortController();
    const link = linkAbort(left.signal);
    link.release();
    expect(getEventListeners(left.signal, "abort")).toHaveLength(0);
    left.abort();
    expect(link.signal.aborted).toBe(false);
  });

  it("runs a callback once without creating a signal, and not after it was removed", () => {
    const parent = new AbortController();
    const link = linkAbort(parent.signal);
    const called: string[] = [];
    link.onAbort(() => called.push("stays"));
    link.onAbort(() => called.push("goes"))();
    parent.abort("why");
    link.abort("again");
    expect([called, link.aborted, link.reason, link.signal.reason]).toEqual([["stays"], true, "why", "why"]);
  });

  it("supplies a default reason, like AbortController", () => {
    const link = linkAbort();
    link.abort();
    expect(link.reason).toMatchObject({ name: "AbortError" });
    expect(link.signal.reason).toBe(link.reason);
  });
});

describe("AbortGroup", () => {
  it("aborts its remaining links after others left in any order", () => {
    const group = new AbortGroup();
    const links = Array.from({ length: 5 }, () => linkAbort());
    for (const link of links) group.add(link);
    for (const index of [0, 4, 0, 2]) group.delete(links[index]!);
    group.abort("closed");
    group.delete(links[1]!);
    expect(links.map((link) => link.reason)).toEqual([undefined, "closed", undefined, "closed", undefined]);
  });
});
