// Cost of the first requests of a process: kubestream compared with bare undici and JSON.parse. Each turn runs in a
// process of its own, and they alternate, so that other work on the machine affects both.
//
// Run after `npm run build`: node test/bench/new-process.mjs [TURNS] [ROW…] [--record]
//
// --record writes the ratios to docs/data/performance.json; run it on an idle machine.
// Reports wall time and CPU time of the main thread and of the whole process: medians, and the median of the ratios of
// the pairs.
import { fork, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { podLists } from "./pod-lists.mjs";
import { mergeRows, recordTables } from "./recorded.mjs";

const objects = 5_000;
const pageSize = 500;
/** Rows: measured from the start of the process, or after the modules are loaded. */
const rows = {
  cold: "start of the process to a list of one item",
  requests: "1,000 lists of one item, one after another",
  full: `a list of ${objects.toLocaleString("en")} pods, the first`,
  paged: `the same in pages of ${pageSize}`,
};
const self = fileURLToPath(import.meta.url);

const [, , role, ...rest] = process.argv;
if (role === "server") serve();
else if (role === "child") await measure(...rest);
else {
  const words = process.argv.slice(2).filter((word) => word !== "--record");
  await main(Number(words[0] ?? 15), words.slice(1), process.argv.includes("--record"));
}

/** Server with minimal cost: all responses are created beforehand. */
function serve() {
  const { one, full, pages } = podLists({ objects, pageSize, variables: 24, managed: 60 });
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    const { searchParams } = new URL(message.url, "http://x");
    const limit = searchParams.get("limit");
    const body = limit === null ? full : limit === "1" ? one : pages[Number(searchParams.get("continue") ?? 0)];
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  server.on("connection", () => connections++);
  process.on("message", () => {
    process.send(connections);
    connections = 0;
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

/** Returns the CPU milliseconds of the main thread, if the system reports them. */
function threadCpu() {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : NaN;
}

async function measure(who, row, url) {
  const { fetchList, pages } = await (who === "bare" ? bare(url) : kubestream(url));
  const cold = row === "cold";
  const cpu = process.cpuUsage();
  const thread = cold ? 0 : threadCpu();
  const begin = performance.now();
  let count = 0;
  if (cold) count = (await fetchList(1)).length;
  else if (row === "requests") for (let i = 0; i < 1_000; i++) count += (await fetchList(1)).length;
  else if (row === "full") count = (await fetchList()).length;
  else for await (const items of pages()) count += items.length;
  const main = threadCpu() - thread;
  const wall = cold ? performance.now() : performance.now() - begin;
  const { user, system } = cold ? process.cpuUsage() : process.cpuUsage(cpu);
  console.log(JSON.stringify({ wall, main, all: (user + system) / 1000, count }));
  process.exit(0);
}

async function bare(url) {
  const { Agent, request } = await import("undici");
  const dispatcher = new Agent({ keepAliveTimeout: 60_000, connections: 4 });
  const get = async (query) => {
    const { statusCode, body } = await request(`${url}/api/v1/namespaces/x/pods${query}`, {
      dispatcher,
      headers: { accept: "application/json" },
    });
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return JSON.parse(await body.text());
  };
  return {
    fetchList: async (limit) => (await get(limit === undefined ? "" : `?limit=${limit}`)).items,
    async *pages() {
      let token = "";
      do {
        const { items, metadata } = await get(`?limit=${pageSize}${token && `&continue=${encodeURIComponent(token)}`}`);
        yield items;
        token = metadata.continue ?? "";
      } while (token !== "");
    },
  };
}

async function kubestream(url) {
  const { connect } = await import("kubestream/node");
  const { Pod } = await import("kubestream/kinds/core/v1");
  const pods = (await connect({ server: url, env: {} })).resource(Pod).namespace("x");
  return {
    fetchList: async (limit) => (await pods.list(limit === undefined ? {} : { limit })).items,
    async *pages() {
      for await (const { items } of pods.pages({ limit: pageSize })) yield items;
    },
  };
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

async function main(turns, wanted, record) {
  const recorded = [];
  const server = fork(self, ["server"]);
  const port = await new Promise((resolve) => server.once("message", resolve));
  const url = `http://127.0.0.1:${port}`;
  const turn = (who, row) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [...process.execArgv, self, "child", who, row, url],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const connections = () =>
    new Promise((resolve) => {
      server.once("message", resolve);
      server.send("connections");
    });
  console.log(
    `Node ${process.version}, ${turns} turns\n\n| row | bare: wall, main thread, process (ms) | kubestream | ratio of wall | main thread | process | connections of a process |\n|---|---:|---:|---:|---:|---:|---:|`,
  );
  for (const [row, name] of Object.entries(rows)) {
    if (wanted.length > 0 && !wanted.includes(row)) continue;
    for (const who of ["bare", "kubestream"]) turn(who, row);
    const seen = { bare: [], kubestream: [] };
    for (let i = 0; i < turns; i++) {
      for (const who of i % 2 ? ["kubestream", "bare"] : ["bare", "kubestream"]) seen[who].push(turn(who, row));
    }
    if (new Set([...seen.bare, ...seen.kubestream].map(({ count }) => count)).size !== 1)
      throw new Error(`${row}: not the same work`);
    await connections();
    turn("kubestream", row);
    const opened = await connections();
    const of = (who) =>
      ["wall", "main", "all"].map((key) => median(seen[who].map((run) => run[key])).toFixed(0)).join(", ");
    const ratio = (key) => median(seen.kubestream.map((run, i) => run[key] / seen.bare[i][key])).toFixed(2);
    console.log(
      `| ${name} | ${of("bare")} | ${of("kubestream")} | ${ratio("wall")} | ${ratio("main")} | ${ratio("all")} | ${opened} |`,
    );
    recorded.push([name, ratio("wall"), ratio("main"), ratio("all")]);
  }
  server.kill();
  if (record) recordTables((tables) => mergeRows(tables["new-process"], recorded));
}
