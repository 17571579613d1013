// The recorded figures in docs/data/performance.json, from which `npm run pictures` draws charts and fills tables.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../../docs/data/performance.json", import.meta.url);

/** Changes the tables by name. A table has `columns` and `rows`; all cells are texts, as the documentation shows them. */
export function recordTables(change) {
  const data = JSON.parse(readFileSync(file, "utf8"));
  change(data.tables);
  writeFileSync(file, `${inLines(JSON.stringify(data, null, 2))}\n`);
}

/** Puts each list of texts into one line, so that a row of a table is one line of a diff. */
function inLines(json) {
  return json.replace(/\[(?:\s+"(?:[^"\\]|\\.)*",?)+\s+\]/g, (list) =>
    JSON.stringify(JSON.parse(list)).replaceAll('","', '", "'),
  );
}

/** Replaces the rows of a table that have the same first cell, and appends the others. */
export function mergeRows(table, rows) {
  const merged = new Map(table.rows.map((row) => [row[0], row]));
  for (const row of rows) merged.set(row[0], row);
  table.rows = [...merged.values()];
}
