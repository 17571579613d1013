import { expect, it, vi } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { createLiveStores } from "../../../src/stores/live-stores.js";
import { createLiveTable, type LiveTable } from "../../../src/stores/live-table.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport } from "../../../src/transport/transport.js";
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
  const transport: Transport = {
    ...direct,
    async send(request) {
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
