// Latency of watch events while the same process reads a long list: the time from the sending of an event to its handler.
// One process sends the events, another one the list, in pages of 500 pods (4 MB of Protobuf each) that were encoded
// before. The longest wait of a client that only takes turns of its event loop shows what the machine adds. Linux only.
// Run it after `npm run build`, on an idle machine.
//
// node test/bench/latency.mjs [--n 50000] [--rate 1000] [--mode plain|worker]
//
// Modes: `worker` sets `decodeInWorker`.
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { workloadPod } from "./workload-pods.mjs";

const { values: options } = parseArgs({
  options: {
    serve: { type: "string" },
    n: { type: "string", default: "50000" },
    rate: { type: "string", default: "1000" },
    mode: { type: "string", default: "plain" },
  },
});
const [n, rate] = [Number(options.n), Number(options.rate)];
const pageSize = 500;
/** Pages that were encoded before. They are sent in turns, with other continue tokens. */
const differentPages = 4;
/** Time without a list, in milliseconds, before the list and for comparison. */
const aloneMs = 5_000;

/** Milliseconds of a clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Creates a server that sends changes of a ConfigMap at a fixed rate, each with the time at which it is sent. */
function eventServer() {
  const object = (version) => ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "clock", namespace: "default", uid: "1", resourceVersion: String(version) },
    data: { sent: String(now()) },
  });
  return createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (new URL(request.url, "http://server").searchParams.get("watch") === null) {
      const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [object(1)] };
      response.end(JSON.stringify(list));
      return;
    }
    response.flushHeaders();
    const start = now();
    let sent = 0;
    const timer = setInterval(() => {
      for (const due = ((now() - start) / 1000) * rate; sent < due; sent++)
        response.write(`${JSON.stringify({ type: "MODIFIED", object: object(sent + 2) })}\n`);
    }, 1);
    response.on("close", () => clearInterval(timer));
  });
}

/** Creates a server that sends pages of pods: different ones in Protobuf, equal ones in JSON. */
async function listServer() {
  const { protobuf } = await import("../../dist/codec/protobuf/index.js");
  const codec = protobuf();
  const token = "99999990";
  const page = (number, more) => {
    const items = Array.from({ length: pageSize }, (_, i) => workloadPod(number * pageSize + i));
    return { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "4000000000", ...more }, items };
  };
  const more = { continue: token, remainingItemCount: n - pageSize };
  const text = Buffer.from(JSON.stringify(page(0, more)));
  const pages = Array.from({ length: differentPages }, (_, number) => codec.encode(page(number, more)));
  const ends = { true: codec.encode(page(0, {})), false: JSON.stringify(page(0, {})) };
  const pageBefore = (to, binary) => {
    if (to >= n) return ends[binary];
    const bytes = Buffer.from(binary ? pages[(to / pageSize) % differentPages] : text);
    bytes.write(String(to).padStart(token.length, "0"), bytes.indexOf(token));
    return bytes;
  };
  return createServer((request, response) => {
    const query = new URL(request.url, "http://server").searchParams;
    const binary = (request.headers.accept ?? "").startsWith("application/vnd.kubernetes.protobuf");
    const type = binary ? "application/vnd.kubernetes.protobuf" : "application/json";
    response.setHeader("content-type", query.get("watch") === null ? type : `${type};stream=watch`);
    if (request.url === "/version") response.end(JSON.stringify({ major: "1", minor: "36", gitVersion: "v1.36.3" }));
    else if (query.get("watch") !== null) response.flushHeaders();
    else response.end(pageBefore(Number(query.get("continue") ?? 0) + pageSize, binary));
  });
}

async function serve() {
  const server = options.serve === "events" ? eventServer() : await listServer();
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
  process.on("disconnect", () => process.exit());
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the median, the 99th percentile and the maximum of some times in milliseconds. */
function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2));
  return { events: sorted.length, median: at(0.5), p99: at(0.99), longest: at(1) };
}

async function measure() {
  const { connect } = await import("../../dist/node/index.js");
  const { createInformer } = await import("../../dist/cache/index.js");
  const { ConfigMap, Pod } = await import("../../dist/kinds/core/v1.js");
  const worker = options.mode === "worker" && { decodeInWorker: true };
  const start = async (serve) => {
    const child = fork(new URL(import.meta.url), ["--serve", serve, ...process.argv.slice(2)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const port = await new Promise((resolve) => child.once("message", resolve));
    return { child, client: await connect({ server: `http://127.0.0.1:${port}`, ...worker }) };
  };
  const events = await start("events");
  const list = await start("list");
  let times = [];
  const clock = createInformer(events.client.resource(ConfigMap), { initialList: "list" });
  clock.addHandler(({ object }) => times.push(now() - Number(object.data.sent)));
  const take = () => {
    const taken = times;
    times = [];
    return taken;
  };
  await sleep(aloneMs);
  take();
  await sleep(aloneMs);
  const alone = summary(take());
  const from = now();
  const pods = createInformer(list.client.resource(Pod), { initialList: "list" });
  await pods.synced();
  const report = { mode: options.mode, n, alone, sync_ms: Math.round(now() - from), list: summary(take()) };
  console.log(JSON.stringify({ ...report, encoding: pods.metrics.encoding }));
  await Promise.all([clock.close(), pods.close()]);
  for (const { child, client } of [events, list]) {
    await client.close();
    child.disconnect();
  }
}

await (options.serve === undefined ? measure() : serve());
