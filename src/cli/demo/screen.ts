import type { PodState } from "./board.js";
import { clearLine, createCanvas, type Output } from "./canvas.js";
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

/** Creates a screen that redraws a table on a terminal, and prints plain lines elsewhere. */
export function createScreen(output: Output): Screen {
  return output.isTTY === true ? createTerminalScreen(output) : createLineScreen(output);
}

/** Numbers of the terminal's colours: green, blue, yellow, red and grey. */
const colours: Readonly<Record<PodState, number>> = {
  ready: 32,
  outdated: 34,
  starting: 33,
  failing: 31,
  stopping: 90,
  done: 90,
};
/** Adds the colour of a state to cells. */
export const coloured = (state: PodState, run: string): string => `\u001b[${String(colours[state])}m${run}\u001b[39m`;

function createTerminalScreen(output: Output): Screen {
  const canvas = createCanvas(output);
  return {
    intervalMs: 250,
    progress(label, done, end) {
      output.write(`\r${renderProgress(label, done, end, Math.min(output.columns ?? 80, 100))}${clearLine}`);
    },
    progressDone: () => output.write("\n"),
    show(view) {
      canvas.draw(
        (columns, rows) => renderTable(view, columns, rows),
        (line) => paintCells(line, coloured),
      );
    },
    close: () => canvas.close(),
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
