import { describe, expect, it } from "vitest";
import { createScreen } from "../../../src/cli/demo/screen.js";
import { createTally } from "../../../src/cli/demo/tally.js";
import type { View } from "../../../src/cli/demo/view.js";
import { grouped, renderLine, renderProgress, renderSummary, renderTable } from "../../../src/cli/demo/view.js";

function viewOf(namespaces: number): View {
  const pods = createTally();
  for (let index = 0; index < namespaces; index++) {
    pods.add(`ns-${String(index).padStart(2, "0")}`, "Running");
    pods.add(`ns-${String(index).padStart(2, "0")}`, index % 2 === 0 ? "Pending" : "Odd");
  }
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
    pods,
  };
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
  it("lists known phases first, then unknown ones, then the totals", () => {
    const lines = renderTable(viewOf(2), 100, 40);
    const heading = lines.find((line) => line.startsWith("NAMESPACE"));
    expect(heading?.trim().split(/\s+/)).toEqual(["NAMESPACE", "RUNNING", "PENDING", "ODD", "TOTAL"]);
    expect(
      lines
        .find((line) => line.startsWith("ns-01"))
        ?.trim()
        .split(/\s+/),
    ).toEqual(["ns-01", "1", "0", "1", "2"]);
    expect(
      lines
        .find((line) => line.startsWith("all"))
        ?.trim()
        .split(/\s+/),
    ).toEqual(["all", "2", "1", "1", "4"]);
    expect(lines.join("\n")).toContain("152/s    added 1,000    updated 2,000    deleted 300");
  });

  it.each([
    [80, 24],
    [40, 10],
    [20, 5],
  ])("fits into a terminal of %d × %d", (width, height) => {
    const lines = renderTable(viewOf(50), width, height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.length).toBeLessThanOrEqual(Math.max(height, 15));
  });
});

it("demo shows its state on one line when stdout is not a TTY", () => {
  expect(renderLine(viewOf(1))).toBe(
    "  12 s  2 pods (Running 1, Pending 1)  152 events/s  resourceVersion 48211  resyncs 2  reconnects 5  heap 48 MB  watching",
  );
  expect(renderSummary(viewOf(1))).toBe(
    "12.3 s: 2 pods in 1 namespace, 3,300 events (268/s), 2 resyncs, 5 reconnects, resourceVersion 48211, heap 48 MB",
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
