// kubestream for a client benchmark that starts one process per measurement. It prints one line of JSON: time and CPU
// of the measured section, memory, and a proof of work that the harness compares. Run it after `npm run build`.
//
// node --expose-gc test/bench/harness-client.mjs --scenario sync --n 10000 --variant json
//
// Variants: json, protobuf, cbor, each also with -lazy (metadata at once, the rest on first access), -slim (without
// managedFields) and -share (reuses unchanged parts of an object's previous version). `default` sets no option at all.
import { readFileSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";

const importStarted = performance.now();
const { connect } = await import("../../dist/node/index.js");
const { Pod } = await import("../../dist/kinds/core/v1.js");
const { json } = await import("../../dist/codec/index.js");
const import_ms = performance.now() - importStarted;

const { values: options } = parseArgs({
  options: {
    scenario: { type: "string", default: "list" },
    server: { type: "string" },
    n: { type: "string", default: "10000" },
    events: { type: "string", default: "0" },
    limit: { type: "string", default: "0" },
    iterations: { type: "string", default: "1" },
    variant: { type: "string", default: "json" },
    encoding: { type: "string" },
  },
});
const { scenario } = options;
const events = Number(options.events);
const iterations = Number(options.iterations);
// A harness may pass the name of the row: kubestream, kubestream-protobuf.
const variant = options.variant.replace(/^kubestream-?/, "") || "json";
const name = `kubestream-${variant}`;
const [encoding, ...traits] = variant.split("-");
const decode =
  encoding === "default"
    ? undefined
    : {
        ...(traits.includes("lazy") ? { lazy: true } : {}),
        ...(traits.includes("slim") ? { managedFields: "drop" } : {}),
      };

const client = await connect(encoding === "default" ? {} : { codecs: await codecsFor(encoding) });
const pods = client.resource(Pod);

async function codecsFor(wanted) {
  switch (wanted) {
    case "json":
      return [json()];
    case "protobuf": {
      const { protobuf, coreV1 } = await import("../../dist/codec/protobuf/index.js");
      return [protobuf({ schemas: [coreV1] }), json()];
    }
    case "cbor": {
      const { cbor } = await import("../../dist/codec/cbor/index.js");
      return [cbor(), json()];
    }
    default:
      throw new Error(`unknown encoding ${wanted}`);
  }
}

/** Measures the wall clock and CPU time of a section. */
function meter() {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  return () => {
    const wall_ms = Number(process.hrtime.bigint() - start) / 1e6;
    const { user, system } = process.cpuUsage(cpu);
    return { wall_ms, cpu_ms: (user + system) / 1000 };
  };
}

function checkOf(items) {
  let sum = 0;
  for (const { metadata, spec, status } of items) {
    sum += metadata.name.length + 3 * spec.nodeName.length + 7 * status.podIP.length;
    for (const { image } of spec.containers) sum += 11 * image.length;
  }
  return sum;
}

function retained() {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap_mb: (heapUsed + external) / 2 ** 20, rss_after_mb: rss / 2 ** 20 };
}

function peakRss() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
  } catch {
    // Not on Linux: fall back to getrusage.
    return process.resourceUsage().maxRSS / 1024;
  }
}

function report(fields) {
  const peak_rss_mb = peakRss();
  writeSync(
    1,
    `${JSON.stringify({ client: name, scenario, n: Number(options.n), runtime: `node ${process.version}`, peak_rss_mb, notes: "", ...fields })}\n`,
  );
  if (!process.execArgv.some((flag) => flag.startsWith("--cpu-prof"))) process.exit(0);
  process.exitCode = 0;
  setTimeout(() => process.exit(0), 100);
}

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

async function repeat(work) {
  const runs = [];
  let result;
  for (let i = 0; i < iterations; i++) {
    result = undefined;
    const stop = meter();
    result = await work();
    runs.push(stop());
  }
  const warm = runs.length > 1 ? runs.slice(1) : runs;
  return {
    ...result,
    wall_ms: median(warm.map((run) => run.wall_ms)),
    cpu_ms: median(warm.map((run) => run.cpu_ms)),
    first_ms: runs[0].wall_ms,
  };
}

async function informerOf(more = {}) {
  const { createInformer } = await import("../../dist/cache/index.js");
  if (encoding === "default") return createInformer(pods, more);
  return createInformer(pods, { initialList: "list", decode, shareStructure: traits.includes("share"), ...more });
}

