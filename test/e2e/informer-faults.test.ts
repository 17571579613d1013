import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { mergeInformers } from "../../src/cache/combine/merge-informers.js";
import { readYourWrites } from "../../src/cache/combine/read-your-writes.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import type { InformerOptions } from "../../src/cache/informer/informer.js";
import { createShard } from "../../src/cache/informer/shard.js";
import { waitFor } from "../../src/cache/informer/wait-for.js";
import { classifyFailure } from "../../src/cache/reflector/failure.js";
import type { Change } from "../../src/cache/store/change.js";
import type { Client } from "../../src/client/client.js";
import { sleep, systemClock } from "../../src/internal/clock.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import type { FaultyTransport } from "../simulation/faulty-transport.js";
import { createFaultyTransport } from "../simulation/faulty-transport.js";
import { createMirror } from "../simulation/mirror.js";
import { createRandom } from "../simulation/random.js";
import { streamsLists } from "../suites/target.js";
import { freshNamespace, minor, missing, realClient } from "./cluster.js";
import { describeServer } from "./real-apiserver.js";

/** Short timeouts for tests, too short for a real cluster. */
const impatient: InformerOptions<ConfigMap> = {
  backoff: { initialMs: 20, factor: 2, capMs: 300, jitter: 1 },
  refusedBackoff: { initialMs: 20, factor: 2, capMs: 300, jitter: 1 },
  retryAfterCapMs: 300,
  idleTimeoutMs: 2_500,
  listIdleTimeoutMs: 2_500,
  bookmarkDeadlineMs: 2_500,
  watchTimeoutSeconds: { min: 2, max: 5 },
};

