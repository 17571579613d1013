import { concatBytes, copyBytes, utf8Decode } from "../internal/bytes.js";

/** Cuts bytes into lines, whatever pieces they arrive in. */
export interface LineSplitter {
  /** Takes a piece; answers with the lines completed by it, without their ends. */
  push(chunk: Uint8Array): string[];
  /** Ends the text; answers with what stands after the last line's end, if anything. */
  end(): string[];
}

const newline = 0x0a;

/** Makes a splitter. A line longer than `maxLineBytes` comes in pieces. */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  function flush(): string {
    const line = utf8Decode(concatBytes(held));
    held = [];
    heldBytes = 0;
    return line;
  }

  /** Where a piece may end without cutting a character in two. */
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
      // What is kept over the next piece is copied: it would hold on to a buffer that is far larger.
      if (heldBytes > 0) held = [copyBytes(concatBytes(held))];
      return lines;
    },
    end: () => (heldBytes > 0 ? [flush()] : []),
  };
}
