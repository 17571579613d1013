import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";
import { fillTables, readMeasurements, renderChart } from "./charts.js";
import { readRecording, renderRecording } from "./recording.js";

/** Renders all files that follow from docs/data: the pictures, and docs/performance.md with its tables. */
export function renderFiles(): ReadonlyMap<string, string> {
  const { charts, tables } = readMeasurements();
  const page = "docs/performance.md";
  return new Map([
    ["docs/images/demo.svg", renderRecording(readRecording())],
    ...charts.map((chart) => [`docs/images/${chart.file}`, renderChart(chart, tables)] as const),
    [page, fillTables(readFileSync(join(root, page), "utf8"), tables)],
  ]);
}
