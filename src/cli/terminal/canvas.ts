/** The part of `process.stdout` that a terminal view uses. */
export interface Output {
  /** Writes text. */
  write(text: string): unknown;
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal in characters. */
  readonly columns?: number | undefined;
  /** Height of the terminal in lines. */
  readonly rows?: number | undefined;
}

/** A terminal that is redrawn as a whole. */
export interface Canvas {
  /** Shows lines in place of the ones before. `paint` adds colours to a line. */
  draw(render: (columns: number, rows: number) => readonly string[], paint: (line: string) => string): void;
  /** Shows again what the terminal showed before. */
  close(): void;
}

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const otherBuffer = "\u001b[?1049h";
const mainBuffer = "\u001b[?1049l";
const home = "\u001b[H";
const clearBelow = "\u001b[J";

/** Code that clears the rest of a line. */
export const clearLine = "\u001b[K";

/** Creates a canvas. The terminal changes with the first call of `draw`. */
export function createCanvas(output: Output): Canvas {
  let isOpen = false;
  return {
    draw(render, paint) {
      if (!isOpen) output.write(otherBuffer + hideCursor);
      isOpen = true;
      const text = render(output.columns ?? 80, output.rows ?? 24)
        .map(paint)
        .join(`${clearLine}\n`);
      // A single write avoids flicker.
      output.write(`${home}${text}${clearLine}${clearBelow}`);
    },
    close() {
      if (isOpen) output.write(showCursor + mainBuffer);
      isOpen = false;
    },
  };
}
