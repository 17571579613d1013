import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";
import { fillTables, readMeasurements, renderChart } from "./charts.js";
import { readDiagrams, renderDiagram } from "./diagrams.js";
import { fillKinds } from "./kinds.js";
import { readRecording, renderRecording } from "./recording.js";

/** Renders all files that are derived from data: pictures, performance tables, and the list of kinds. */
export function renderFiles(): ReadonlyMap<string, string> {
  const { charts, tables } = readMeasurements();
  const page = (name: string): string => readFileSync(join(root, name), "utf8");
  return new Map([
    ["docs/images/demo.svg", renderRecording(readRecording())],
    ...charts.map((chart) => [`docs/images/${chart.file}`, renderChart(chart, tables)] as const),
    ...readDiagrams().map((diagram) => [`docs/images/${diagram.file}`, renderDiagram(diagram)] as const),
    ["docs/performance.md", fillTables(page("docs/performance.md"), tables)],
    ["docs/guides/kinds.md", fillKinds(page("docs/guides/kinds.md"))],
  ]);
}
