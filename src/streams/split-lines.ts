import { utf8Decode } from "../internal/bytes.js";

/** Splits chunks of bytes into lines. */
export interface LineSplitter {
  /** Takes a chunk and returns the lines it completes, without line endings. */
  push(chunk: Uint8Array): string[];
  /** Ends the text and returns the unfinished last line, if any. */
  end(): string[];
}

const newline = 0x0a;

/** Creates a splitter. A line longer than `maxLineBytes` is split. */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  // The unfinished line. The buffer doubles, so that a line in chunks of one byte isn't copied for each of them.
  let held: Uint8Array = new Uint8Array(0);
  let heldBytes = 0;

  function hold(piece: Uint8Array): void {
    const length = heldBytes + piece.length;
    if (length > held.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(2 * held.length, maxLineBytes)));
      larger.set(held.subarray(0, heldBytes));
      held = larger;
    }
    held.set(piece, heldBytes);
    heldBytes = length;
  }

  function complete(piece: Uint8Array): string {
    if (heldBytes === 0) return utf8Decode(piece);
    hold(piece);
    const line = utf8Decode(held.subarray(0, heldBytes));
    heldBytes = 0;
    return line;
  }

  /** Returns the last position up to `end` that doesn't cut a character in two. */
  function boundary(chunk: Uint8Array, end: number): number {
    let cut = end;
    while (cut > 0 && cut < chunk.length && (chunk[cut]! & 0xc0) === 0x80) cut--;
    return cut === 0 ? end : cut;
  }

  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      while (start < chunk.length) {
        const found = chunk.indexOf(newline, start);
        const end = found < 0 ? chunk.length : found;
        if (heldBytes + end - start > maxLineBytes) {
          const cut = Math.max(boundary(chunk, start + maxLineBytes - heldBytes), start);
          lines.push(complete(chunk.subarray(start, cut)));
          start = cut;
          continue;
        }
        const piece = chunk.subarray(start, end);
        if (found < 0) {
          hold(piece);
          break;
        }
        lines.push(complete(piece));
        start = found + 1;
      }
      return lines;
    },
    end: () => (heldBytes > 0 ? [complete(new Uint8Array(0))] : []),
  };
}
