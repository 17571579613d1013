import { concatBytes, copyBytes, utf8Decode } from "../internal/bytes.js";

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
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  function flush(): string {
    const line = utf8Decode(concatBytes(held));
    held = [];
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
          const cut = boundary(chunk, start + maxLineBytes - heldBytes);
          if (cut > start) held.push(chunk.subarray(start, cut));
          lines.push(flush());
          start = Math.max(cut, start);
          continue;
        }
        if (end > start || found >= 0) held.push(chunk.subarray(start, end));
        heldBytes += end - start;
        if (found < 0) break;
        lines.push(flush());
        start = found + 1;
      }
      // Copy the remainder: a view would keep the whole chunk alive.
      if (heldBytes > 0) held = [copyBytes(concatBytes(held))];
      return lines;
    },
    end: () => (heldBytes > 0 ? [flush()] : []),
  };
}
