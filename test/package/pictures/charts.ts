import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";
import { escapeXml } from "./recording.js";

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Chart {
  /** Name of the file in docs/images. */
  readonly file: string;
  readonly title: string;
  readonly unit: string;
  /** Direction in which a value is better. */
  readonly better: "lower" | "higher";
  /** Table, its column, and the rows to show, in order. */
  readonly table: string;
  readonly column: string;
  readonly rows: readonly string[];
  /** Row that is not kubestream, in a chart whose other rows are. */
  readonly reference?: string;
}

/** Contents of docs/data/performance.json. */
export interface Measurements {
  /** Bar charts over columns of the tables. */
  readonly charts: readonly Chart[];
  /** Recorded figures, as shown in docs/performance.md. */
  readonly tables: Readonly<Record<string, Table>>;
}

/** Reads the recorded measurements. */
export function readMeasurements(): Measurements {
  return JSON.parse(readFileSync(join(root, "docs/data/performance.json"), "utf8")) as Measurements;
}

/** Renders one horizontal bar per row; kubestream's bars stand out. */
export function renderChart(chart: Chart, tables: Measurements["tables"]): string {
  const table = tables[chart.table];
  const column = table?.columns.indexOf(chart.column) ?? -1;
  if (table === undefined || column < 0) throw new Error(`${chart.file}: no column ${chart.column} in ${chart.table}`);
  const bars = chart.rows.map((name) => {
    const row = table.rows.find(([first]) => first === name);
    if (row === undefined) throw new Error(`${chart.file}: no row ${name} in ${chart.table}`);
    return { name, text: row[column] ?? "", value: leading(row[column] ?? "") };
  });
  const longest = Math.max(...bars.map(({ value }) => value));
  const labels = Math.max(...bars.map(({ name }) => name.length)) * 6.7 + 16;
  const room = 330;
  const width = Math.ceil(labels + room + 90);
  const height = 62 + bars.length * 26;
  const compared = chart.rows.some((name) => name.startsWith("kubestream"));
  const lines = bars.map(({ name, text, value }, index) => {
    const y = 56 + index * 26;
    const length = Math.max(2, (value / longest) * room);
    const ours = compared ? name.startsWith("kubestream") : name !== chart.reference;
    return `<text x="${(labels - 8).toFixed(0)}" y="${String(y + 13)}" text-anchor="end">${escapeXml(name.replaceAll("`", ""))}</text><rect x="${labels.toFixed(0)}" y="${String(y)}" width="${length.toFixed(1)}" height="18" rx="3" fill="${ours ? "#326ce5" : "#9aa4b2"}"/><text x="${(labels + length + 6).toFixed(0)}" y="${String(y + 13)}" class="value">${escapeXml(text.replace(/ \(.*\)/, ""))}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" role="img">
<title>${escapeXml(chart.title)}, ${escapeXml(chart.unit)}</title>
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#24292f}
.title{font-size:15px;font-weight:600}
.value{font-weight:600}
.unit{fill:#57606a}
</style>
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
<text x="16" y="24" class="title">${escapeXml(chart.title)}</text>
<text x="16" y="42" class="unit">${escapeXml(chart.unit)}; ${chart.better} is better</text>
${lines.join("\n")}
</svg>
`;
}

/** Value of a cell such as `1,305`, `154 (176)` or `660–970`: its first number, the greater end of a range. */
function leading(cell: string): number {
  const match = /^([\d.,]+)(?:–([\d.,]+))?/.exec(cell);
  if (match === null) throw new Error(`not a number: ${cell}`);
  return Number((match[2] ?? match[1] ?? "").replaceAll(",", ""));
}

/** Puts the recorded tables between their markers, `<!-- table: NAME -->` and `<!-- end -->`, in a page. */
export function fillTables(page: string, tables: Measurements["tables"]): string {
  return page.replaceAll(
    /(<!-- table: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, begin: string, name: string, end: string) => {
      const table = tables[name];
      if (table === undefined) throw new Error(`docs/data/performance.json has no table ${name}`);
      const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
      const ruler = table.columns.map((_column, index) => {
        const numbers = index > 0 && table.rows.every((row) => /^[\d(]/.test(row[index] ?? ""));
        return numbers ? "---:" : "---";
      });
      return `${begin}${line(table.columns)}${line(ruler)}${table.rows.map(line).join("")}${end}`;
    },
  );
}
