import type { PodState } from "./board.js";
import type { View } from "./view.js";
import { paintCells, renderLine, renderProgress, renderTable } from "./view.js";

/** Output of the demo: a terminal that is redrawn, or a sequence of lines. */
export interface Screen {
  /** Milliseconds between two updates. */
  readonly intervalMs: number;
  /** Shows the progress of the list or of the preparation. */
  progress(label: string, done: number, end: number | undefined): void;
  /** Ends the progress display. */
  progressDone(): void;
  /** Shows the current state. */
  show(view: View): void;
  /** Restores the terminal. */
  close(): void;
}

/** The part of `process.stdout` that the demo uses. */
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

/** Creates a screen that redraws a table on a terminal, and prints plain lines elsewhere. */
export function createScreen(output: Output): Screen {
  return output.isTTY === true ? createTerminalScreen(output) : createLineScreen(output);
}

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const otherBuffer = "\u001b[?1049h";
const mainBuffer = "\u001b[?1049l";
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";

/** Numbers of the terminal's colours: green, blue, yellow, red and grey. */
const colours: Readonly<Record<PodState, number>> = {
  ready: 32,
  outdated: 34,
  starting: 33,
  failing: 31,
  stopping: 90,
  done: 90,
};
const coloured = (state: PodState, run: string): string => `\u001b[${String(colours[state])}m${run}\u001b[39m`;

function createTerminalScreen(output: Output): Screen {
  let table = false;
  return {
    intervalMs: 250,
    progress(label, done, end) {
      output.write(`\r${renderProgress(label, done, end, Math.min(output.columns ?? 80, 100))}${clearLine}`);
    },
    progressDone: () => output.write("\n"),
    show(view) {
      if (!table) output.write(otherBuffer + hideCursor);
      table = true;
      const lines = renderTable(view, output.columns ?? 80, output.rows ?? 24);
      const text = lines.map((line) => paintCells(line, coloured)).join(`${clearLine}\n`);
      // A single write avoids flicker.
      output.write(`${home}${text}${clearLine}${clearBelow}`);
    },
    close() {
      if (table) output.write(showCursor + mainBuffer);
      table = false;
    },
  };
}

function createLineScreen(output: Output): Screen {
  let told = 0;
  return {
    intervalMs: 1_000,
    progress(label, done, end) {
      // Print at most ten lines for a whole list.
      if (end === undefined ? done < told + 5_000 : done <= told || (done < end && done < told + end / 10)) return;
      told = done;
      output.write(`${renderProgress(label, done, end, 60)}\n`);
    },
    progressDone() {
      told = 0;
    },
    show: (view) => output.write(`${renderLine(view)}\n`),
    close: () => undefined,
  };
}
