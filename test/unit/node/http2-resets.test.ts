import { expect, it } from "vitest";
import { endHeaders, endStream, frame, frameTypes, serveFrames } from "../../support/http2-frames.js";

const { data, headers, reset } = frameTypes;
const noError = 0;
const cancel = 8;

/** Text of the body of each response. */
const text = [0x5b, 0x5d];
/** `:status: 200` in HPACK. */
const ok = [0x88];
/** `a: b` in HPACK. */
const trailers = [0x40, 1, 0x61, 1, 0x62];

/** Frames of the responses by path. Node's own server can't reset a stream with NO_ERROR before its end. */
const responses: readonly ((id: number) => Buffer[])[] = [
  (id) => [frame(data, 0, id, text), frame(data, endStream, id)],
  (id) => [frame(data, endStream, id, text)],
  (id) => [frame(data, 0, id, text), frame(headers, endHeaders | endStream, id, trailers)],
  (id) => [frame(data, endStream, id, text), frame(reset, 0, id, [0, 0, 0, noError])],
  (id) => [frame(data, endStream, id, text), frame(reset, 0, id, [0, 0, 0, cancel])],
  (id) => [frame(data, 0, id, text), frame(reset, 0, id, [0, 0, 0, noError])],
  (id) => [frame(data, 0, id, text), frame(reset, 0, id, [0, 0, 0, cancel])],
];

it("HTTP/2 transport fails a response whose stream is reset before its end, but not after it", async () => {
  let count = 0;
  await using served = await serveFrames((id, socket) => {
    const frames = responses[count++ % responses.length]!(id);
    socket.write(Buffer.concat([frame(headers, endHeaders, id, ok), ...frames]));
  });
  const outcomes: unknown[] = [];
  // Twice, because a response must not depend on how the one before it ended.
  for (let turn = 0; turn < 2 * responses.length; turn++)
    outcomes.push(
      await served.client.request({ path: "/", stream: true }).then(async ({ body }) => {
        let received = "";
        try {
          for await (const chunk of body) received += Buffer.from(chunk).toString();
          return received;
        } catch (error) {
          return `${received} ${(error as { code: string }).code}`;
        }
      }),
    );
  const cut = "[] ERR_HTTP2_STREAM_CANCEL";
  const expected = ["[]", "[]", "[]", "[]", "[]", cut, cut];
  expect(outcomes).toEqual([...expected, ...expected]);
});
