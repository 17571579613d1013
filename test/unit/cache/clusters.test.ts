import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { joinInformers } from "../../../src/cache/combine/join.js";
import { mergeInformers } from "../../../src/cache/combine/merge-informers.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { parseObjectKey } from "../../../src/cache/store/object-key.js";
import { createClient } from "../../../src/client/client.js";
import { ConfigError } from "../../../src/errors/errors.js";
import { ConfigMap, Namespace } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { settle } from "../../support/virtual-clock.js";

async function cluster(value: string) {
  const server = createApiServer({ controllers: false });
  const client = createClient({ transport: handlerTransport(server.handle) });
  const maps = client.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "app" }, data: { value } });
  return {
    client,
    maps,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

it("informers of two clusters are merged under names, and every key names its cluster", async () => {
  await using east = await cluster("1");
  await using west = await cluster("2");
  await using merged = mergeInformers({ east: createInformer(east.maps), west: createInformer(west.maps) });
  const changes: string[] = [];
  merged.addHandler(({ type, key }) => changes.push(`${type} ${key}`));
  await merged.synced();
  const values = (key: string): string | undefined => merged.store.get(key)?.data?.["value"];
  expect([...merged.store.keys()].sort()).toEqual(["east/default/app", "west/default/app"]);
  expect([values("east/default/app"), values("west/default/app")]).toEqual(["1", "2"]);
  for (const key of ["default/app", "north/default/app", "east/app", "east", "east//app"]) {
    expect(merged.store.get(key)).toBeUndefined();
    expect(merged.store.has(key)).toBe(false);
  }
  await west.maps.delete("app");
  await settle();
  expect(changes.sort()).toEqual(["added east/default/app", "added west/default/app", "deleted west/default/app"]);
  expect([merged.store.size, merged.store.has("west/default/app")]).toEqual([1, false]);
  expect(merged.description).toBe('configmaps in "default" of east, configmaps in "default" of west');
});

it("keys of cluster-scoped objects name their cluster too", async () => {
  await using east = await cluster("1");
  await using merged = mergeInformers({ east: createInformer(east.client.resource(Namespace)) });
  await merged.synced();
  expect(merged.store.get("east//default")?.metadata?.name).toBe("default");
  expect([...merged.store.keys()]).toContain("east//default");
});

it("a join of merged clusters sees changes on both sides", async () => {
  await using east = await cluster("1");
  await using west = await cluster("2");
  await using left = mergeInformers({ east: createInformer(east.maps), west: createInformer(west.maps) });
  await using right = createInformer(east.client.resource(Namespace));
  const keys: string[] = [];
  const join = joinInformers(
    left,
    right,
    {
      name: "namespace",
      left: (map) => [map.metadata?.namespace ?? ""],
      right: (namespace) => [namespace.metadata?.name ?? ""],
    },
    ({ key }) => keys.push(key),
  );
  await left.synced();
  await right.synced();
  await settle();
  expect(keys.splice(0).sort()).toEqual(["east/default/app", "west/default/app"]);
  await east.client
    .resource(Namespace)
    .patch("default", { type: "merge", patch: { metadata: { labels: { a: "b" } } } });
  await settle();
  expect(keys.sort()).toEqual(["east/default/app", "west/default/app"]);
  join.remove();
});

it.each(["", "a/b"])("the name %j of a cluster is a ConfigError", async (name) => {
  await using east = await cluster("1");
  expect(() => mergeInformers({ [name]: createInformer(east.maps) })).toThrow(ConfigError);
});

it.each([
  ["web-0", { namespace: undefined, name: "web-0" }],
  ["web/web-0", { namespace: "web", name: "web-0" }],
  ["east/web/web-0", { cluster: "east", namespace: "web", name: "web-0" }],
  ["east//node-0", { cluster: "east", namespace: undefined, name: "node-0" }],
])("parseObjectKey splits %s", (key, expected) => {
  expect(parseObjectKey(key)).toStrictEqual(expected);
});
