// CPU time of the main thread while an informer follows a busy watch, with and without a decoding worker. Another process
// sends the events, at a fixed rate, of pods of 7.8 kB as Protobuf. Linux only. Run it after `npm run build`.
//
// node test/bench/busy-watch.mjs [--rate 1000] [--seconds 5] [--n 2000] [--mode worker|plain|bytes] [--change status]
//
// Modes: `plain` decodes on the main thread, `worker` sets `decodeInWorker`, `bytes` only reads the response. An event
// changes the resource version, and with `--change status` also the restart count and the times of the status.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { workloadPod } from "./workload-pods.mjs";

const { values: options } = parseArgs({
  options: {
    serve: { type: "boolean", default: false },
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "5" },
    n: { type: "string", default: "2000" },
    mode: { type: "string", default: "worker" },
    change: { type: "string", default: "version" },
  },
});
const [n, rate, seconds] = [Number(options.n), Number(options.rate), Number(options.seconds)];
const firstVersion = 4_000_000_000;
/** Seconds before the measurement, in which V8 compiles the code. */
const warmUp = 3;
const from = firstVersion + rate * warmUp;
const last = from + rate * seconds;

/** Serves a list of pods and a watch that changes them in turns. */
async function serve() {
  const { protobuf } = await import("../../dist/codec/protobuf/index.js");
  const codec = protobuf();
  const pods = Array.from({ length: n }, (_, i) => {
    const pod = workloadPod(i);
    return { ...pod, metadata: { ...pod.metadata, resourceVersion: String(firstVersion) } };
  });
  const list = codec.encode({
    kind: "PodList",
    apiVersion: "v1",
    metadata: { resourceVersion: String(firstVersion) },
    items: pods,
  });
  const states = options.change === "status" ? 3 : 1;
  const frames = Array.from({ length: states }, (_, state) =>
    pods.map((pod) => frameOf(codec.encode({ kind: "Pod", apiVersion: "v1", ...restarted(pod, state) }))),
  ).flat();
  const server = createServer((request, response) => {
    const query = new URL(request.url, "http://server").searchParams;
    if (request.url.startsWith("/version")) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ major: "1", minor: "36", gitVersion: "v1.36.3" }));
    } else if (query.get("watch") !== null) {
      response.setHeader("content-type", "application/vnd.kubernetes.protobuf;stream=watch");
      response.flushHeaders();
      send(response, frames);
    } else {
      response.setHeader("content-type", "application/vnd.kubernetes.protobuf");
      response.end(list);
    }
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
  process.on("disconnect", () => process.exit());
}

/** Returns a pod whose first container restarted so many times; it isn't ready after the first restart. */
function restarted(pod, times) {
  if (times === 0) return pod;
  const at = `2026-07-0${times}T10:11:12Z`;
  const ready = times === 1 ? "False" : "True";
  const { conditions, containerStatuses } = pod.status;
  return {
    ...pod,
    status: {
      ...pod.status,
      conditions: conditions.map((condition) =>
        condition.type.endsWith("Ready") ? { ...condition, status: ready, lastTransitionTime: at } : condition,
      ),
      containerStatuses: containerStatuses.map((container, i) =>
        i > 0
          ? container
          : { ...container, restartCount: times, ready: times !== 1, state: { running: { startedAt: at } } },
      ),
    },
  };
}

/** Builds a watch frame whose version is overwritten for each event. */
function frameOf(object) {
  const varint = (value) => {
    const bytes = [];
    for (let rest = value; ; rest >>>= 7) {
      if (rest < 128) return [...bytes, rest];
      bytes.push((rest & 127) | 128);
    }
  };
  const raw = Buffer.concat([Buffer.from([10, ...varint(object.length)]), object]);
  const event = Buffer.concat([
    Buffer.from([10, 8]),
    Buffer.from("MODIFIED"),
    Buffer.from([18, ...varint(raw.length)]),
    raw,
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  const bytes = Buffer.concat([length, event]);
  return { bytes, at: bytes.indexOf(String(firstVersion)) };
}

/** Sends what is due of the events, every millisecond, unless the client reads too slowly. */
function send(response, frames) {
  const start = performance.now();
  let version = firstVersion;
  const timer = setInterval(() => {
    const due = Math.min(last, firstVersion + Math.floor(((performance.now() - start) / 1000) * rate));
    const parts = [];
    while (version < due && parts.length < 200 && response.writableLength < 1 << 22) {
      const { bytes, at } = frames[++version % frames.length];
      const copy = Buffer.from(bytes);
      copy.write(String(version), at);
      parts.push(copy);
    }
    if (parts.length > 0) response.write(Buffer.concat(parts));
    if (version === last) clearInterval(timer);
  }, 1);
  response.on("close", () => clearInterval(timer));
}

/** CPU time of this thread, in milliseconds. */
const threadMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

const processMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function meter() {
  const [cpu, all, loop, start] = [threadMs(), processMs(), performance.eventLoopUtilization(), performance.now()];
  return () => {
    const wall = performance.now() - start;
    const main = threadMs() - cpu;
    return {
      mode: options.mode,
      rate,
      wall_ms: Math.round(wall),
      main_ms: Math.round(main),
      process_ms: Math.round(processMs() - all),
      main_share: Number((main / (seconds * 1000)).toFixed(4)),
      loop_utilization: Number(performance.eventLoopUtilization(loop).utilization.toFixed(4)),
      rss_mb: Math.round(process.memoryUsage().rss / 2 ** 20),
      main_us_per_event: Number(((main * 1000) / (rate * seconds)).toFixed(2)),
    };
  };
}

async function measure() {
  const { connect } = await import("../../dist/node/index.js");
  const { createInformer } = await import("../../dist/cache/index.js");
  const { Pod } = await import("../../dist/kinds/core/v1.js");
  const child = fork(new URL(import.meta.url), ["--serve", ...process.argv.slice(2)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const port = await new Promise((resolve) => child.once("message", resolve));
  const client = await connect({
    server: `http://127.0.0.1:${port}`,
    ...(options.mode === "worker" && { decodeInWorker: true }),
  });
  const report = options.mode === "bytes" ? await readBytes(client) : await follow(client, createInformer, Pod);
  console.log(JSON.stringify(report));
  await client.close();
  child.disconnect();
}

async function follow(client, createInformer, Pod) {
  const informer = createInformer(client.resource(Pod), {
    initialList: "list",
    bulkEncoding: { objects: 0, eventsPerSecond: 0 },
  });
  let [stop, count] = [undefined, 0];
  await new Promise((resolve) => {
    informer.addHandler(({ type, object }) => {
      if (type !== "updated") return;
      const version = Number(object.metadata.resourceVersion);
      if (version < from) return;
      stop ??= meter();
      count++;
      if (version === last) resolve();
    });
  });
  const report = { ...stop(), count, encoding: informer.metrics.encoding.state };
  informer.close?.();
  return report;
}

async function readBytes(client) {
  const response = await client.request({
    path: "/api/v1/pods",
    query: { watch: true },
    accept: "application/vnd.kubernetes.protobuf;stream=watch",
  });
  const wanted = String(last);
  let stop;
  const started = performance.now();
  for await (const chunk of response.body) {
    if (performance.now() - started > warmUp * 1000) stop ??= meter();
    if (Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).includes(wanted)) break;
  }
  return stop();
}

await (options.serve ? serve() : measure());
