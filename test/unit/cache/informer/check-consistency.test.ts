import { afterEach, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { checkConsistency, type Difference } from "../../../../src/cache/informer/check-consistency.js";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../../src/client/client.js";
import type { ListWatch } from "../../../../src/client/resource/collection.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");
let informer: ReturnType<typeof createInformer<ConfigMap>>;
afterEach(() => informer.close());

/** Wraps the handle and drops the events for which `change` returns false. */
function tampered(
  change: (name: string, event: Awaited<ReturnType<ReturnType<typeof maps.watch>["next"]>>["value"]) => boolean,
): ListWatch<ConfigMap> {
  return {
    description: maps.description,
    list: maps.list.bind(maps),
    pages: maps.pages.bind(maps),
    listChunks: maps.listChunks.bind(maps),
    watch(options: Parameters<typeof maps.watch>[0]) {
      const watch = maps.watch(options);
      const next = async (): ReturnType<typeof watch.next> => {
        for (;;) {
          const result = await watch.next();
          if (
            result.done === true ||
            result.value.type === "BOOKMARK" ||
            change(result.value.object.metadata!.name!, result.value)
          )
            return result;
        }
      };
      return { next, return: () => watch.return(), [Symbol.asyncIterator]: () => watch };
    },
  };
}

it.each<[string, (name: string) => boolean, string[]]>([
  ["no difference if the cache is correct", () => true, []],
  ["an object that is missing from the stream", (name) => name !== "b", ["b: - and listed"]],
])("checkConsistency reports %s", async (_name, keep, expected) => {
  for (const name of ["a", "b", "c"]) await maps.create({ metadata: { name } }).catch(() => undefined);
  informer = createInformer(tampered(keep), { initialList: "stream" });
  await informer.synced();
  const pending = checkConsistency(informer, maps);
  await maps.patch("a", { type: "merge", patch: { data: { now: _name } } });
  const show = ({ key, cached, listed }: Difference): string =>
    `${key.split("/")[1]!}: ${cached === undefined ? "-" : "cached"} and ${listed === undefined ? "-" : "listed"}`;
  expect((await pending).filter(({ key }) => /\/[abc]$/.test(key)).map(show)).toEqual(expected);
});

it("checkConsistency reports missed deletions and updates", async () => {
  await maps.create({ metadata: { name: "d" } });
  await maps.create({ metadata: { name: "e" } });
  informer = createInformer(
    tampered((name, event) => (event as { type: string }).type === "ADDED" || !["d", "e"].includes(name)),
    { initialList: "stream" },
  );
  await informer.synced();
  await maps.delete("d");
  const { metadata } = await maps.patch("e", { type: "merge", patch: { data: { x: "1" } } });
  const last = await maps.create({ metadata: { name: "f" } });
  await informer.waitForResourceVersion(last.metadata!.resourceVersion!);
  const [held] = [informer.store.get("default/e")!.metadata!.resourceVersion];
  const differences = await checkConsistency(informer, maps);
  expect(differences).toEqual([
    { key: "default/e", cached: held, listed: metadata!.resourceVersion },
    { key: "default/d", cached: expect.any(String) as string, listed: undefined },
  ]);
});

it("checkConsistency compares only objects that match the selectors", async () => {
  await maps.create({ metadata: { name: "g", labels: { only: "this" } } });
  informer = createInformer(maps, { labelSelector: "only=this" });
  await informer.synced();
  expect(await checkConsistency(informer, maps, { labelSelector: "only=this" })).toEqual([]);
  expect((await checkConsistency(informer, maps)).length).toBeGreaterThan(0);
});
