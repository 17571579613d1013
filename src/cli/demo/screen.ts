import { clearLine, createCanvas, type Output } from "../terminal/canvas.js";
import { coloured, paintCells } from "../terminal/workload-rows.js";
import { renderLine, renderProgress, renderTable, type View } from "./view.js";

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
  let printed = 0;
  return {
    intervalMs: 1_000,
    progress(label, done, end) {
      // Print at most ten lines for a whole list.
      if (end === undefined ? done < printed + 5_000 : done <= printed || (done < end && done < printed + end / 10))
        return;
      printed = done;
      output.write(`${renderProgress(label, done, end, 60)}\n`);
    },
    progressDone() {
      printed = 0;
    },
    show: (view) => output.write(`${renderLine(view)}\n`),
    close: () => undefined,
  };
}
