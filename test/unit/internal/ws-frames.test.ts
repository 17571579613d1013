import { expect, it } from "vitest";
import { createPongs } from "../../../src/internal/streams/ws-frames.js";

it("WebSocket answers a ping at once, and only the newest of those that arrive while a pong waits", () => {
  const sent: number[] = [];
  let done: (() => void) | undefined;
  const onPing = createPongs((payload, sentNow) => {
    sent.push(payload[0]!);
    done = sentNow;
  });
  for (const id of [1, 2, 3, 4]) onPing(Uint8Array.of(id));
  expect(sent).toEqual([1]);
  done!();
  expect(sent).toEqual([1, 4]);
  done!();
  onPing(Uint8Array.of(5));
  expect(sent).toEqual([1, 4, 5]);
});
