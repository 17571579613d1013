import { expect, it, vi } from "vitest";
import { createClient } from "../../../src/client/client.js";
import type { ListWatch, Watch } from "../../../src/client/resource/collection.js";
import type { TableItem } from "../../../src/client/resource/table-view.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import type { WatchEvent } from "../../../src/meta/watch-event.js";
import { createLiveStores } from "../../../src/stores/live-stores.js";
import { createLiveTable, type LiveTable } from "../../../src/stores/live-table.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport } from "../../../src/transport/transport.js";
import { createAsyncQueue } from "../../support/async-queue.js";
import { openWorld, until } from "../controller/world.js";

async function openTable(view: Parameters<typeof createLiveTable>[3] = {}, count = 12) {
  const world = openWorld();
  const stores = createLiveStores(world.client, { intervalMs: 0, lingerMs: 0 });
  const maps = world.client.resource(ConfigMap).namespace("default");
  for (let i = 0; i < count; i++)
    await maps.create({
      metadata: { name: `map-${i}` },
      data: Object.fromEntries(Array.from({ length: i }, (_, n) => [`k${n}`, "v"])),
    });
  const table = createLiveTable(stores, ConfigMap, { namespace: "default" }, view);
  const notified = vi.fn();
  const unsubscribe = table.subscribe(notified);
  await table.ready();
  await until("watching", () => table.getSnapshot().status.type === "watching");
  return {
    ...world,
    maps,
    stores,
    table,
    notified,
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await stores.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

const names = (table: LiveTable): unknown[] => table.getSnapshot().rows.map(({ metadata }) => metadata.name);

it("a live table has the server's columns and shows the window in the sort order", async () => {
  await using world = await openTable({ sortBy: { column: "data", descending: true }, limit: 3 });
  const { columns, matching, total, isSynced } = world.table.getSnapshot();
  expect([columns.map(({ name }) => name), matching, total, isSynced]).toEqual([["Name", "Data", "Age"], 12, 12, true]);
  expect(names(world.table)).toEqual(["map-11", "map-10", "map-9"]);
  world.table.setView({ sortBy: { column: "Name" }, offset: 8, limit: 3 });
  expect(names(world.table)).toEqual(["map-8", "map-9", "map-10"]);
  world.table.setView({ offset: 0, limit: 2 });
  expect(names(world.table)).toEqual(["map-0", "map-1"]);
  world.table.setView({ filter: "MAP-1", limit: 10, sortBy: { column: "name" } });
  expect([names(world.table), world.table.getSnapshot().matching]).toEqual([["map-1", "map-10", "map-11"], 3]);
  world.table.setView({ filter: ({ cells }) => Number(cells[1]) < 2 });
  expect(names(world.table)).toEqual(["map-0", "map-1"]);
});

it("a live table moves a changed row, and keeps the other rows and the snapshot if the window is unaffected", async () => {
  await using world = await openTable({ sortBy: { column: "data" }, limit: 3 });
  expect(names(world.table)).toEqual(["map-0", "map-1", "map-2"]);
  const before = world.table.getSnapshot();
  const calls = world.notified.mock.calls.length;
  await world.maps.patch("map-9", { type: "merge", patch: { data: { k0: "other" } } });
  await world.maps.create({ metadata: { name: "map-12" }, data: { a: "1", b: "2", c: "3" } });
  await until("total", () => world.table.getSnapshot().total === 13);
  expect(world.table.getSnapshot().rows).toBe(before.rows);
  expect(world.notified.mock.calls.length).toBe(calls + 1);
  await world.maps.patch("map-11", { type: "merge", patch: { data: null } });
  await until("moved", () => names(world.table).includes("map-11"));
  expect(names(world.table)).toEqual(["map-0", "map-11", "map-1"]);
  expect(world.table.getSnapshot().rows[2]).toBe(before.rows[1]);
  await world.maps.delete("map-0");
  await until("deleted", () => names(world.table)[0] === "map-11");
});

it("a live table refuses windows that aren't whole numbers", async () => {
  await using world = await openTable({}, 0);
  expect(() => world.table.setView({ offset: -1 })).toThrow("view.offset must be a whole number of at least 0, not -1");
  expect(() => world.table.setView({ limit: 1.5 })).toThrow("view.limit must be a whole number of at least 0, not 1.5");
});

it("closing the stores ends a table at once, keeps its rows, and reports closed", async () => {
  await using world = await openTable({}, 2);
  await world.stores.close();
  await until("closed", () => world.table.getSnapshot().status.type === "closed");
  expect(names(world.table)).toEqual(["map-0", "map-1"]);
});

it("a live table shows the server's first page until all rows have arrived", async () => {
  await using world = openWorld();
  const maps = world.client.resource(ConfigMap).namespace("default");
  for (let i = 0; i < 12; i++) await maps.create({ metadata: { name: `map-${i}` } });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const direct = handlerTransport(world.server.handle);
  const sent: string[] = [];
  const transport: Transport = {
    ...direct,
    async send(request) {
      sent.push(request.path);
      if (!request.path.includes("limit=3")) await released;
      return direct.send(request);
    },
  };
  const client = createClient({ transport });
  await using stores = createLiveStores(client, { intervalMs: 0, lingerMs: 0 });
  const table = createLiveTable(stores, ConfigMap, { namespace: "default" }, { limit: 3 });
  const sorted = createLiveTable(stores, ConfigMap, { namespace: "default" }, { limit: 3, sortBy: { column: "Data" } });
  const leave = [table.subscribe(() => undefined), sorted.subscribe(() => undefined)];
  await until("the first page", () => table.getSnapshot().rows.length === 3);
  expect(names(table)).toEqual(["map-0", "map-1", "map-10"]);
  expect(table.getSnapshot()).toMatchObject({ total: 12, matching: 12, isSynced: false });
  // Behind the request for all rows, the first ones would wait for these.
  expect(sent[0]).toContain("limit=3");
  table.setView({ limit: 3, filter: "map-5" });
  expect(names(table)).toEqual([]);
  table.setView({ limit: 3 });
  expect(names(sorted)).toEqual([]);
  release();
  await until("all rows", () => table.getSnapshot().isSynced);
  expect(names(table)).toEqual(["map-0", "map-1", "map-10"]);
  expect(table.getSnapshot()).toMatchObject({ total: 12, matching: 12 });
  for (const unsubscribe of leave) unsubscribe();
  await client.close();
});

const columns = ["Name", "Restarts"].map((name) => ({
  name,
  type: "string",
  format: "",
  description: "",
  priority: 0,
}));
const row = (name: string, restarts: number): TableItem => ({
  metadata: { name, namespace: "default", uid: name, resourceVersion: String(restarts + 1) },
  columns,
  cells: [name, restarts],
  object: { metadata: { name, namespace: "default" } },
});

/** Opens a table of 12,000 rows, too many for one task. `emit` sends an event of the watch. */
async function openLargeTable() {
  const events = createAsyncQueue<WatchEvent<TableItem>>();
  const items = Array.from({ length: 12_000 }, (_, i) => row(`pod-${String(i)}`, i % 7));
  const list = { items, metadata: { resourceVersion: "100" } };
  const source: ListWatch<TableItem> = {
    description: "pods",
    list: async () => list as never,
    pages: () => void 0 as never,
    async *listChunks() {
      yield list;
    },
    watch: () => events as unknown as Watch<TableItem>,
  };
  const world = openWorld();
  const errors: unknown[] = [];
  const stores = createLiveStores(world.client, {
    intervalMs: 0,
    lingerMs: 0,
    informer: { initialList: "list" },
    onError: (error) => errors.push(error),
  });
  const table = createLiveTable(stores, source, {}, { limit: 3 });
  const unsubscribe = table.subscribe(() => undefined);
  await table.ready();
  return {
    table,
    errors,
    emit: (event: WatchEvent<TableItem>) => events.push(event),
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await stores.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

it("a large table shows the last view until all rows are in the new order, and misses no event", async () => {
  await using world = await openLargeTable();
  const { table } = world;
  expect([names(table), table.getSnapshot().matching]).toEqual([["pod-0", "pod-1", "pod-10"], 12_000]);
  const before = table.getSnapshot();
  const seen: number[] = [];
  table.subscribe(() => seen.push(table.getSnapshot().matching));
  table.setView({ filter: "pod-1", limit: 3 });
  table.setView({ filter: "pod-7", sortBy: { column: "restarts", descending: true }, limit: 3 });
  expect(table.getSnapshot()).toBe(before);
  world.emit({ type: "MODIFIED", object: row("pod-7", 200) });
  await until("the new order", () => table.getSnapshot().matching !== 12_000);
  await until("the event", () => names(table)[0] === "pod-7");
  const matchingAtEnd = table.getSnapshot().matching;
  expect(table.getSnapshot().rows.map(({ cells }) => cells[1])).toEqual([200, 6, 6]);
  expect(seen.filter((matching) => matching !== 12_000 && matching !== matchingAtEnd)).toEqual([]);
  table.setView({ limit: 2 });
  table.setView({ limit: 1 });
  await table.ready();
  expect([names(table), table.getSnapshot().matching]).toEqual([["pod-0"], 12_000]);
});

it("a filter that throws on a large table is reported, and the table keeps its rows", async () => {
  await using world = await openLargeTable();
  const before = names(world.table);
  world.table.setView({
    filter() {
      throw new RangeError("broken filter");
    },
  });
  await world.table.ready();
  expect(world.errors).toEqual([new RangeError("broken filter")]);
  expect(names(world.table)).toEqual(before);
  world.table.setView({ filter: "pod-11999" });
  await world.table.ready();
  expect(names(world.table)).toEqual(["pod-11999"]);
});
