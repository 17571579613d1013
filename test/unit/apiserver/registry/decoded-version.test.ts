// Clients in the server's process get the object that was written. It must equal the stored text, which others get.
import { expect, test } from "vitest";
import { freezeAsJson } from "../../../../src/apiserver/objects/freeze-as-json.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import type { Version } from "../../../../src/apiserver/storage/bucket.js";
import { createClient } from "../../../../src/client/client.js";
import { objectCodec } from "../../../../src/cluster/object-codec.js";
import { createServerTransport } from "../../../../src/cluster/server-transport.js";
import { createActivity } from "../../../../src/cluster/time/activity.js";
import { Pod } from "../../../../src/kinds/core/v1.js";

type Change = (object: { metadata?: object; spec?: Record<string, unknown> }) => void;

const pod = (spec: object = {}): Pod => ({
  metadata: { name: "a", labels: {}, annotations: { note: "ü\u2028\ud800" }, finalizers: [] },
  spec: {
    containers: [{ name: "c", image: "i", args: [], resources: { limits: { cpu: "1000m" } } }],
    ...spec,
  } as never,
});

const addNote: Change = ({ metadata }) => Object.assign(metadata!, { annotations: { note: "n".repeat(40_000) } });

const written: readonly [what: string, object: Pod, change: Change][] = [
  ["a pod with empty lists and maps", pod(), () => undefined],
  ["a pod of 40 kB", pod({ hostname: "h", subdomain: "s", tolerations: [{ key: "k", value: "v" }] }), addNote],
  ["a pod that a plugin gave a Date", pod(), ({ spec = {} }) => (spec["schedulerName"] = new Date(0) as unknown)],
  ["a pod that a plugin gave undefined", pod(), ({ spec = {} }) => (spec["nodeName"] = undefined)],
  ["a pod that a plugin gave -0", pod(), ({ spec = {} }) => (spec["priority"] = -0)],
];

test.each([
  ...written.map(([what, ...rest]) => [what, ...rest, false] as const),
  ...written.map(([what, ...rest]) => [what.replace("a pod", "a watched pod"), ...rest, true] as const),
])("%s is the same for a client in the process as for others", async (_what, object, change, watched) => {
  const server = createApiServer({
    controllers: false,
    admission: [{ name: "Change", admit: ({ object: written }) => void change(written as never) }],
  });
  const activity = createActivity();
  const overJson = createClient({ transport: createServerTransport({ server, activity, internal: false }) });
  const inProcess = createClient({
    transport: createServerTransport({ server, activity, internal: true }),
    codecs: [objectCodec()],
  });
  const watch = inProcess.resource(Pod).watch({ resourceVersion: "0" })[Symbol.asyncIterator]();
  if (watched) {
    await server.load([{ ...pod(), apiVersion: "v1", kind: "Pod", metadata: { name: "first", namespace: "other" } }]);
    await watch.next();
  }
  const texts: string[] = [];
  for (const write of [
    () => inProcess.resource(Pod).namespace("default").create(object),
    () =>
      inProcess
        .resource(Pod)
        .namespace("default")
        .patch("a", { type: "merge", patch: { metadata: { labels: { b: "c" } } } }),
    async () => {
      const { resourceVersion: _version, ...metadata } = (await overJson.resource(Pod).namespace("default").get("a"))
        .metadata!;
      return await inProcess
        .resource(Pod)
        .namespace("default")
        .subresource("status")
        .update({ ...object, metadata, status: { phase: "Running", conditions: [] } } as never);
    },
  ]) {
    const written = (await write()) as Pod;
    texts.push(JSON.stringify(written));
    expect(JSON.stringify(await overJson.resource(Pod).namespace("default").get("a"))).toBe(texts.at(-1));
  }
  expect(new Set(texts).size).toBe(3);
  for (const text of texts) {
    const { resourceVersion } = (JSON.parse(text) as Pod).metadata!;
    const { items } = await overJson
      .resource(Pod)
      .namespace("default")
      .list({ resourceVersion, resourceVersionMatch: "Exact" });
    expect(JSON.stringify({ kind: "Pod", apiVersion: "v1", ...items[0] })).toBe(text);
  }
  await watch.return?.();
  await server.close();
});

test("objects that a watch in the process holds are stored without their texts until someone reads those", async () => {
  const server = createApiServer({ controllers: false });
  const transport = createServerTransport({ server, activity: createActivity(), internal: true });
  const pods = createClient({ transport, codecs: [objectCodec()] })
    .resource(Pod)
    .namespace("default");
  const stored = (name: string): Version =>
    server
      .snapshot()
      .buckets.get("/pods")!
      .find(({ key }) => key.endsWith(name))!;
  await pods.create({ ...pod(), metadata: { name: "before" } });
  const watch = pods.watch({ resourceVersion: "0" })[Symbol.asyncIterator]();
  await watch.next();
  const created = await pods.create({ ...pod(), metadata: { name: "during" } });
  await pods.create({ ...pod(), metadata: { name: "large", annotations: { note: "n".repeat(40_000) } } });
  await watch.return?.();
  await pods.create({ ...pod(), metadata: { name: "after" } });
  expect(["before", "during", "large", "after"].map((name) => stored(name).unprinted !== undefined)).toEqual([
    false,
    true,
    false,
    false,
  ]);
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = created;
  expect(stored("during").json).toBe(JSON.stringify(bare));
  await server.close();
});

class Point {
  x = 1;
}

test.each<[value: string, object: () => object, frozen: boolean]>([
  ["a key named __proto__", () => JSON.parse('{"__proto__":{"a":1}}') as object, true],
  ["nested objects and lists", () => ({ a: [{ b: null }, "", 0, -1.5, true] }), true],
  ["an object without a prototype", () => Object.assign(Object.create(null) as object, { a: 1 }), true],
  ["10,000 levels", () => JSON.parse(`${'{"a":['.repeat(5_000)}1${"]}".repeat(5_000)}`) as object, true],
  ["undefined in an object", () => ({ a: { b: undefined } }), false],
  ["undefined in a list", () => ({ a: [undefined] }), false],
  ["-0", () => ({ a: -0 }), false],
  ["NaN", () => ({ a: Number.NaN }), false],
  ["a bigint", () => ({ a: 1n }), false],
  ["a function", () => ({ toJSON: () => 1 }), false],
  ["an instance of a class", () => ({ a: new Point() }), false],
  ["a Date", () => ({ a: [new Date(0)] }), false],
])("freezeAsJson accepts or refuses %s", (_value, create, frozen) => {
  const object = create();
  expect(freezeAsJson(object)).toBe(frozen);
  expect(Object.isFrozen(object)).toBe(frozen);
});
