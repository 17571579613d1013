// Decoding compared with `body.json()` and `JSON.parse`, in one run, in CPU time of the main thread.
//
// npm run build && node --expose-gc test/bench/codec.mjs [--pods 10000] [--rounds 9] [--memory 50000] [--record]
//
// --record writes the ranges of the first table over all rounds to docs/data/performance.json; run it on an idle machine.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { cbor } from "../../dist/codec/cbor/index.js";
import { json } from "../../dist/codec/index.js";
import { protobuf } from "../../dist/codec/protobuf/index.js";
import { createUndiciTransport } from "../../dist/node/index.js";
import { makePod, podRandom } from "./codec/pods.mjs";
import { mergeRows, recordTables } from "./recorded.mjs";

const option = (name, fallback) =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : fallback;
const pods = option("--pods", 10_000);
const rounds = option("--rounds", 9);
const memoryPods = option("--memory", 50_000);
const record = process.argv.includes("--record");
if (globalThis.gc === undefined) throw new Error("run with --expose-gc");

/** Returns the CPU milliseconds that the main thread has used. */
function cpu() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  } catch {
    return process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3;
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const server = fork(new URL("codec/server.mjs", import.meta.url), [String(pods)]);
const { port, bytes } = await new Promise((resolve) => server.once("message", resolve));
const dispatcher = new Agent({ connections: 1 });
const body = async (path) => (await request(`http://127.0.0.1:${port}${path}`, { dispatcher })).body;
const transport = createUndiciTransport({ server: `http://127.0.0.1:${port}` });
/** Returns a body like the client receives it. */
const chunksOf = async (path) =>
  (await transport.send({ method: "GET", path, headers: {}, signal: new AbortController().signal })).body;

const all = { managedFields: "keep" };
const drop = { managedFields: "drop" };
const lazy = { managedFields: "drop", lazy: true };

/** Reads a list like the client does, and keeps its items. */
async function list(path, codec, options) {
  const decoder = codec.createListDecoder(options);
  const kept = new Map();
  let n = 0;
  for await (const chunk of await chunksOf(path)) for (const item of decoder.push(chunk)) kept.set(n++, item);
  for (const item of decoder.end().items) kept.set(n++, item);
  if (n !== pods) throw new Error(`${n} items`);
  return kept;
}

async function watch(path, codec, options) {
  const decoder = codec.createWatchDecoder(options);
  const kept = new Map();
  let n = 0;
  for await (const chunk of await chunksOf(path)) for (const event of decoder.push(chunk)) kept.set(n++, event.object);
  decoder.end();
  if (n !== 10_000) throw new Error(`${n} events`);
  return kept;
}

/** Baseline: splits at line feeds and parses each line. */
async function watchByHand() {
  const kept = new Map();
  let n = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of await body("/watch-json")) {
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = buffer.indexOf(10); end >= 0; end = buffer.indexOf(10, start)) {
      kept.set(n++, JSON.parse(buffer.utf8Slice(start, end)).object);
      start = end + 1;
    }
    rest = buffer.subarray(start);
  }
  return kept;
}

/** The same object changes repeatedly, and the previous version is the informer's. */
function withPrevious(options) {
  let last;
  return { options: { ...options, previous: () => last }, keep: (object) => (last = object) };
}
async function watchReusing(path, codec, options) {
  const { options: own, keep } = withPrevious(options);
  const decoder = codec.createWatchDecoder(own);
  let n = 0;
  for await (const chunk of await chunksOf(path))
    for (const event of decoder.push(chunk)) {
      keep(event.object);
      n++;
    }
  return n;
}

/**
 * Longest time without a turn of the event loop, in CPU time of the main thread, so that other processes don't count.
 */
async function longestBlock(run) {
  await collect();
  let last = cpu();
  let longest = 0;
  const timer = setInterval(() => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  let kept = await run();
  longest = Math.max(longest, cpu() - last);
  clearInterval(timer);
  kept = undefined;
  return longest;
}

/**
 * Collects garbage twice, because an `await` may keep objects of the previous turn alive during the first collection.
 */
async function collect() {
  for (let i = 0; i < 2; i++) {
    await new Promise(setImmediate);
    globalThis.gc();
  }
}

/** Returns the smallest and the largest value as a text. */
function range(values, digits) {
  const [least, most] = [Math.min(...values).toFixed(digits), Math.max(...values).toFixed(digits)];
  return least === most ? least : `${least}–${most}`;
}

async function race(title, unit, entries, table) {
  const times = entries.map(() => []);
  const blocks = entries.map(() => []);
  const recorded = record && table !== undefined;
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      // Start each round with another entry, so that no entry always follows the same one.
      const i = (turn + round + 1) % entries.length;
      const [, run] = entries[i];
      await collect();
      const before = cpu();
      let kept = await run();
      const used = cpu() - before;
      kept = undefined;
      if (round >= 0) times[i].push(used);
      if (round === rounds - 1 || (recorded && round >= 0)) blocks[i].push(await longestBlock(run));
    }
  }
  console.log(`\n${title}`);
  console.table(
    entries.map(([name], i) => ({
      way: name,
      "µs each": Number(((median(times[i]) * 1000) / unit).toFixed(1)),
      ratio: Number(median(times[i].map((t, r) => t / times[0][r])).toFixed(3)),
      "longest block ms": Math.round(blocks[i].at(-1)),
    })),
  );
  if (!recorded) return;
  const ratios = times.map((of) => of.map((time, round) => time / times[0][round]));
  const rows = entries.map(([name], i) => [name, i === 0 ? "1" : range(ratios[i], 2), range(blocks[i], 0)]);
  recordTables((tables) => mergeRows(tables[table], rows));
}

