// Memory and CPU time of an informer's cache of a realistic cluster. Another process sends the objects, so the figures
// are the client's alone. Run it after `npm run build`.
//
// node --expose-gc test/bench/cluster-memory.mjs --n 50000 [--variant VARIANT] [--objects OBJECTS]
//
// Objects: pods (7.8 kB of Protobuf each), certificates (custom resources of 1 kB) or configmaps (200 kB).
// Variants: json, protobuf, each also with -lazy (metadata at once, the rest on first access) and -alone (objects don't
// share anything). `default` sets no option. `bare` is undici, `JSON.parse` and a map instead of an informer.
//
// Turns of the event loop over 10 ms of CPU time are listed with their phase and the milliseconds in them that V8's
// garbage collector took by the clock: in the list with the objects arriving or replacing the store, or in handlers.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { PerformanceObserver } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { longConfigMap, workloadCertificate, workloadPod } from "./workload-pods.mjs";

const { values: options } = parseArgs({
  options: {
    serve: { type: "string" },
    n: { type: "string", default: "50000" },
    variant: { type: "string", default: "default" },
    objects: { type: "string", default: "pods" },
  },
});
const n = Number(options.n);

const sources = {
  pods: { apiVersion: "v1", kind: "Pod", make: workloadPod },
  certificates: { apiVersion: "certificates.example.com/v1", kind: "Certificate", make: workloadCertificate },
  configmaps: { apiVersion: "v1", kind: "ConfigMap", make: longConfigMap },
};
const { apiVersion, kind, make } = sources[options.objects];