/**
 * Measures the longest time without a turn of the event loop, by the clock and in CPU time of the thread, which other
 * processes don't affect.
 */
function loopWatch() {
  const cpuNow = () => {
    const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
    return (user + system) / 1000;
  };
  let [last, lastCpu] = [performance.now(), cpuNow()];
  let [longest, longestCpu] = [0, 0];
  const timer = setInterval(() => {
    const [now, cpu] = [performance.now(), cpuNow()];
    longest = Math.max(longest, now - last - 1);
    longestCpu = Math.max(longestCpu, cpu - lastCpu);
    [last, lastCpu] = [now, cpu];
  }, 1);
  return () => {
    clearInterval(timer);
    return `longest block of the event loop ${Math.round(longest)} ms, ${Math.round(longestCpu)} ms of them CPU`;
  };
}

async function measureSync(more) {
  const informer = await informerOf(more);
  let count = 0;
  const loop = loopWatch();
  const stop = meter();
  const registration = informer.addHandler(() => count++);
  await registration.synced();
  const took = stop();
  const blocked = loop();
  const peak = Math.round(peakRss());
  // The proof of work reads a part of every object, which decodes deferred parts. Report the memory before that.
  const unread = Math.round(retained().heap_mb);
  const check = checkOf(informer.store.values());
  report({
    ...took,
    count,
    check,
    ...retained(),
    encoding: informer.metrics.encoding.state,
    notes: `${blocked}; ${unread} MB retained before anything was read, ${peak} MB resident at the peak until then`,
  });
}

switch (scenario) {
  case "cold": {
    const { items } = await pods.list({ limit: 1, decode });
    const wall_ms = process.env.BENCH_SPAWN_NS
      ? Number(process.hrtime.bigint() - BigInt(process.env.BENCH_SPAWN_NS)) / 1e6
      : performance.now();
    const { user, system } = process.cpuUsage();
    report({ wall_ms, cpu_ms: (user + system) / 1000, import_ms, count: items.length, check: checkOf(items) });
    break;
  }
  case "requests":
    report(
      await repeat(async () => {
        let [count, check] = [0, 0];
        for (let i = 0; i < events; i++) {
          const { items } = await pods.list({ limit: 1, decode });
          count += items.length;
          check += checkOf(items);
        }
        return { count, check };
      }),
    );
    break;
  case "list":
    report({
      import_ms,
      ...(await repeat(async () => {
        const { items } = await pods.list({ decode });
        return { count: items.length, check: checkOf(items) };
      })),
    });
    break;
  case "paged":
    report({
      import_ms,
      ...(await repeat(async () => {
        let [count, check] = [0, 0];
        for await (const { items } of pods.pages({ limit: Number(options.limit), decode })) {
          count += items.length;
          check += checkOf(items);
        }
        return { count, check };
      })),
    });
    break;
  case "sync":
    await measureSync({});
    break;
  case "watchlist":
    await measureSync({ initialList: "stream" });
    break;
  case "watch": {
    const informer = await informerOf();
    let [count, sum, last, disorder, live] = [0, 0, 0, 0, false];
    let stop;
    await new Promise((resolve) => {
      const registration = informer.addHandler(({ object }) => {
        if (!live) return;
        if (count === 0) stop = meter();
        const version = Number(object.metadata.resourceVersion);
        if (version < last) disorder++;
        last = version;
        sum += version;
        if (++count === events) resolve();
      });
      void registration.synced().then(() => (live = true));
    });
    report({ ...stop(), count, event_rv_sum: sum, disorder, store_size: informer.store.size });
    break;
  }
  case "latency": {
    const informer = await informerOf();
    const samples = [];
    let live = false;
    await new Promise((resolve) => {
      const registration = informer.addHandler(({ object }) => {
        if (!live) return;
        samples.push(
          Number(process.hrtime.bigint() - BigInt(object.metadata.annotations["bench.example/ts-ns"])) / 1e6,
        );
        if (samples.length === events) resolve();
      });
      void registration.synced().then(() => (live = true));
    });
    const sorted = samples.slice(Math.floor(events / 10)).sort((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    report({ count: samples.length, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99), max_ms: sorted.at(-1) });
    break;
  }
  default:
    report({ unsupported: true, notes: "unknown scenario" });
}
