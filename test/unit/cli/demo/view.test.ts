import { describe, expect, it } from "vitest";
import { createScreen } from "../../../../src/cli/demo/screen.js";
import type { View } from "../../../../src/cli/demo/view.js";
import { renderLine, renderProgress, renderSummary, renderTable } from "../../../../src/cli/demo/view.js";
import type { Board, BoardRow } from "../../../../src/cli/terminal/board.js";
import { grouped } from "../../../../src/cli/terminal/format.js";

const none = { ready: 0, outdated: 0, starting: 0, failing: 0, stopping: 0, done: 0 };

function viewOf(workloads: number, more: Partial<View> = {}): View {
  const rows = Array.from({ length: workloads }, (_, index) => ({
    name: `shop/web-${String(index).padStart(2, "0")}`,
    image: "registry.example:5000/team/web:v2@sha256:0123",
    counts: { ...none, ready: 2, failing: index % 2 },
    total: 2 + (index % 2),
  }));
  return {
    source: "a test",
    seconds: 12.3,
    status: "watching",
    resourceVersion: "48211",
    changes: { added: 1_000, updated: 2_000, deleted: 300 },
    rate: 151.6,
    resyncs: 2,
    reconnects: 5,
    problem: undefined,
    memory: { heap: 48_400_000, resident: 121_000_000 },
    pods: boardOf(rows),
    news: [],
    ...more,
  };
}

function boardOf(rows: BoardRow[]): Pick<Board, "rows" | "total"> {
  return { rows: () => rows, total: rows.reduce((sum, { total }) => sum + total, 0) };
}

it.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [1_234_567.4, "1,234,567"],
])("grouped formats %d as %s", (value, text) => {
  expect(grouped(value)).toBe(text);
});

describe("demo table", () => {
  it("draws one cell per pod, by state", () => {
    const counts = { ready: 3, outdated: 2, starting: 2, failing: 1, stopping: 1, done: 1 };
    const view = viewOf(0, { pods: boardOf([{ name: "shop/web", image: "web:v2", counts, total: 10 }]) });
    const lines = renderTable(view, 100, 40);
    expect(
      lines
        .find((line) => line.startsWith("shop/web"))
        ?.trim()
        .split(/\s+/),
    ).toEqual(["shop/web", "5/10", "web:v2", "███▒▒░░×·○"]);
    expect(lines.join("\n")).toContain("152/s    added 1,000    updated 2,000    deleted 300");
  });

  it("draws a bar in proportion when a workload has more pods than the line has room", () => {
    const counts = { ...none, ready: 500, starting: 250, failing: 250 };
    const view = viewOf(0, { pods: boardOf([{ name: "shop/web", image: "web:v2", counts, total: 1_000 }]) });
    const bar = renderTable(view, 100, 40)
      .find((line) => line.startsWith("shop/web"))!
      .split(/\s+/)[3]!;
    const share = (cell: string): number => (bar.split(cell).length - 1) / bar.length;
    expect(share("█")).toBeCloseTo(0.5, 1);
    expect(share("░")).toBeCloseTo(0.25, 1);
    expect(share("×")).toBeCloseTo(0.25, 1);
  });

  it("shows an image without its registry and digest, and the last three operations", () => {
    const lines = renderTable(viewOf(1, { news: ["one", "two", "three", "four"] }), 100, 40);
    expect(lines.find((line) => line.startsWith("shop/web-00"))).toContain(" web:v2 ");
    expect(lines.filter((line) => line.startsWith("> "))).toEqual(["> two", "> three", "> four"]);
  });

  it.each([
    [80, 24],
    [40, 10],
    [20, 5],
  ])("fits into a terminal of %d × %d", (width, height) => {
    const lines = renderTable(viewOf(50), width, height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.length).toBeLessThanOrEqual(Math.max(height, 16));
  });
});

it("demo shows its state on one line when stdout is not a TTY", () => {
  expect(renderLine(viewOf(2))).toBe(
    "  12 s  5 pods (ready 4, failing 1)  152 events/s  resourceVersion 48211  resyncs 2  reconnects 5  heap 48 MB  watching",
  );
  expect(renderSummary(viewOf(1))).toBe(
    "12.3 s: 2 pods of 1 workload, 3,300 events (268/s), 2 resyncs, 5 reconnects, resourceVersion 48211, heap 48 MB",
  );
});

it.each([
  [0, 1_200, 0, " 0 / 1,200"],
  [600, 1_200, 0.5, " 600 / 1,200"],
  [1_200, 1_200, 1, " 1,200 / 1,200"],
  [5, 0, 1, " 5 / 0"],
])("progress bar for %d of %d fills the given width", (done, end, share, label) => {
  const bar = renderProgress("list", done, end, 40);
  expect(bar).toHaveLength(39);
  expect(bar.endsWith(`]${label}`)).toBe(true);
  const full = bar.split("#").length - 1;
  const empty = bar.split("-").length - 1;
  expect(full / (full + empty)).toBeCloseTo(share, 1);
});

it("progress without a known end shows only the count", () => {
  expect(renderProgress("list", 700, undefined, 40)).toBe("list  700");
});

it("demo writes no control characters when stdout is not a TTY", () => {
  let text = "";
  const screen = createScreen({ write: (more) => (text += more) });
  for (let done = 0; done <= 3_000; done += 50) screen.progress("listing pods", done, 3_000);
  screen.progressDone();
  screen.show(viewOf(1));
  screen.close();
  expect(text).not.toMatch(/[\u001b\r]/);
  expect(text.split("\n").length).toBeLessThan(15);
});

it("demo colours the cells of the table on a terminal", () => {
  let text = "";
  const screen = createScreen({ write: (more) => (text += more), isTTY: true, columns: 80, rows: 24 });
  screen.show(viewOf(2));
  screen.close();
  expect(text).toContain("\u001b[32m██\u001b[39m\u001b[31m×\u001b[39m");
});

it("demo restores the terminal when it ends", () => {
  let text = "";
  const screen = createScreen({ write: (more) => (text += more), isTTY: true, columns: 80, rows: 24 });
  screen.show(viewOf(1));
  screen.close();
  screen.close();
  expect(text.split("\u001b[?1049h")).toHaveLength(2);
  expect(text.split("\u001b[?1049l")).toHaveLength(2);
  expect(text.endsWith("\u001b[?1049l")).toBe(true);
});
