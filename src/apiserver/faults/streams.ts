import { concatBytes, utf8Decode, utf8Encode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import { streamOf } from "../http/body.js";
import type { BodyStream, ServerResponse } from "../http/http.js";

type Body = ServerResponse["body"];

const finished = { done: true, value: undefined } as const;

/** Ends a body after `afterBytes` bytes: cleanly, or by breaking the connection. */
export function cutStream(body: Body, afterBytes: number, broken: boolean): BodyStream {
  const source = streamOf(body);
  let left = afterBytes;
  return {
    async next() {
      if (left <= 0) {
        await source.return();
        if (broken) throw new TypeError("connection reset by a fault");
        return finished;
      }
      const result = await source.next();
      if (result.done === true) return result;
      const value = result.value.subarray(0, left);
      left -= value.length;
      return { done: false, value };
    },
    return: () => source.return(),
  };
}

/** Sends a body in small pieces, with a pause before each. */
export function slowStream(body: Body, pieceBytes: number, everyMs: number, clock: Clock): BodyStream {
  const source = streamOf(body);
  const gone = new AbortController();
  let rest: Uint8Array = new Uint8Array();
  return {
    async next() {
      try {
        await sleep(everyMs, clock, gone.signal);
      } catch {
        return finished; // The client left.
      }
      if (rest.length === 0) {
        const result = await source.next();
        if (result.done === true) return result;
        rest = result.value;
      }
      const value = rest.subarray(0, pieceBytes);
      rest = rest.subarray(pieceBytes);
      return { done: false, value };
    },
    return() {
      gone.abort();
      return source.return();
    },
  };
}

/** Removes the BOOKMARK events from a JSON watch with one event per line. */
export function withoutBookmarks(source: BodyStream): BodyStream {
  let rest: Uint8Array = new Uint8Array();
  return {
    async next() {
      for (;;) {
        const result = await source.next();
        if (result.done === true) return result;
        const whole = concatBytes([rest, result.value]);
        const end = whole.lastIndexOf(10) + 1;
        rest = whole.slice(end);
        const kept = utf8Decode(whole.subarray(0, end))
          .split("\n")
          .filter((line) => line !== "" && !line.startsWith('{"type":"BOOKMARK"'));
        if (kept.length > 0) return { done: false, value: utf8Encode(`${kept.join("\n")}\n`) };
      }
    },
    return: () => source.return(),
  };
}
