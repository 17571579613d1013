// Budgets of a page: what importing each of its entries costs, and how long a table of 100,000 rows takes to answer its
// user. Ends with 1 if a budget is exceeded.
//
// Run after `npm run build`: node test/bench/page-budgets.mjs
//
// All times are CPU times (user and system), and the budgets are ratios to work that is measured in the same run: an
// import to that of react-dom, an interaction to filtering, sorting and slicing all rows. Only the longest task has a
// budget in milliseconds, because users feel it.
import { spawnSync } from "node:child_process";
import { createLiveStores, createLiveTable, selectStore } from "kubestream/stores";
import { cpuOf, createRows, longestTaskOf, rowOf } from "./live-rows.mjs";

const count = 100_000;
const turns = 7;
const failed = [];

/** Prints a row of the table, and notes it if it exceeds its budget. */
function check(name, value, limit, unit) {
  const isOver = value > limit;
  if (isOver) failed.push(name);
  const text = (number) => (unit === "ms" ? `${number.toFixed(0)} ms` : `${number.toFixed(2)} ×`);
  console.log(`  ${name.padEnd(52)} ${text(value).padStart(9)}   at most ${text(limit)}${isOver ? "   EXCEEDED" : ""}`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Returns the CPU time of importing a module in a process of its own (ms). */
function importTime(path) {
  const source = `const before = process.cpuUsage(); await import(${JSON.stringify(path)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
    cwd: new URL("../..", import.meta.url),
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return Number(stdout);
}

/** Budgets of imports, as parts of the time that importing react-dom takes. */
const imports = {
  kubestream: 0.4,
  "kubestream/cache": 0.4,
  "kubestream/stores": 0.5,
  "kubestream/react": 0.8,
  "kubestream/mux": 0.4,
};

function checkImports() {
  const pairs = Array.from({ length: turns }, () => {
    const opponent = importTime("react-dom/client");
    return Object.fromEntries(Object.keys(imports).map((path) => [path, importTime(path) / opponent]));
  });
  console.log("import, CPU time as a part of react-dom's:");
  for (const [path, limit] of Object.entries(imports)) check(path, median(pairs.map((pair) => pair[path])), limit);
}

/** Filters, sorts and slices all rows, as a page without a live table does for each change. */
function naive(rows, filter) {
  const contains = (cell) => String(cell).toLowerCase().includes(filter);
  const matching = rows.filter(({ cells, metadata }) => contains(metadata.namespace) || cells.some(contains));
  matching.sort((a, b) => b.cells[2] - a.cells[2] || (a.metadata.name < b.metadata.name ? -1 : 1));
  return matching.slice(0, 50);
}

async function checkInteractions() {
  const source = createRows(count);
  const stores = createLiveStores({}, { intervalMs: 0, informer: { initialList: "pages" } });
  const view = { sortBy: { column: "Restarts", descending: true }, filter: "", offset: 0, limit: 50 };
  const table = createLiveTable(stores, source, {}, view);
  table.subscribe(() => undefined);
  await table.ready();
  const { name } = table.getSnapshot().rows[0].metadata;
  const selected = selectStore(table, ({ rows }) => rows.find(({ metadata }) => metadata.name === name));
  let selections = 0;
  selected.subscribe(() => selections++);
  const rows = Array.from({ length: count }, (_, i) => rowOf(i, 1, i % 7));
  const show = (next) => async () => {
    table.setView({ ...view, ...next });
    await table.ready();
    table.getSnapshot();
  };
  /** Returns the median of `work` after `before`, which isn't measured. */
  const times = async (measure, work, before) => {
    const all = [];
    for (let turn = 0; turn < turns; turn++) {
      await before(turn)();
      all.push(await measure(work(turn)));
    }
    return median(all);
  };
  const reset = () => show({});
  const opponent = await times(cpuOf, () => async () => naive(rows, "running"), reset);
  const ratioOf = async (work) => (await times(cpuOf, work, reset)) / opponent;
  const keystroke = () => show({ filter: "running" });
  const sort = () => show({ sortBy: { column: "Name" } });
  console.log(
    `interaction with ${count.toLocaleString("en")} rows, CPU time as a part of filtering and sorting all at once:`,
  );
  check("keystroke in the filter, to the rows that match", await ratioOf(keystroke), 12);
  check("another column to sort by", await ratioOf(sort), 12);
  check("scroll to another window", await ratioOf((turn) => show({ offset: 1_000 * turn })), 0.05);
  await reset()();
  const begun = selections;
  check(
    "change of a row outside of the window",
    await ratioOf((turn) => async () => {
      source.push([{ type: "MODIFIED", object: rowOf(50_001, turn + 2, 0) }]);
      const informer = stores.informer(source);
      await informer.waitForResourceVersion(String(turn + 2));
      await informer.close();
    }),
    0.1,
  );
  if (selections > begun) failed.push("a selected row was reported although only others changed");
  console.log("longest task, CPU time:");
  check("keystroke in the filter", await times(longestTaskOf, keystroke, reset), 50, "ms");
  check("another column to sort by", await times(longestTaskOf, sort, reset), 50, "ms");
  await stores.close();
}

checkImports();
await checkInteractions();
console.log(failed.length === 0 ? "all budgets are kept" : `exceeded: ${failed.join("; ")}`);
process.exit(failed.length === 0 ? 0 : 1);
