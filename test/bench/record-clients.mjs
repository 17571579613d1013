// Writes the results of a client benchmark to docs/data/performance.json: the tables of informers, watches and requests.
//
// Usage: node test/bench/record-clients.mjs FOLDER
//
// FOLDER is that of the benchmark, after a run of test/bench/side-by-side.sh, which calls this with RECORD=1. It holds
// clients.json (names and titles of the clients) and results/summary.json (scenario, client, medians). Tables whose
// scenarios weren't run stay; the others get the rows of the run only, because all their ratios have one baseline.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordTables } from "./recorded.mjs";

const BASELINE = "client-node";
const events = 100_000;
/** Titles of the documentation, where they differ from those of the benchmark. */
const titles = { "go-typed-protobuf": (title) => title.replace("protobuf", "Protobuf") };

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: node test/bench/record-clients.mjs FOLDER");
const read = (path) => JSON.parse(readFileSync(join(folder, path), "utf8"));
const known = new Map(read("clients.json").clients.map(({ name, title }) => [name, titles[name]?.(title) ?? title]));
const summary = read("results/summary.json");

const titleOf = (name, bare) =>
  name === "raw-undici" ? bare : (known.get(name) ?? name.replace(/^kubestream-/, "kubestream "));
const number = (value, digits = 0) =>
  value == null ? "–" : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const times = (base, value) => (base == null || value == null ? "–" : number(base / value, 2));
const spread = (value) => (value == null ? "–" : `${number(value * 100)} %`);

/** Returns the results of a scenario as `[client, medians]`, without programs that only measure a limit. */
function resultsOf(scenario) {
  const results = Object.entries(summary[scenario] ?? {}).filter(([name]) => !/^(?:limit|raw-socket)/.test(name));
  return results.length === 0 ? undefined : { results, base: summary[scenario][BASELINE] ?? {} };
}

function syncTable(scenario) {
  const found = resultsOf(scenario);
  return (
    found && {
      columns: ["client", "wall ms", "CPU ms", "x wall", "x CPU", "spread", "peak RSS MB", "retained heap MB"],
      rows: found.results.map(([name, one]) => [
        titleOf(name, "undici + JSON.parse, no store"),
        number(one.wall_ms),
        number(one.cpu_ms),
        times(found.base.wall_ms, one.wall_ms),
        times(found.base.cpu_ms, one.cpu_ms),
        spread(one.spread),
        number(one.peak_rss_mb),
        number(one.heap_mb),
      ]),
    }
  );
}

function watchTable() {
  const found = resultsOf("watch");
  return (
    found && {
      columns: ["client", "events/s", "CPU µs/event", "x wall", "x CPU", "spread", "peak RSS MB"],
      rows: found.results.map(([name, one]) => [
        titleOf(name, "undici + JSON.parse, no store"),
        number((events / one.wall_ms) * 1000),
        number((one.cpu_ms / events) * 1000, 1),
        times(found.base.wall_ms, one.wall_ms),
        times(found.base.cpu_ms, one.cpu_ms),
        spread(one.spread),
        number(one.peak_rss_mb),
      ]),
    }
  );
}

function requestsTable() {
  const scenarios = { cold: "cold start to a list of one", requests: "500 lists of one item" };
  const lists = { list: "first list of 10,000 pods", paged: "the same in pages of 500" };
  const columns = Object.entries({ ...scenarios, ...lists });
  if (columns.some(([scenario]) => resultsOf(scenario) === undefined)) return undefined;
  // Rows of other encodings would say little: requests use JSON unless the program sets another one.
  const names = Object.keys(summary.cold).filter(
    (name) => !/^(?:limit|raw-socket|kubestream-(?!(?:default|json)$))/.test(name),
  );
  const cell = (one) => (one === undefined ? "not supported" : `${number(one.wall_ms)} (${number(one.cpu_ms)})`);
  return {
    columns: ["wall ms (CPU ms)", ...columns.map(([, title]) => title)],
    rows: names.map((name) => [
      titleOf(name, "undici + JSON.parse"),
      ...columns.map(([scenario]) => cell(summary[scenario][name])),
    ]),
  };
}

function memoryTable() {
  const found = resultsOf("sync-50k");
  const rows = found?.results.filter(([name]) => name.startsWith("kubestream-"));
  if (rows === undefined || rows.length === 0) return undefined;
  return {
    columns: [
      "50,000 pods",
      "heap retained by the informer, MB",
      "peak resident memory during the sync, MB",
      "peak to retained",
    ],
    rows: rows.map(([name, one]) => [
      name.replace(/^kubestream-/, ""),
      number(one.heap_mb),
      number(one.peak_rss_mb),
      number(one.peak_rss_mb / one.heap_mb, 1),
    ]),
  };
}

recordTables((tables) => {
  const measured = {
    sync: syncTable("sync"),
    "streaming-list": syncTable("watchlist"),
    "sync-50k": syncTable("sync-50k"),
    watch: watchTable(),
    requests: requestsTable(),
    memory: memoryTable(),
  };
  for (const [name, table] of Object.entries(measured)) {
    if (table !== undefined) tables[name] = table;
    console.log(`${name}: ${table === undefined ? "not measured" : `${table.rows.length} rows`}`);
  }
});
