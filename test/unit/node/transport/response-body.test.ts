import type { Dispatcher } from "undici";
import { expect, it } from "vitest";
import { ResponseBody } from "../../../../src/node/transport/response-body.js";

function begin() {
  const controller = {
    paused: false,
    pause: () => void (controller.paused = true),
    resume: () => void (controller.paused = false),
  };
  return {
    controller,
    body: new ResponseBody(controller as unknown as Dispatcher.DispatchController, () => undefined),
  };
}

const big = (length: number): Uint8Array => new Uint8Array(length);

it("response body pauses the socket beyond 256 KiB and resumes it when everything is read", async () => {
  const { controller, body } = begin();
  for (let i = 0; i < 3; i++) body.push(big(100_000));
  expect(controller.paused).toBe(true);
  expect(body.take()).toHaveLength(100_000);
  expect((await body.next()).value).toHaveLength(100_000);
  expect(controller.paused).toBe(true);
  expect(body.take()).toHaveLength(100_000);
  expect(controller.paused).toBe(false);
  expect(body.take()).toBeUndefined();
});

it("response body returns buffered chunks before its outcome", async () => {
  const { body } = begin();
  body.push(big(1));
  body.push(big(2));
  body.fail(new Error("broken"));
  expect([body.take()?.length, body.take()?.length, body.take()]).toEqual([1, 2, undefined]);
  await expect(body.next()).rejects.toThrow("broken");
  expect(await body.next()).toEqual({ done: true, value: undefined });
});

it("response body has nothing to take after an abort or return", async () => {
  const { body } = begin();
  body.push(big(1));
  body.abort(new Error("aborted"));
  expect(body.take()).toBeUndefined();
  const left = begin().body;
  left.push(big(1));
  await left.return();
  expect(left.take()).toBeUndefined();
});

it("response body returns all of itself at once if it is complete and unread", async () => {
  const { body } = begin();
  body.push(Uint8Array.of(1, 2));
  expect(body.takeWhole()).toBeUndefined();
  body.push(Uint8Array.of(3));
  body.end();
  expect(body.takeWhole()).toEqual(Uint8Array.of(1, 2, 3));
  expect([body.takeWhole(), await body.next()]).toEqual([undefined, { done: true, value: undefined }]);
  const begun = begin().body;
  begun.push(Uint8Array.of(1));
  begun.push(Uint8Array.of(2));
  begun.end();
  await begun.next();
  expect(begun.takeWhole()).toBeUndefined();
});
