import { afterEach, expect, test } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { getResponseInfo } from "../../../src/client/call/response-info.js";
import { type Client, createClient } from "../../../src/client/client.js";
import { objectCodec } from "../../../src/cluster/object-codec.js";
import { createServerTransport } from "../../../src/cluster/server-transport.js";
import { createActivity } from "../../../src/cluster/time/activity.js";
import { ObjectBytes } from "../../../src/internal/object-bytes.js";
import { ConfigMap, Endpoints, Pod } from "../../../src/kinds/core/v1.js";

const server = createApiServer({ controllers: false });
const activity = createActivity();
const inProcess = createClient({
  transport: createServerTransport({ server, activity, internal: true }),
  codecs: [objectCodec()],
  onWarning: () => undefined,
});
const overJson = createClient({ transport: createServerTransport({ server, activity, internal: false }) });

afterEach(() => server.faults.clear());

/** Returns the next event of a watch. */
async function next<T>(events: AsyncIterator<T>): Promise<T> {
  const { value } = await events.next();
  return value as T;
}

test("a watch in the server's process gets the frozen object that the writer got", async () => {
  const maps = inProcess.resource(ConfigMap).namespace("default");
  const watch = maps.watch({ resourceVersion: "0" })[Symbol.asyncIterator]();
  const created = await maps.create({ metadata: { name: "shared" }, data: { a: "1" } });
  const event = await next(watch);
  expect(event.type).toBe("ADDED");
  expect(event.object).toBe(created);
  expect(Object.isFrozen(created.data)).toBe(true);
  await maps.delete("shared");
  const deletion = await next(watch);
  expect(deletion.type).toBe("DELETED");
  expect(Number(deletion.object.metadata?.resourceVersion)).toBeGreaterThan(Number(created.metadata?.resourceVersion));
  await watch.return?.();
});

test("an object that a client in the server's process gets is its own to modify", async () => {
  const maps = inProcess.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "own" }, data: { a: "1" } });
  const first = await maps.get("own");
  first.data!["a"] = "changed";
  expect((await maps.get("own")).data).toEqual({ a: "1" });
});

test("a server in the same process stores a copy of the object that it was sent", async () => {
  const sent = { metadata: { name: "copied" }, data: { a: "1" } };
  await inProcess.resource(ConfigMap).namespace("default").create(sent);
  sent.data.a = "changed";
  expect((await overJson.resource(ConfigMap).namespace("default").get("copied")).data).toEqual({ a: "1" });
});

test("an object that is handed over arrives as its JSON text would", async () => {
  const object = (name: string): ConfigMap =>
    ({
      metadata: { name, labels: { app: "web" }, annotations: undefined },
      data: { a: "1", gone: undefined, when: new Date(0) },
      immutable: undefined,
    }) as unknown as ConfigMap;
  const plain = await overJson.resource(ConfigMap).namespace("default").create(object("as-text"));
  const handed = await inProcess.resource(ConfigMap).namespace("default").create(object("as-object"));
  const { metadata: _plain, ...expected } = plain;
  const { metadata: _handed, ...arrived } = handed;
  expect(arrived).toEqual(expected);
  expect(Object.keys(arrived)).toEqual(Object.keys(expected));
});

test("errors, lists and bookmarks reach a client in the server's process", async () => {
  const maps = inProcess.resource(ConfigMap).namespace("kube-public");
  await expect(maps.get("missing")).rejects.toMatchObject({ code: 404 });
  await maps.create({ metadata: { name: "listed" } });
  expect((await maps.list()).items.map(({ metadata }) => metadata?.name)).toContain("listed");
  const options = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true } as const;
  const watch = maps.watch({ ...options, resourceVersion: "0" })[Symbol.asyncIterator]();
  const types: string[] = [];
  for (let event = await next(watch); ; event = await next(watch)) {
    types.push(event.type);
    if (event.type === "BOOKMARK") break;
  }
  expect(types.at(-2)).toBe("ADDED");
  await watch.return?.();
});

