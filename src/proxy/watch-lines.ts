import { ProtocolError } from "../errors/errors.js";
import { concatBytes } from "../internal/bytes.js";

/** Longest event in bytes, as in the client. */
const maxLineBytes = 64 * 1024 * 1024;
const lineFeed = 0x0a;

/** Reads a body in whole lines. */
export interface LineReader {
  /** Returns the lines that arrive next, line feeds included; `undefined` at the end. */
  read(): Promise<Uint8Array[] | undefined>;
  /** Returns the lines in front of those that `read` returns next. */
  unread(lines: readonly Uint8Array[]): void;
}

/** Creates a reader of lines. A rest without a line feed at the end of the body counts as a line. */
export function createLineReader(chunks: AsyncIterator<Uint8Array>): LineReader {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let waiting: readonly Uint8Array[] = [];

  const split = (chunk: Uint8Array): Uint8Array[] => {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      lines.push(concatBytes([...rest, chunk.subarray(start, end + 1)]));
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length) return lines;
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    if (restBytes > maxLineBytes) throw new ProtocolError(`watch: an event is longer than ${maxLineBytes} bytes`);
    return lines;
  };

  return {
    async read() {
      if (waiting.length > 0) {
        const lines = [...waiting];
        waiting = [];
        return lines;
      }
      for (;;) {
        const next = await chunks.next();
        const lines = next.done === true ? rest.splice(0) : split(next.value);
        if (lines.length > 0) return next.done === true ? [concatBytes(lines)] : lines;
        if (next.done === true) return undefined;
      }
    },
    unread(lines) {
      waiting = lines;
    },
  };
}
