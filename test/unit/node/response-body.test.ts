import { expect, it } from "vitest";
import type { Dispatcher } from "undici";
import { createResponseBody } from "../../../src/node/response-body.js";

function begin() {
  const controller = { paused: false, pause: () => void (controller.paused = true), resume: () => void (controller.paused = false) };
  return { controller, body: createResponseBody(controller as unknown as Dispatcher.DispatchController, () => undefined) };
}

const big = (length: number): Uint8Array => new Uint8Array(length);

it("pauses the socket beyond a quarter of a megabyte, and resumes it when all is taken, waited for or not", async () => {
  const { controller, body } = begin();
  for (let i = 0; i < 3; i++) body.push(big(100_000));
  expect(controller.paused).toBe(true);
  expect(body.chunks.take!()).toHaveLength(100_000);
  expect((await body.chunks.next()).value).toHaveLength(100_000);
  expect(controller.paused).toBe(true);
  expect(body.chunks.take!()).toHaveLength(100_000);
  expect(controller.paused).toBe(false);
  expect(body.chunks.take!()).toBeUndefined();
});

it("gives what was pushed before it says how it ended", async () => {
  const { body } = begin();
  body.push(big(1));
  body.push(big(2));
  body.fail(new Error("broken"));
  expect([body.chunks.take!()?.length, body.chunks.take!()?.length, body.chunks.take!()]).toEqual([1, 2, undefined]);
  await expect(body.chunks.next()).rejects.toThrow("broken");
  expect(await body.chunks.next()).toEqual({ done: true, value: undefined });
});

it("has nothing to take once it was aborted or left", async () => {
  const { body } = begin();
  body.push(big(1));
  body.abort(new Error("aborted"));
  expect(body.chunks.take!()).toBeUndefined();
  const left = begin().body;
  left.push(big(1));
  await left.chunks.return!();
  expect(left.chunks.take!()).toBeUndefined();
});
