import { QueryClient, QueryObserver } from "@tanstack/query-core";
import { expect, it } from "vitest";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { listQuery, objectQuery } from "../../../src/react-query/live-query.js";
import { createLiveStores } from "../../../src/stores/live-stores.js";
import { openWorld, until } from "../controller/world.js";

async function openQueries() {
  const world = openWorld();
  const stores = createLiveStores(world.client, { intervalMs: 0, lingerMs: 0 });
  const queries = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity, retry: false } } });
  return {
    ...world,
    stores,
    queries,
    maps: world.client.resource(ConfigMap).namespace("default"),
    async [Symbol.asyncDispose]() {
      queries.clear();
      await stores.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

it("a list query is live while it has an observer, and unchanged objects keep their identity", async () => {
  await using world = await openQueries();
  await world.maps.create({ metadata: { name: "a" } });
  const options = listQuery(world.stores, ConfigMap, { namespace: "default" });
  const observer = new QueryObserver(world.queries, options);
  const names = (): unknown =>
    observer
      .getCurrentResult()
      .data?.map(({ metadata }) => metadata?.name)
      .join();
  const unsubscribe = observer.subscribe(() => undefined);
  await until("first data", () => names() === "a");
  const first = observer.getCurrentResult().data![0];
  await world.maps.create({ metadata: { name: "b" } });
  await until("second data", () => names() === "a,b");
  expect(observer.getCurrentResult().data![0]).toBe(first);
  unsubscribe();
  await until(
    "idle",
    () => world.stores.collection(ConfigMap, { namespace: "default" }).getSnapshot().status.type === "idle",
  );
  await world.maps.delete("a");
  const again = new QueryObserver(world.queries, listQuery(world.stores, ConfigMap, { namespace: "default" }));
  const leave = again.subscribe(() => undefined);
  await until("live again", () => again.getCurrentResult().data?.length === 1);
  world.queries.removeQueries({ queryKey: options.queryKey });
  leave();
  await until(
    "idle",
    () => world.stores.collection(ConfigMap, { namespace: "default" }).getSnapshot().status.type === "idle",
  );
});

it("an object query has null for an object that doesn't exist, and follows it", async () => {
  await using world = await openQueries();
  const target = { namespace: "default", name: "a" };
  const observer = new QueryObserver(world.queries, objectQuery(world.stores, ConfigMap, target));
  const unsubscribe = observer.subscribe(() => undefined);
  await until("null", () => observer.getCurrentResult().data === null);
  await world.maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  await until("created", () => observer.getCurrentResult().data?.data?.["size"] === "1");
  await world.maps.delete("a");
  await until("deleted", () => observer.getCurrentResult().data === null);
  unsubscribe();
});

it("a list query fails with the server's refusal", async () => {
  await using world = await openQueries();
  world.server.faults.add({ match: { resource: "configmaps" }, effect: { type: "status", code: 403 } });
  const stores = createLiveStores(world.client, {
    lingerMs: 0,
    informer: { refusedBackoff: { initialMs: 1, factor: 1, capMs: 1, jitter: 0 } },
  });
  await expect(world.queries.fetchQuery(listQuery(stores, ConfigMap))).rejects.toMatchObject({ code: 403 });
  await stores.close();
});
