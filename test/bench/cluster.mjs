// Measures the cluster in the process, and a real one next to it.
//
// Usage: node test/bench/cluster.mjs [--pods 1000] [--nodes 50] [--only TEXT] [--record]
// [--kubeconfig FILE --pids NUMBERS]
//
// Every row runs in a process of its own. The rows "again" repeat their work in that process and show the last time, when
// V8 has compiled the code: further tests of a file take that long.
//
// --kubeconfig takes that of a real cluster with simulated nodes (kwok), and --pids the numbers of its processes, with
// commas: kube-apiserver, etcd, kube-controller-manager, kube-scheduler, kwok. Their CPU time comes from /proc, so it
// needs Linux. --record writes the rows to docs/data/performance.json, from which `npm run pictures` fills the tables.
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rowsFor } from "./cluster/rows.mjs";
import { openOurs, openReal } from "./cluster/sides.mjs";
import { mergeRows, recordTables } from "./recorded.mjs";

const { values } = parseArgs({
  options: {
    pods: { type: "string", default: "1000" },
    nodes: { type: "string", default: "50" },
    only: { type: "string", default: "" },
    kubeconfig: { type: "string" },
    pids: { type: "string", default: "" },
    row: { type: "string" },
    record: { type: "boolean", default: false },
  },
});
const rows = rowsFor({ pods: Number(values.pods), nodes: Number(values.nodes) });

/** Measures a row of ours in a new process. */
async function measureOurs(name) {
  const words = [...process.argv.slice(2), "--row", name];
  const child = fork(fileURLToPath(import.meta.url), words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`the row "${name}" ended with exit code ${code}`)));
  });
}

async function measureReal({ run, onlyOurs }) {
  if (values.kubeconfig === undefined || onlyOurs) return undefined;
  return run(await openReal(values.kubeconfig, values.pids.split(",").map(Number)));
}

const inWhole = (figure) => figure?.toLocaleString("en", { maximumFractionDigits: 0 }) ?? "–";

async function main() {
  if (!existsSync(new URL("../../dist/", import.meta.url))) throw new Error("dist is missing: run npm run build first");
  const table = [];
  for (const [name, row] of Object.entries(rows)) {
    if (!name.includes(values.only)) continue;
    const [ours, real] = [await measureOurs(name), await measureReal(row)];
    const figures = [inWhole(ours), inWhole(real), real === undefined ? "–" : (real / ours).toFixed(1)];
    table.push([name, row.unit, ...figures]);
    console.log(`${`${name} (${row.unit})`.padEnd(64)}${figures.map((figure) => figure.padStart(10)).join("")}`);
  }
  if (values.record) recordTables((tables) => mergeRows(tables.cluster, table));
}

if (values.row === undefined) {
  await main();
} else {
  const { run, times = 1 } = rows[values.row];
  const side = await openOurs();
  let figure;
  for (let i = 0; i < times; i += 1) figure = await run(side);
  process.send(figure, () => process.exit());
}
