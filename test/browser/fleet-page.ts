// Program of the page: ten clusters over one WebSocket, and a live collection whose recovery the check observes.
import { createClient, fetchTransport } from "kubestream";
import { createInformer } from "kubestream/cache";
import { ConfigMap, Pod } from "kubestream/kinds/core/v1";
import { createMux } from "kubestream/mux";
import { createLiveStores, createLiveTable, type LiveTable } from "kubestream/stores";

const longTasks: number[] = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
  type: "longtask",
  buffered: true,
});
const heapBytes = (): number =>
  (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize;
const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));

/** Shows a table of the pods of all clusters, and measures until the first rows and until all of them. */
async function fleet(clusters: readonly string[], pods: number): Promise<object> {
  const begin = performance.now();
  const mux = createMux({ transport: fetchTransport({ url: "/clusters" }) });
  const stores = clusters.map((name) => createLiveStores(createClient({ transport: mux.transport(name) })));
  const tables = stores.map((each) => createLiveTable(each, Pod, {}, { limit: 50 }));
  const body = document.createElement("tbody");
  document.querySelector("table")!.replaceChildren(body);
  let firstPaintMs: number | undefined;
  const paint = (): void => {
    const rows = tables.flatMap((table: LiveTable) => table.getSnapshot().rows).slice(0, 50);
    body.replaceChildren(
      ...rows.map(({ cells }) => {
        const row = document.createElement("tr");
        row.append(...cells.map((cell) => Object.assign(document.createElement("td"), { textContent: String(cell) })));
        return row;
      }),
    );
    if (rows.length === 50 && firstPaintMs === undefined) {
      firstPaintMs = 0;
      void frame().then(() => {
        firstPaintMs = performance.now() - begin;
        performance.mark("first rows");
      });
    }
  };
  const total = (): number => tables.reduce((sum, table) => sum + table.getSnapshot().total, 0);
  await new Promise<void>((resolve) => {
    for (const table of tables)
      table.subscribe(() => {
        paint();
        // The first page says how many rows there are, before they have arrived.
        if (tables.every((each) => each.getSnapshot().isSynced) && total() === pods) resolve();
      });
  });
  await frame();
  const report = {
    rows: total(),
    firstPaintMs,
    allRowsMs: performance.now() - begin,
    heapBytes: heapBytes(),
    longTasks,
  };
  for (const each of stores) await each.close();
  await mux.close();
  return report;
}

/** Starts the live collection. Short delays keep the check short. */
function live(): void {
  const backoff = { initialMs: 100, factor: 2, capMs: 1_000, jitter: 0 };
  const mux = createMux({
    transport: fetchTransport({ url: "/clusters" }),
    heartbeatMs: 1_000,
    deadlineMs: 1_000,
    connectTimeoutMs: 2_000,
    backoff,
  });
  const client = createClient({ transport: mux.transport("c0") });
  const informer = createInformer(client.resource(ConfigMap).namespace("default"), {
    backoff,
    refusedBackoff: backoff,
  });
  const said: string[] = [];
  mux.subscribe(() => said.push(`connection ${mux.status.type}`));
  informer.onStatus((status) => said.push(`pods ${status.type}`));
  informer.start();
  Object.assign(globalThis, {
    said,
    names: () => informer.store.list().map(({ metadata }) => metadata?.name),
    state: () => [mux.status.type, informer.status.type],
  });
}

Object.assign(globalThis, { fleet, live });