console.log(
  `node ${process.version}, ${pods} pods: JSON ${(bytes["/json"] / pods / 1000).toFixed(2)} kB, Protobuf ${(bytes["/pb"] / pods / 1000).toFixed(2)} kB, CBOR ${(bytes["/cbor"] / pods / 1000).toFixed(2)} kB each`,
);

await race(
  "list over loopback, kept; to body.json() = 1",
  pods,
  [
    ["`body.json()`", async () => (await (await body("/json")).json()).items],
    ["JSON, all", () => list("/json", json(), all)],
    ["JSON, without managed fields", () => list("/json", json(), drop)],
    ["JSON, lazy", () => list("/json", json(), lazy)],
    ["Protobuf, all", () => list("/pb", protobuf(), all)],
    ["Protobuf, without managed fields", () => list("/pb", protobuf(), drop)],
    ["Protobuf, lazy", () => list("/pb", protobuf(), lazy)],
    ["CBOR, all", () => list("/cbor", cbor(), all)],
  ],
  "decode",
);

await race("watch, 10,000 events of one pod; to JSON.parse of each line = 1", 10_000, [
  ["JSON.parse", watchByHand],
  ["JSON, all", () => watch("/watch-json", json(), all)],
  ["JSON, without managed fields", () => watch("/watch-json", json(), drop)],
  ["JSON, lazy", () => watch("/watch-json", json(), lazy)],
  ["JSON, spec of the version before", () => watchReusing("/watch-json", json(), drop)],
  ["Protobuf, without managed fields", () => watch("/watch-pb", protobuf(), drop)],
  ["Protobuf, lazy", () => watch("/watch-pb", protobuf(), lazy)],
  ["Protobuf, spec of the version before", () => watchReusing("/watch-pb", protobuf(), drop)],
  ["CBOR, all", () => watch("/watch-cbor", cbor(), all)],
]);

server.kill();
await dispatcher.close();
await transport.close();

// Decoding alone, without a socket, compared with JSON.parse of the same bytes.
{
  const random = podRandom();
  const sample = Array.from({ length: 2000 }, (_, i) => ({ kind: "Pod", apiVersion: "v1", ...makePod(i, random) }));
  const codecs = { json: json(), pb: protobuf(), cbor: cbor() };
  const encoded = Object.fromEntries(
    Object.entries(codecs).map(([name, codec]) => [name, sample.map((pod) => Buffer.from(codec.encode(pod)))]),
  );
  const each = (name, options) => async () => encoded[name].map((pod) => codecs[name].decode(pod, options));
  await race("single objects, 2,000 kept; to JSON.parse = 1", 2000, [
    ["JSON.parse", async () => encoded.json.map((pod) => JSON.parse(pod.utf8Slice(0, pod.length)))],
    ["JSON, all", each("json", all)],
    ["JSON, without managed fields", each("json", drop)],
    ["JSON, lazy", each("json", lazy)],
    ["Protobuf, all", each("pb", all)],
    ["Protobuf, without managed fields", each("pb", drop)],
    ["Protobuf, lazy", each("pb", lazy)],
    ["CBOR, all", each("cbor", all)],
    ["write JSON", async () => sample.map((pod) => codecs.json.encode(pod))],
    ["write Protobuf", async () => sample.map((pod) => codecs.pb.encode(pod))],
    ["write CBOR", async () => sample.map((pod) => codecs.cbor.encode(pod))],
  ]);
}

// Bytes per pod that an informer's store would keep, on the heap and outside.
{
  const rows = [];
  const measure = (way, decode, encode) => {
    const random = podRandom();
    const scratch = new Uint8Array(1 << 16);
    globalThis.gc();
    globalThis.gc();
    const before = process.memoryUsage();
    const kept = [];
    for (let i = 0; i < memoryPods; i++) {
      const source = encode({ kind: "Pod", apiVersion: "v1", ...makePod(i, random) });
      scratch.set(source);
      kept.push(decode(scratch.subarray(0, source.length)));
    }
    globalThis.gc();
    globalThis.gc();
    const after = process.memoryUsage();
    const heap = (after.heapUsed - before.heapUsed) / memoryPods;
    const external = (after.external - before.external) / memoryPods;
    if (kept.length !== memoryPods) throw new Error();
    rows.push({ way, heap: Math.round(heap), outside: Math.round(external), total: Math.round(heap + external) });
  };
  const js = json();
  const pb = protobuf();
  if (memoryPods > 0) {
    measure(
      "Protobuf, lazy",
      (pod) => pb.decode(pod, lazy),
      (pod) => pb.encode(pod),
    );
    measure(
      "Protobuf, without managed fields",
      (pod) => pb.decode(pod, drop),
      (pod) => pb.encode(pod),
    );
    measure(
      "JSON, lazy",
      (pod) => js.decode(pod, lazy),
      (pod) => js.encode(pod),
    );
    measure(
      "JSON, without managed fields",
      (pod) => js.decode(pod, drop),
      (pod) => js.encode(pod),
    );
    measure(
      "JSON.parse",
      (pod) => JSON.parse(Buffer.from(pod).toString()),
      (pod) => js.encode(pod),
    );
    console.log(`\nbytes kept for each of ${memoryPods} pods`);
    console.table(rows);
  }
}
