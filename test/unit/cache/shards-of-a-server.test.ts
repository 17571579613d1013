import { afterAll, beforeAll, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { mergeInformers } from "../../../src/cache/combine/merge-informers.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createShard } from "../../../src/cache/informer/shard.js";
import { waitForStore } from "../../../src/cache/informer/wait-for.js";
import { createClient } from "../../../src/client/client.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";

const server = createApiServer({ controllers: false });
const asked: string[] = [];
/** The server with shard support, and one without it. */
const servers = {
  "a server with shard support": server.handle,
  "a server without shard support": (request: Request) => {
    const url = new URL(request.url);
    asked.push(url.searchParams.get("shardSelector") ?? "nothing");
    url.searchParams.delete("shardSelector");
    return server.handle(new Request(url, { headers: request.headers, signal: request.signal }));
  },
};
const writer = createClient({ transport: handlerTransport(server.handle) });
const name = (i: number): string => `map-${String(i).padStart(2, "0")}`;
const scopes = ["left", "right", "middle"];
beforeAll(async () => {
  for (const namespace of scopes) {
    await server.handle(
      new Request("http://server/api/v1/namespaces", {
        method: "POST",
        body: JSON.stringify({ metadata: { name: namespace } }),
        headers: { "content-type": "application/json" },
      }),
    );
    for (let i = 0; i < 12; i++)
      await writer
        .resource(ConfigMap)
        .namespace(namespace)
        .create({ metadata: { name: name(i) } });
  }
});
afterAll(async () => {
  await writer.close();
  await server.close();
});

it.each(
  Object.entries(servers).flatMap(([about, handle]) =>
    (["list", "stream"] as const).flatMap((initialList) =>
      (["uid", "namespace"] as const).map((by) => [about, initialList, by, handle] as const),
    ),
  ),
)("shards of %s (%s, by %s) cover the collection without overlap", async (about, initialList, by, handle) => {
  asked.length = 0;
  const client = createClient({ transport: handlerTransport(handle) });
  const maps = client.resource(ConfigMap);
  const parts = [0, 1, 2, 3].map((index) =>
    createInformer(maps, {
      initialList,
      fieldSelector: "metadata.name!=kube-root-ca.crt",
      shard: createShard({ index, count: 4, by }),
    }),
  );
  const merged = mergeInformers(parts);
  const received: string[] = [];
  merged.addHandler((change) => received.push(`${change.type} ${change.key}`));
  await merged.synced();
  const all = async (): Promise<string[]> =>
    (await writer.resource(ConfigMap).list({ fieldSelector: "metadata.name!=kube-root-ca.crt" })).items
      .map(({ metadata }) => `${metadata!.namespace!}/${metadata!.name!}`)
      .sort();
  const whole = await all();
  expect(parts.flatMap(({ store }) => [...store.keys()]).sort()).toEqual(whole);
  if (by === "namespace")
    for (const namespace of scopes)
      expect(parts.filter(({ store }) => store.list({ namespace }).length > 0)).toHaveLength(1);
  // The shard of a uid is random, but it is impossible that all fall into the same one.
  else expect(parts.filter(({ store }) => store.size > 0).length).toBeGreaterThan(1);

  received.length = 0;
  await writer
    .resource(ConfigMap)
    .namespace("left")
    .patch(name(1), { type: "merge", patch: { data: { about: `${about} ${initialList} ${by}` } } });
  await writer.resource(ConfigMap).namespace("left").delete(name(2));
  const last = await writer
    .resource(ConfigMap)
    .namespace("left")
    .create({ metadata: { name: name(2) } });
  const owner = parts.find(({ store }) => store.has(`left/${name(1)}`))!;
  await waitForStore(
    merged,
    (store) => store.get(`left/${name(2)}`)?.metadata?.uid === last.metadata!.uid && received.length > 2,
  );
  expect(received.sort()).toEqual([`added left/${name(2)}`, `deleted left/${name(2)}`, `updated left/${name(1)}`]);
  expect(owner.store.get(`left/${name(1)}`)?.data).toEqual({ about: `${about} ${initialList} ${by}` });
  expect(parts.flatMap(({ store }) => [...store.keys()]).sort()).toEqual(await all());

  const arrived = parts.reduce((sum, { metrics }) => sum + metrics.events.ADDED, 0);
  if (initialList === "stream") {
    const kept = whole.length + 1;
    if (about === "a server with shard support") expect(arrived).toBe(kept);
    else expect(arrived).toBeGreaterThan(3 * kept);
  }
  if (about === "a server without shard support")
    expect(asked.every((selector) => selector.startsWith(`shardRange(object.metadata.${by}, `))).toBe(true);
  await merged.close();
  await client.close();
});