test("a fault that cuts a response off also hits requests in the server's process", async () => {
  const maps = inProcess.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "cut" } });
  server.faults.add({ match: { verb: "get" }, effect: { type: "truncate", afterBytes: 20 } });
  await expect(maps.get("cut")).rejects.toThrow(/get configmaps/);
});

test("a fault that delays requests in the server's process leaves their results unchanged", async () => {
  server.faults.add({ effect: { type: "delay", ms: 0 } });
  for (const client of [inProcess, overJson]) {
    const maps = client.resource(ConfigMap).namespace("default");
    const { metadata } = await maps.create({ metadata: { generateName: "late-" }, data: { a: "1" } });
    expect((await maps.get(metadata!.name!)).data).toEqual({ a: "1" });
  }
});

test("decode options apply to objects that are handed over", () => {
  const object = { metadata: { name: "a", managedFields: [{ manager: "m" }] } };
  const codec = objectCodec();
  expect(codec.decode(new ObjectBytes(object))).toBe(object);
  expect(codec.decode(new ObjectBytes(object), { managedFields: "drop" })).toEqual({ metadata: { name: "a" } });
  const decoder = codec.createWatchDecoder({ managedFields: "drop" });
  expect(decoder.push(new ObjectBytes([{ type: "ADDED", object }]))).toEqual([
    { type: "ADDED", object: { metadata: { name: "a" } } },
  ]);
});

test("a write of a status shares the spec and the managers of the stored pod", async () => {
  const pods = inProcess.resource(Pod).namespace("default");
  const spec = { containers: [{ name: "main", image: "web:1" }] };
  const created = await pods.create({ metadata: { name: "web" }, spec });
  const shared = await pods.subresource("status").update({ ...created, status: { phase: "Running" } });
  expect(shared.spec).toBe(created.spec);
  expect(shared.metadata!.managedFields![0]).toBe(created.metadata!.managedFields![0]);
  const text = await overJson.resource(Pod).namespace("default").get("web");
  expect(JSON.stringify(text)).toBe(JSON.stringify(shared));
  expect(Object.keys(text)).toEqual(["kind", "apiVersion", "metadata", "spec", "status"]);
});

test("a write of a status over JSON stores the same as one in the server's process", async () => {
  const write = async (client: Client, name: string): Promise<Pod> => {
    const pods = client.resource(Pod).namespace("default");
    const spec = { containers: [{ name: "main", image: "web:1" }] };
    const created = await inProcess.resource(Pod).namespace("default").create({ metadata: { name }, spec });
    return await pods.subresource("status").update({ ...created, status: { phase: "Running", podIP: "10.0.0.1" } });
  };
  const [handed, sent] = [await write(inProcess, "handed"), await write(overJson, "sent")];
  expect([handed.spec, handed.status]).toEqual([sent.spec, sent.status]);
  const managers = ({ metadata }: Pod): unknown => metadata!.managedFields!.map(({ time: _time, ...entry }) => entry);
  expect(managers(handed)).toEqual(managers(sent));
});

test("responses in the server's process share their headers as long as these are the same", async () => {
  const maps = inProcess.resource(ConfigMap).namespace("default");
  const endpoints = inProcess.resource(Endpoints).namespace("default");
  const first = getResponseInfo(await maps.create({ metadata: { name: "first" } }));
  const second = getResponseInfo(await maps.create({ metadata: { name: "second" } }));
  const deprecated = getResponseInfo(await endpoints.create({ metadata: { name: "old" } }));
  const third = getResponseInfo(await maps.create({ metadata: { name: "third" } }));
  expect(second?.headers).toBe(first?.headers);
  expect(first?.headers.get("content-type")).toBe("application/json");
  expect([first, deprecated, third].map((info) => info?.warnings.length)).toEqual([0, 1, 0]);
});
