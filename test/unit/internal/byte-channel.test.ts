import { expect, it } from "vitest";
import { createByteChannel } from "../../../src/internal/streams/byte-channel.js";

const read = async (chunks: AsyncIterable<Uint8Array>): Promise<{ count: number; text: string }> => {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return { count: all.length, text: Buffer.concat(all).toString("latin1") };
};

it("byte channel keeps small chunks next to each other while many wait, in their order", async () => {
  const channel = createByteChannel(1024);
  let expected = "";
  for (let at = 0; at < 100_000; at++) {
    const text = at % 25_000 === 0 ? "large".repeat(1_000) : String.fromCharCode(97 + (at % 26));
    channel.push(Buffer.from(text));
    expected += text;
  }
  channel.end();
  const { count, text } = await read(channel.bytes);
  expect(text).toBe(expected);
  expect(count).toBeLessThan(100);
});

it("byte channel keeps the chunks apart while few wait, and counts their bytes", async () => {
  const channel = createByteChannel(4);
  const waiting = channel.bytes.next();
  channel.push(Uint8Array.of(1));
  expect((await waiting).value).toEqual(Uint8Array.of(1));
  for (const byte of [2, 3, 4, 5]) channel.push(Uint8Array.of(byte));
  let hasRoom = false;
  const room = channel.room().then(() => (hasRoom = true));
  await Promise.resolve();
  expect(hasRoom).toBe(false);
  expect((await channel.bytes.next()).value).toEqual(Uint8Array.of(2));
  await room;
  channel.end();
  expect(await read(channel.bytes)).toEqual({ count: 3, text: "\u0003\u0004\u0005" });
});

it("byte channel keeps no more of a message in memory than the chunk that waits", async () => {
  const channel = createByteChannel(1024);
  const message = Buffer.alloc(1_000_000, 7); // whose slice() is a view
  channel.push(message.subarray(10, 20));
  channel.push(message.subarray(10, 900_000));
  const [small, large] = [await channel.bytes.next(), await channel.bytes.next()];
  expect(small.value).toEqual(new Uint8Array(10).fill(7));
  expect(small.value!.buffer.byteLength).toBe(10);
  expect(large.value!.buffer).toBe(message.buffer);
});