/** Sends pages of objects, and watches without events. */
async function serve() {
  const { protobuf } = await import("../../dist/codec/protobuf/index.js");
  const codec = protobuf();
  const server = createServer((request, response) => {
    const query = new URL(request.url, "http://server").searchParams;
    const binary = /protobuf/.test(request.headers.accept ?? "") && !/^application\/json/.test(request.headers.accept);
    response.setHeader("content-type", binary ? "application/vnd.kubernetes.protobuf" : "application/json");
    if (query.get("watch") !== null) {
      if (binary) response.setHeader("content-type", "application/vnd.kubernetes.protobuf;stream=watch");
      response.flushHeaders();
      return;
    }
    if (request.url.startsWith("/version")) {
      response.end(JSON.stringify({ major: "1", minor: "36", gitVersion: "v1.36.3" }));
      return;
    }
    const from = Number(query.get("continue") ?? 0);
    const to = Math.min(n, from + Number(query.get("limit") ?? n));
    const items = Array.from({ length: to - from }, (_, i) => make(from + i));
    const rest = n - to;
    const metadata = {
      resourceVersion: "99999999",
      ...(rest > 0 ? { continue: String(to), remainingItemCount: rest } : {}),
    };
    const list = { kind: `${kind}List`, apiVersion, metadata, items };
    response.end(binary ? codec.encode(list) : JSON.stringify(list));
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
  process.on("disconnect", () => process.exit());
}

function retainedBytes() {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Reads every field, so that everything is decoded. */
function visit(value) {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const key of Object.keys(value)) count += visit(value[key]);
  return count;
}

const peakMegabytes = () =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024);

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function measure() {
  const { connect } = await import("../../dist/node/index.js");
  const { createInformer } = await import("../../dist/cache/index.js");
  const { defineKind } = await import("../../dist/index.js");
  const core = await import("../../dist/kinds/core/v1.js");
  const resource =
    core[kind] ??
    defineKind()({ group: apiVersion.split("/")[0], version: "v1", kind, plural: "certificates", scope: "Namespaced" });
  const { json } = await import("../../dist/codec/index.js");
  const { protobuf } = await import("../../dist/codec/protobuf/index.js");
  const child = fork(new URL(import.meta.url), ["--serve", "yes", "--n", String(n), "--objects", options.objects], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const port = await new Promise((resolve) => child.once("message", resolve));
  const report =
    options.variant === "bare"
      ? await measureBare(port)
      : await measureInformer({ connect, createInformer, resource, json, protobuf, port });
  console.log(JSON.stringify(report));
  child.disconnect();
}

/** Reads the objects in pages into a map, with undici and `JSON.parse` only. */
async function measureBare(port) {
  const { Agent, request } = await import("undici");
  const dispatcher = new Agent({ connections: 1 });
  const before = retainedBytes();
  const turns = watchTurns(() => "list");
  const start = cpuMs();
  const objects = new Map();
  for (let token = ""; token !== undefined; ) {
    const url = `http://127.0.0.1:${port}/list?limit=500${token === "" ? "" : `&continue=${token}`}`;
    const { body } = await request(url, { dispatcher, headers: { accept: "application/json" } });
    const { items, metadata } = JSON.parse(await body.text());
    for (const item of items) objects.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
    token = metadata.continue;
  }
  const took = cpuMs() - start;
  const longTurns = turns();
  const peak = peakMegabytes();
  const report = { objects: options.objects, n, told: objects.size, ...summary(took, longTurns, peak, before) };
  await dispatcher.close();
  return { variant: "bare", ...report };
}

const summary = (took, longTurns, peak, before) => ({
  cpuMicrosPerObject: Math.round((took / n) * 1e4) / 10,
  ...longTurns,
  bytesPerObjectUnread: Math.round((retainedBytes() - before) / n),
  peakMegabytesOfSync: peak,
});

/** Measures the turns of the event loop until the returned function is called. */
function watchTurns(phase) {
  const collections = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  const turns = [];
  let [last, lastCpu, longest] = [performance.now(), threadCpuMs(), 0];
  const timer = setInterval(() => {
    const [now, cpu] = [performance.now(), threadCpuMs()];
    longest = Math.max(longest, cpu - lastCpu);
    if (cpu - lastCpu > 10) turns.push({ from: last, to: now, cpu: cpu - lastCpu, phase: phase() });
    [last, lastCpu] = [now, cpu];
  }, 1);
  return () => {
    clearInterval(timer);
    collections.push(...observer.takeRecords());
    observer.disconnect();
    const collected = ({ from, to }) =>
      collections
        .filter(({ startTime }) => startTime >= from && startTime < to)
        .reduce((sum, { duration }) => sum + duration, 0);
    return {
      longestTurnCpuMs: Math.round(longest * 10) / 10,
      turnsOver10Ms: turns.map((turn) => `${turn.phase} ${Math.round(turn.cpu)}, gc ${Math.round(collected(turn))}`),
    };
  };
}

async function measureInformer({ connect, createInformer, resource, json, protobuf, port }) {
  const [encoding, ...traits] = options.variant.split("-");
  const codecs = encoding === "default" ? {} : { codecs: encoding === "protobuf" ? [protobuf(), json()] : [json()] };
  const client = await connect({ server: `http://127.0.0.1:${port}`, ...codecs });
  const before = retainedBytes();
  const informer = createInformer(client.resource(resource), {
    initialList: "list",
    ...(encoding === "default" ? {} : { bulkEncoding: false }),
    ...(traits.includes("lazy") ? { decode: { lazy: true } } : {}),
    ...(traits.includes("alone") ? { freeze: false } : {}),
    indexes: { app: (object) => [object.metadata.labels.app] },
  });
  let told = 0;
  const turns = watchTurns(() => (told > 0 ? "handlers" : "list"));
  const start = cpuMs();
  const registration = informer.addHandler(() => told++);
  await registration.synced();
  const took = cpuMs() - start;
  const measured = summary(took, turns(), peakMegabytes(), before);
  let fields = 0;
  const readStart = cpuMs();
  let visited = 0;
  for (const object of informer.store.values()) {
    fields += visit(object);
    if (++visited % 500 === 0) await turn();
  }
  const readTook = cpuMs() - readStart;
  await turn();
  const read = (retainedBytes() - before) / n;
  const report = {
    variant: options.variant,
    objects: options.objects,
    n,
    told,
    fields,
    encoding: informer.metrics.encoding.state,
    ...measured,
    bytesPerObjectRead: Math.round(read),
    readCpuMicrosPerObject: Math.round((readTook / n) * 1e4) / 10,
    peakMegabytes: peakMegabytes(),
  };
  await informer.close();
  await client.close();
  return report;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU time of the main thread, without that of the garbage collector's threads. */
function threadCpuMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return cpuMs();
  }
}

await (options.serve === undefined ? measure() : serve());
