import { inspect, isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import type { Informer, InformerOptions } from "../../../src/cache/informer/informer.js";
import { waitForStore } from "../../../src/cache/informer/wait-for.js";
import { newestKnownMinor } from "../../../src/client/call/bulk-codec.js";
import { type ClientOptions, createClient } from "../../../src/client/client.js";
import type { Codec, CodecTarget } from "../../../src/codec/codec.js";
import { sharedJson } from "../../../src/codec/json/shared-json.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { CustomResourceDefinition } from "../../../src/kinds/apiextensions/v1.js";
import { ConfigMap, Pod } from "../../../src/kinds/core/v1.js";
import { defineKind } from "../../../src/meta/define-kind.js";
import { handlerTransport } from "../../../src/transport/handler.js";

const count = 60;
const server = createApiServer({ controllers: false });
const writer = createClient({ transport: handlerTransport(server.handle) });
const pods = writer.resource(Pod).namespace("default");
/** Requests as path and accepted encoding. */
const requests: string[] = [];
const fast = { interval: 1, timeout: 5_000 };
let versionAnswer: (() => Response) | undefined;
const handle = async (request: Request): Promise<Response> => {
  const url = new URL(request.url);
  const accept = request.headers.get("accept") ?? "";
  const encoding = accept.startsWith("application/vnd.kubernetes.protobuf") ? "protobuf" : "json";
  const { searchParams: query } = url;
  const verb = query.has("sendInitialEvents") ? "stream" : query.has("watch") ? "watch" : "get";
  requests.push(`${verb} ${url.pathname.split("/").at(-1)!} ${encoding}`);
  if (url.pathname === "/version" && versionAnswer !== undefined) return versionAnswer();
  // Later pages wait for the codec, so that a short list can't be complete before it is loaded.
  if (query.has("continue")) await expect.poll(() => informer.metrics.encoding.state, fast).not.toBe("loading");
  return server.handle(request);
};

const Gadget = defineKind<{ size: number }>()({
  group: "x.example",
  version: "v1",
  kind: "Gadget",
  plural: "gadgets",
  scope: "Namespaced",
});

let informer: Informer<Pod>;
let loads = 0;
async function begin(options: InformerOptions<Pod> = {}, client: Partial<ClientOptions> = {}): Promise<void> {
  requests.length = loads = 0;
  const bulkCodec = (): Promise<Codec> => {
    loads++;
    return Promise.resolve(protobuf());
  };
  const handleOf = createClient({ transport: handlerTransport(handle), bulkCodec, ...client }).resource(Pod);
  informer = createInformer(handleOf, { bulkEncoding: { objects: 20 }, ...options });
  await informer.synced({ timeoutMs: 5_000 });
  await expect.poll(() => informer.status.type).toBe("watching");
}

beforeAll(async () => {
  await writer.resource(CustomResourceDefinition).create({
    metadata: { name: "gadgets.x.example" },
    spec: {
      group: "x.example",
      names: { kind: "Gadget", plural: "gadgets" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  for (let i = 0; i < count; i++)
    await pods.create({
      metadata: {
        name: `pod-${String(i)}`,
        labels: { app: "shop" },
        ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "shop", uid: "u" }],
      },
      spec: { initContainers: [{ name: "init", image: "i" }], containers: [{ name: "c", image: "shop:1" }] },
    });
});
afterEach(async () => {
  versionAnswer = undefined;
  await informer.close();
});
afterAll(async () => {
  await writer.close();
  await server.close();
});

describe("an informer without options", () => {
  it("reads the rest of a long list as Protobuf, in the same version", async () => {
    await begin({ initialList: "list", pageSize: 5 });
    expect(requests[0]).toBe("get pods json");
    expect(requests.at(-1)).toBe("watch pods protobuf");
    expect(requests).toContain("get pods protobuf");
    expect(informer.store.size).toBe(count);
    expect(informer.metrics.encoding).toMatchObject({ state: "bulk", reason: "list", objects: 20 });
    expect(informer.metrics.lists).toBe(1);
  });

  it("starts a long streaming list again as Protobuf", async () => {
    await begin({ initialList: "stream" });
    expect(requests).toEqual(["stream pods json", "get version json", "stream pods protobuf"]);
    expect(informer.store.size).toBe(count);
    expect(informer.metrics.encoding.state).toBe("bulk");
  });

  it("opens a busy watch again as Protobuf and misses no event", async () => {
    await begin({ bulkEncoding: { eventsPerSecond: 1 } });
    expect(informer.metrics.encoding.state).toBe("client");
    const seen: string[] = [];
    informer.addHandler(({ object }) => seen.push(object.metadata!.labels!["turn"]!), { replay: false });
    const turns = Array.from({ length: 30 }, (_, turn) => String(turn));
    const turnTo = (turn: string): Promise<unknown> =>
      pods.patch("pod-0", { type: "merge", patch: { metadata: { labels: { turn } } } });
    for (const turn of turns.slice(0, 10)) await turnTo(turn);
    await expect.poll(() => informer.metrics.encoding.state).toBe("bulk");
    for (const turn of turns.slice(10)) await turnTo(turn);
    await waitForStore(informer, (store) => store.get("default/pod-0")?.metadata?.labels?.["turn"] === "29");
    expect(seen).toEqual(turns);
    expect(informer.metrics.encoding).toMatchObject({ state: "bulk", reason: "watch" });
    expect(requests.at(-1)).toBe("watch pods protobuf");
  });

  it("returns objects that look the same as those read as JSON", async () => {
    await begin({ freeze: false, initialList: "list", pageSize: 5 });
    expect(informer.metrics.encoding.state).toBe("bulk");
    for (const plain of (await pods.list()).items) {
      const object = informer.store.get(`default/${plain.metadata!.name!}`)! as Pod;
      expect(inspect(object, { depth: 9 })).toBe(inspect(plain, { depth: 9 }));
      expect(JSON.stringify(object)).toBe(JSON.stringify(plain));
      expect(JSON.stringify({ ...object })).toBe(JSON.stringify(plain));
      expect(Object.keys(object)).toEqual(Object.keys(plain));
      expect("spec" in object && !("data" in object)).toBe(true);
      expect(structuredClone(object)).toStrictEqual(structuredClone(plain));
      expect(isDeepStrictEqual(object, plain)).toBe(true);
      expect(object).toStrictEqual(plain);
    }
  });

  it("freezes parts of an object when they are decoded", async () => {
    await begin({ freeze: true });
    const object = informer.store.get("default/pod-1")! as Pod;
    expect(
      [object, object.metadata, object.spec!.containers[0], object.metadata!.managedFields![0]!].map(Object.isFrozen),
    ).toEqual([true, true, true, true]);
    expect(() => (object.spec = { containers: [] })).toThrow(TypeError);
    expect(() => (object.metadata!.labels!["app"] = "x")).toThrow(TypeError);
  });
});

describe("an informer stays with the client's codecs", () => {
  it.each<[string, InformerOptions<Pod>, Partial<ClientOptions>]>([
    ["if the collection is small", { bulkEncoding: undefined }, {}],
    ["if bulkEncoding is false", { bulkEncoding: false }, {}],
    ["if the client has no bulk codec", {}, { bulkCodec: undefined }],
    ["with a transform", { transform: (pod) => pod }, {}],
  ])("%s", async (_, options, client) => {
    await begin(options, client);
    expect(requests.filter((request) => !request.endsWith("json") || request.includes("version"))).toEqual([]);
    expect(loads).toBe(0);
  });

  it("if the server is newer than the tables", async () => {
    versionAnswer = () => Response.json({ major: "1", minor: `${String(newestKnownMinor + 1)}+` });
    await begin();
    await expect.poll(() => informer.metrics.encoding.state).toBe("fixed");
    expect(requests.filter((request) => request.endsWith("protobuf"))).toEqual([]);
  });

  it("for a minute if the server doesn't report its version", async () => {
    versionAnswer = () => Response.json({ kind: "Status", message: "no", code: 403 }, { status: 403 });
    await begin();
    expect(informer.metrics.encoding).toMatchObject({ state: "client", error: { code: 403 } });
    expect(requests.filter((request) => request.endsWith("protobuf"))).toEqual([]);
  });

  it("after responses that the bulk codec can't decode", async () => {
    const broken: Codec = {
      ...protobuf(),
      createWatchDecoder: () => protobuf().createListDecoder() as never,
    };
    await begin(
      { backoff: { initialMs: 1, factor: 1, capMs: 1, jitter: 0 } },
      { bulkCodec: () => Promise.resolve(broken) },
    );
    expect(informer.metrics.encoding).toMatchObject({
      state: "fixed",
      reason: "list",
      error: expect.any(Error) as Error,
    });
    expect(informer.store.size).toBe(count);
  });

  it("for a kind that the bulk codec doesn't support", async () => {
    await begin();
    const client = createClient({
      transport: handlerTransport(handle),
      bulkCodec: () => Promise.resolve(protobuf()),
    });
    const gadgets = createInformer(client.resource(Gadget), { bulkEncoding: { objects: 0 } });
    await gadgets.synced({ timeoutMs: 5_000 });
    expect(gadgets.metrics.encoding.state).toBe("fixed");
    await gadgets.close();
  });
});

it("an informer of custom resources reads the rest of a long list as JSON and stores differences", async () => {
  await begin();
  const names = Array.from({ length: 40 }, (_, i) => `gadget-${String(i)}`);
  for (const name of names)
    await writer
      .resource(Gadget)
      .namespace("default")
      .create({ metadata: { name, labels: { app: "shop" } }, spec: { size: 1 } });
  requests.length = 0;
  const asked: CodecTarget[] = [];
  const client = createClient({
    transport: handlerTransport(handle),
    bulkCodec: (kind) => {
      asked.push(kind);
      return Promise.resolve(sharedJson());
    },
  });
  const gadgets = createInformer(client.resource(Gadget), { bulkEncoding: { objects: 20 }, pageSize: 10 });
  await gadgets.synced({ timeoutMs: 5_000 });
  expect(gadgets.metrics.encoding).toMatchObject({ state: "bulk", reason: "list" });
  expect(asked).toEqual([expect.objectContaining({ custom: true, kind: "Gadget" })]);
  expect(requests).not.toContain("get version json");
  for (const plain of (await writer.resource(Gadget).list()).items)
    expect(JSON.stringify(gadgets.store.get(`default/${plain.metadata!.name!}`))).toBe(JSON.stringify(plain));
  const [first, last] = [names[38], names[39]].map((name) => gadgets.store.get(`default/${name!}`)!.metadata!);
  expect(first!.labels).toBe(last!.labels);
  await gadgets.close();
  await client.close();
});

it("a threshold of 0 requests Protobuf from the start", async () => {
  await begin({ bulkEncoding: { objects: 0 } });
  expect(requests).toEqual(["get version json", "stream pods protobuf"]);
  expect(informer.metrics.encoding).toMatchObject({ state: "bulk", reason: "pinned" });
});

it("informers of one client load the bulk codec once", async () => {
  await begin();
  const client = createClient({
    transport: handlerTransport(handle),
    bulkCodec: () => Promise.resolve((loads++, protobuf())),
  });
  loads = 0;
  const informers = [client.resource(Pod), client.resource(ConfigMap)].map((source) =>
    createInformer(source as never, { bulkEncoding: { objects: 0 } }),
  );
  await Promise.all(informers.map((each) => each.synced({ timeoutMs: 5_000 })));
  expect(loads).toBe(1);
  await Promise.all(informers.map((each) => each.close()));
});

it.each([[{ objects: -1 }], [{ eventsPerSecond: NaN }]])("bulkEncoding %o is refused", (bulkEncoding) => {
  const client = createClient({ transport: handlerTransport(handle) });
  expect(() => createInformer(client.resource(Pod), { bulkEncoding })).toThrow(/^bulkEncoding\.\w+ must be at least 0/);
});

it("the tables know the fields of the server's version", async () => {
  const { minor } = (await (await server.handle(new Request("http://server/version"))).json()) as { minor: string };
  expect(Number.parseInt(minor, 10)).toBe(newestKnownMinor);
});
