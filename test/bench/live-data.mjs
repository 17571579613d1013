// Data of pages at scale, in one process: a live table of 100,000 rows next to sorting and filtering them for each frame,
// and an informer's store of 100,000 objects restored from a snapshot next to listing them.
//
// Run after `npm run build`: node test/bench/live-data.mjs [ROWS]
//
// Reports CPU time (user and system) and bytes of responses. A frame has 16.7 ms.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer, createPersistence } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { createLiveStores, createLiveTable } from "kubestream/stores";
import { cpuOf, createRows, longestTaskOf, rowOf } from "./live-rows.mjs";

const count = Number(process.argv[2] ?? 100_000);
const frames = 200;
const warmUp = 20;
const changesPerFrame = 200;

function summary(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2);
  return { median: Number(at(0.5)), text: `median ${at(0.5)}, 99th percentile ${at(0.99)}, longest ${at(1)} ms` };
}

async function benchTable() {
  const source = createRows(count);
  const stores = createLiveStores({}, { intervalMs: 0, informer: { initialList: "pages" } });
  const view = { sortBy: { column: "Restarts", descending: true }, filter: "running", offset: 1_000, limit: 50 };
  const table = createLiveTable(stores, source, {}, view);
  const load = await cpuOf(() => table.ready());
  let version = 1;
  table.subscribe(() => undefined);
  const informer = stores.informer(source);
  const all = new Map(Array.from({ length: count }, (_, i) => [i, rowOf(i, 1, i % 7)]));
  const eventsOf = (frame) =>
    Array.from({ length: changesPerFrame }, (_, n) => {
      const index = (frame * 7_919 + n * 104_729) % count;
      const row = rowOf(index, ++version, (frame + n) % 40);
      all.set(index, row);
      return { type: "MODIFIED", object: row };
    });
  const measure = async (work) => {
    const times = [];
    for (let frame = -warmUp; frame < frames; frame++) {
      const time = await work(frame + warmUp);
      if (frame >= 0) times.push(time);
    }
    return summary(times);
  };
  // One after the other, because each would collect the garbage of the other.
  const ours = await measure((frame) => {
    const events = eventsOf(frame);
    return cpuOf(async () => {
      source.push(events);
      await informer.waitForResourceVersion(String(version));
      // Applies what waits for the next frame.
      table.setView(view);
      table.getSnapshot();
    });
  });
  const scrolls = await measure((frame) =>
    cpuOf(() => {
      table.setView({ ...view, offset: (frame * 401) % 80_000 });
      table.getSnapshot();
    }),
  );
  table.setView(view);
  const naive = await measure((frame) => {
    eventsOf(frame);
    return cpuOf(() => {
      const matching = [...all.values()].filter(({ cells }) =>
        cells.some((cell) => String(cell).toLowerCase().includes("running")),
      );
      matching.sort((a, b) => b.cells[2] - a.cells[2] || (a.metadata.name < b.metadata.name ? -1 : 1));
      matching.slice(1_000, 1_050);
    });
  });
  const refilter = (filter) => async () => {
    table.setView({ ...view, filter });
    await table.ready();
  };
  const change = await cpuOf(refilter("pending"));
  const changeTask = await longestTaskOf(refilter("node-1"));
  await informer.close();
  await stores.close();
  return { load, change, changeTask, ours, naive, scrolls };
}

/** A store that is restored, and the same store from a list. */
async function benchSnapshot() {
  const server = createApiServer({ controllers: false });
  await server.load(
    Array.from({ length: count }, (_, i) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `page-${i}`, namespace: `team-${i % 50}`, labels: { app: `shop-${i % 20}` } },
      data: { color: "blue", size: String(i) },
    })),
  );
  let bytes = 0;
  const transport = handlerTransport(async (request) => {
    const response = await server.handle(request);
    const counter = new TransformStream({
      transform(chunk, controller) {
        bytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(counter), response);
  });
  const client = createClient({ transport });
  const kept = new Map();
  const storage = {
    read: async (name) => kept.get(name),
    write: async (name, data) => void kept.set(name, data),
    remove: async (name) => void kept.delete(name),
  };
  const start = async (persistence) => {
    bytes = 0;
    const informer = createInformer(client.resource(ConfigMap), persistence && { persistence });
    const begin = performance.now();
    const ms = await cpuOf(() => informer.synced());
    const result = { ms, wallMs: performance.now() - begin, bytes, size: informer.store.size };
    await informer.close();
    return result;
  };
  const persistence = createPersistence({ storage, identity: "bench" });
  await start(persistence);
  const runs = { list: [], restore: [] };
  for (let turn = 0; turn < 5; turn++) {
    runs.list.push(await start(undefined));
    runs.restore.push(await start(persistence));
  }
  await client.close();
  await server.close();
  const best = (each) => each.reduce((a, b) => (a.ms < b.ms ? a : b));
  const snapshotBytes = [...kept.values()][0].length;
  return { list: best(runs.list), restore: best(runs.restore), snapshotBytes };
}

const table = await benchTable();
const number = (value) => Math.round(value).toLocaleString("en");
console.log(`live table, ${number(count)} rows, sorted by a column and filtered, window of 50:`);
console.log(`  load                                ${number(table.load)} ms`);
console.log(`  frame with ${changesPerFrame} changed rows         ${table.ours.text}`);
console.log(
  `  the same, sorting all for the frame ${table.naive.text} (${(table.naive.median / table.ours.median).toFixed(0)} times)`,
);
console.log(`  scroll to another window            ${table.scrolls.text}`);
console.log(
  `  another filter                      ${number(table.change)} ms, longest task ${number(table.changeTask)} ms`,
);

const { list, restore, snapshotBytes } = await benchSnapshot();
console.log(
  `store of ${number(restore.size)} ConfigMaps, snapshot of ${number(snapshotBytes)} bytes, best of 5 turns:`,
);
console.log(`  listed    ${number(list.ms)} ms, ${number(list.bytes)} bytes (the server's work included)`);
console.log(
  `  restored  ${number(restore.ms)} ms (${number(restore.wallMs)} ms by the clock), ${number(restore.bytes)} bytes: ${((restore.bytes / list.bytes) * 100).toFixed(3)} %`,
);
process.exit(0);
