import { concatBytes } from "../../internal/bytes.js";
import { systemClock } from "../../internal/clock.js";
import type { BodyStream, ServerResponse } from "./http.js";

const finished = { done: true, value: undefined } as const;

/** Returns a response body as a stream. */
export function streamOf(body: ServerResponse["body"]): BodyStream {
  if (body !== undefined && !(body instanceof Uint8Array)) return body;
  let rest: Uint8Array | undefined = body;
  return {
    next() {
      const value = rest;
      rest = undefined;
      return Promise.resolve(value === undefined ? finished : { done: false, value });
    },
    return() {
      rest = undefined;
      return Promise.resolve(finished);
    },
  };
}

/** Reads a stream to its end. */
export async function readWhole(stream: BodyStream): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) return concatBytes(pieces);
    pieces.push(value);
  }
}

/** Pieces that are made at once. If more follow, the body is a stream. */
const piecesAtOnce = 4;

/**
 * Returns the body of pieces that are made on demand: complete if they are few. Otherwise, it is a stream that makes
 * some more when the connection has room for them, in a turn of the event loop of their own.
 */
export function bodyOf(pieces: Iterator<Uint8Array>): Uint8Array | BodyStream {
  const first: Uint8Array[] = [];
  for (let i = 0; i < piecesAtOnce; i += 1) {
    const piece = pieces.next();
    if (piece.done === true) return concatBytes(first);
    first.push(piece.value);
  }
  let start: Uint8Array | undefined = concatBytes(first);
  let over = false;
  return {
    async next() {
      for (;;) {
        const value = start ?? (await nextTurn(pieces, () => over));
        start = undefined;
        if (value === undefined) return finished;
        if (value.length > 0) return { done: false, value };
      }
    },
    return() {
      over = true;
      start = undefined;
      return Promise.resolve(finished);
    },
  };
}

/** Bytes and milliseconds of work after which a turn of the event loop ends. */
const turnBytes = 256 * 1024;
const turnMs = 4;

/** Makes pieces in the next turn of the event loop. Resolves with `undefined` after the last one. */
function nextTurn(pieces: Iterator<Uint8Array>, isOver: () => boolean): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    systemClock.setTimer(() => {
      try {
        resolve(isOver() ? undefined : makePieces(pieces));
      } catch (error) {
        reject(error);
      }
    }, 0);
  });
}

function makePieces(pieces: Iterator<Uint8Array>): Uint8Array | undefined {
  const made: Uint8Array[] = [];
  const end = systemClock.monotonic() + turnMs;
  let length = 0;
  do {
    const piece = pieces.next();
    if (piece.done === true) break;
    made.push(piece.value);
    length += piece.value.length;
  } while (length < turnBytes && systemClock.monotonic() < end);
  return made.length === 0 ? undefined : concatBytes(made);
}
