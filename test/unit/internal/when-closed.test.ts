import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { whenClosed } from "../../../src/internal/when-closed.js";

it("whenClosed calls back once, at the first of both ends, and not after it was cancelled", () => {
  const connection = Object.assign(new EventEmitter(), { destroyed: false });
  const responses = [new EventEmitter(), new EventEmitter(), new EventEmitter()] as const;
  const calls: string[] = [];
  whenClosed(responses[0], connection, () => calls.push("first"));
  whenClosed(responses[1], connection, () => calls.push("second"));
  whenClosed(responses[2], connection, () => calls.push("third"))();
  expect(connection.listenerCount("close")).toBe(1);
  responses[0].emit("close");
  expect(calls).toEqual(["first"]);
  connection.emit("close");
  responses[1].emit("close");
  responses[2].emit("close");
  expect(calls).toEqual(["first", "second"]);
});

it("whenClosed calls back for a connection that was destroyed before", async () => {
  const connection = Object.assign(new EventEmitter(), { destroyed: true });
  let called = 0;
  whenClosed(new EventEmitter(), connection, () => called++);
  await Promise.resolve();
  expect(called).toBe(1);
});
