import { expect, it, vi } from "vitest";
import { forwardResponse } from "../../../src/proxy/messages.js";

it("proxy ignores that a body breaks while it is closed, because the page gets none of it", async () => {
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error("must not be read")),
      return: () => Promise.reject(new Error("connection reset")),
    }),
  };
  const ended = vi.fn();
  const upstream = { status: 204, headers: { get: () => null }, body };
  const response = forwardResponse(upstream, { cors: {}, empty: false, onEnd: ended });
  expect([response.status, response.body]).toEqual([204, null]);
  await expect.poll(() => ended).toHaveBeenCalledOnce();
});