describe.skipIf(missing !== undefined)("informers of a real server", () => {
  let direct: Client;
  beforeAll(async () => {
    direct = await realClient();
  });
  afterAll(() => direct.close());

  const histories = [
    [1, "auto", 0.3],
    [2, "list", 0.3],
    [3, "stream", 0.3],
    [4, "auto", 0.7],
    [5, "list", 0.7],
  ] as const;
  it.each(histories.filter(([, initialList]) => initialList !== "stream" || streamsLists({ minor })))(
    "reach the server's state despite random network faults: seed %d, %s",
    async (seed, initialList, faultiness) => {
      const namespace = await freshNamespace(direct);
      const writer = direct.resource(ConfigMap).namespace(namespace);
      const random = createRandom(seed, "e2e");
      let transport: FaultyTransport | undefined;
      const client = await realClient({
        interceptors: [
          (next) => {
            const faulty = (transport = createFaultyTransport(next, systemClock, createRandom(seed, "network")));
            return (request) => faulty.send(request);
          },
        ],
      });
      const informer = createInformer(client.resource(ConfigMap).namespace(namespace), {
        ...impatient,
        initialList,
        pageSize: 4,
        fieldSelector: "metadata.name!=kube-root-ca.crt",
      });
      const lives = new Map<string, string>();
      const mirror = createMirror(
        () => false,
        (key) => lives.get(key.split("/")[1]!),
      );
      try {
        informer.addHandler((change: Change<ConfigMap>) => mirror.take(change));
        await informer.synced({ timeoutMs: 20_000 });
        transport!.faultiness = faultiness;
        let life = 0;
        for (let step = 0; step < 120; step++) {
          const name = `map-${String(random.int(12))}`;
          if (!lives.has(name)) {
            await writer.create({ metadata: { name }, data: { life: String(++life), text: "größe 日本語" } });
            lives.set(name, String(life));
          } else if (random.chance(0.5))
            await writer.patch(name, { type: "merge", patch: { data: { text: `änderung ${String(step)}` } } });
          else {
            lives.delete(name);
            await writer.delete(name);
          }
          if (step % 40 === 39) await describeServer(inject("real").kubeconfig!).compact();
          await sleep(random.int(60), systemClock);
        }
        transport!.faultiness = 0;
        const expected = (await writer.list({ fieldSelector: "metadata.name!=kube-root-ca.crt" })).items
          .map((item) => `${item.metadata!.name!} ${item.metadata!.resourceVersion!}`)
          .sort();
        const shown = (
          objects: Iterable<{ readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } }>,
        ): string[] => Array.from(objects, ({ metadata }) => `${metadata!.name!} ${metadata!.resourceVersion!}`).sort();
        await until(
          () =>
            String(shown(informer.store.values())) === String(expected) &&
            String(shown(mirror.objects.values())) === String(expected),
        );
        expect(shown(informer.store.values())).toEqual(expected);
        expect(shown(mirror.objects.values())).toEqual(expected);
        expect(mirror.faults).toEqual([]);
      } finally {
        await informer.close();
        await client.close();
      }
      expect(transport!.open).toBe(0);
    },
    180_000,
  );

  it.skipIf(minor < 36)("with shards cover the collection, and the server sends each only its part", async () => {
    const namespace = await freshNamespace(direct);
    const maps = direct.resource(ConfigMap).namespace(namespace);
    for (let i = 0; i < 30; i++) await maps.create({ metadata: { name: `map-${String(i)}` } });
    for (const initialList of ["list", "stream"] as const) {
      const parts = [0, 1, 2].map((index) =>
        createInformer(maps, { initialList, shard: createShard({ index, count: 3 }) }),
      );
      const merged = mergeInformers(parts);
      await merged.synced({ timeoutMs: 10_000 });
      expect([...merged.store.keys()].sort()).toEqual(
        (await maps.list()).items.map(({ metadata }) => `${namespace}/${metadata!.name!}`).sort(),
      );
      const sizes = parts.map(({ store }) => store.size);
      for (const size of sizes) expect(size).toBeGreaterThan(0);
      // The number of events equals the number of stored objects: the server has the feature enabled and uses the same
      // hash.
      if (initialList === "stream") expect(parts.map(({ metrics }) => metrics.events.ADDED)).toEqual(sizes);
      await merged.close();
    }
  });

  it("classify a version in the server's future as tooLarge", async () => {
    const maps = direct.resource(ConfigMap);
    const failure: unknown = await maps
      .list({ limit: 1, resourceVersion: "999999999", resourceVersionMatch: "NotOlderThan", retry: false })
      .catch((error: unknown) => error);
    expect(classifyFailure(failure)).toBe("tooLarge");
  });

  it("cache table rows and metadata like objects", async () => {
    const namespace = await freshNamespace(direct);
    const maps = direct.resource(ConfigMap).namespace(namespace);
    await maps.create({ metadata: { name: "one" }, data: { a: "1", b: "2" } });
    const [rows, metadata] = [
      createInformer(maps.asTable(), { fieldSelector: "metadata.name=one" }),
      createInformer(maps.metadataOnly(), { fieldSelector: "metadata.name=one" }),
    ];
    const told: string[] = [];
    rows.addHandler((change) => told.push(`${change.type} ${String(change.object.cells[1])}`));
    await Promise.all([rows.synced({ timeoutMs: 10_000 }), metadata.synced({ timeoutMs: 10_000 })]);
    await maps.patch("one", { type: "merge", patch: { data: { c: "3" } } });
    await until(() => told.length === 2);
    expect(told).toEqual(["added 2", "updated 3"]);
    expect(metadata.store.get(`${namespace}/one`)).not.toHaveProperty("data");
    await Promise.all([rows.close(), metadata.close()]);
  });

  it("return a program's own writes through readYourWrites", async () => {
    const namespace = await freshNamespace(direct);
    const maps = direct.resource(ConfigMap).namespace(namespace);
    const informer = createInformer(maps);
    const view = readYourWrites(maps, informer);
    for (let i = 0; i < 20; i++) {
      await view.write("one", () =>
        i === 0
          ? maps.create({ metadata: { name: "one" }, data: { i: "0" } })
          : maps.patch("one", { type: "merge", patch: { data: { i: String(i) } } }),
      );
      expect((await view.get("one"))?.data?.["i"]).toBe(String(i));
    }
    await view.write("one", () => maps.delete("one"));
    expect(await view.get("one")).toBeUndefined();
    await informer.close();
  });

  it("waitFor resolves when its condition is met", async () => {
    const namespace = await freshNamespace(direct);
    const maps = direct.resource(ConfigMap).namespace(namespace);
    const waiting = waitFor(maps, "late", (object) => object?.data?.["ready"] === "yes", { timeoutMs: 10_000 });
    await maps.create({ metadata: { name: "late" } });
    await maps.patch("late", { type: "merge", patch: { data: { ready: "yes" } } });
    expect((await waiting)?.metadata?.name).toBe("late");
  });
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition() && Date.now() < deadline) await sleep(20, systemClock);
}
