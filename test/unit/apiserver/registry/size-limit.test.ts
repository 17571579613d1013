import { afterAll, beforeAll, expect, it } from "vitest";
import { strategyFor } from "../../../../src/apiserver/kinds/strategy-for.js";
import type { ServedResource } from "../../../../src/apiserver/registry/resources.js";
import { leastSize, maxRequestBytes } from "../../../../src/apiserver/registry/write/size-limit.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
const configMaps = "/api/v1/namespaces/default/configmaps";
const widgets = "/apis/size.dev/v1/namespaces/default/widgets";

async function send(method: string, path: string, body: object, type = "application/json"): Promise<any> {
  return (await sendJson(server, { method, path, body, type, headers: { "user-agent": "m" } })).body;
}

beforeAll(async () => {
  server = createApiServer();
  await server.load([
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.size.dev" },
      spec: {
        group: "size.dev",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    },
  ]);
});
afterAll(() => server.close());

const event = (name: string, text: string): object => ({
  metadata: { name, namespace: "default" },
  involvedObject: { namespace: "default" },
  related: { name: text },
});
const widget = (name: string, text: string): object => ({
  apiVersion: "size.dev/v1",
  kind: "Widget",
  metadata: { name },
  text,
});

const tooLarge = { code: 500, message: "etcdserver: request is too large" };
const tooLong = { code: 500, message: expect.stringContaining("larger than max (2200") as string };

// Measured on kube-apiserver 1.36.3, whose etcd accepts requests of 1.5 MiB and messages of 2 MiB.
it.each<[string, string, object, object]>([
  ["an event of 1,572,000 bytes", "/api/v1/namespaces/default/events", event("a", "x".repeat(1_572_000)), {}],
  ["an event of 1,573,500 bytes", "/api/v1/namespaces/default/events", event("b", "x".repeat(1_573_500)), tooLarge],
  ["an event of 2,200,000 bytes", "/api/v1/namespaces/default/events", event("c", "x".repeat(2_200_000)), tooLong],
  ["a custom object of 1,572,000 bytes", widgets, widget("a", "x".repeat(1_572_000)), {}],
  ["a custom object of 1,573,500 bytes", widgets, widget("b", "x".repeat(1_573_500)), tooLarge],
  ["a custom object of 600,000 characters of 3 bytes", widgets, widget("c", "€".repeat(600_000)), tooLarge],
])("server answers a create of %s like etcd's limits", async (_, path, body, answer) => {
  const got = await send("POST", path, body);
  expect({ code: got.code, message: got.message }).toEqual({ code: undefined, message: undefined, ...answer });
});

it("size limit counts a built-in object in Protobuf, in which binary data is a quarter shorter", async () => {
  const data = Buffer.alloc(1_000_000).toString("base64");
  const secret = { metadata: { name: "s" }, data: { data } };
  expect((await send("POST", "/api/v1/namespaces/default/secrets", secret)).metadata.name).toBe("s");
});

it("size limit drops managed fields from an object that only fits without them", async () => {
  const fields = (name: string, length: number): object => widget(name, "x".repeat(length));
  const fits = await send("POST", widgets, fields("fits", 1_572_300));
  expect(fits.metadata.managedFields).toBeDefined();
  const tight = await send("POST", widgets, fields("tight", 1_572_500));
  expect(tight.metadata.name).toBe("tight");
  expect(tight.metadata.managedFields).toBeUndefined();
});

it("server leaves an object unchanged if an update would make it too large", async () => {
  const { metadata } = await send("POST", configMaps, { metadata: { name: "grows" }, data: { a: "1" } });
  const patch = { metadata: { annotations: { big: "y".repeat(200_000) } }, data: { big: "x".repeat(1_000_000) } };
  const merge = "application/merge-patch+json";
  for (let i = 0; i < 2; i += 1)
    expect((await send("PATCH", `${widgets}/a`, { more: "z".repeat(300_000) }, merge)).message).toBe(tooLarge.message);
  expect(await send("PATCH", `${configMaps}/grows`, patch, merge)).toMatchObject({
    metadata: { uid: metadata.uid as string },
  });
  const stored = (await (await server.handle(new Request(`http://server${widgets}/a`))).json()) as object;
  expect(stored).not.toHaveProperty("more");
});

it.each<[string, string, string, number | undefined]>([
  [
    "a config map of 2.5 MB in one value, which is invalid before it's too large",
    configMaps,
    `{"metadata":{"name":"a"},"data":{"a":"${"x".repeat(2_500_000)}"}}`,
    422,
  ],
  [
    "a pod with a large status, which a create drops",
    "/api/v1/namespaces/default/pods",
    `{"metadata":{"name":"fits"},"spec":{"containers":[{"name":"c","image":"i"}]},"status":{"message":"${"x".repeat(2_500_000)}"}}`,
    undefined,
  ],
])("server answers a create of %s", async (_what, path, body, code) => {
  const headers = { "content-type": "application/json" };
  const response = await server.handle(new Request(`http://server${path}`, { method: "POST", headers, body }));
  expect(((await response.json()) as { code?: number }).code).toBe(code);
});

it("server reads only the first 10,000 items of a long status that a write drops", async () => {
  const container = { name: "c", image: "i" };
  const pod = (conditions: readonly unknown[]): object => ({
    metadata: { name: "status" },
    spec: { containers: [container] },
    status: { conditions },
  });
  const pods = "/api/v1/namespaces/default/pods";
  const long = pod([...list(30_000, {}), 1]);
  expect(await send("POST", pods, long)).toMatchObject({ status: { phase: "Pending" } });
  expect(await send("PUT", `${pods}/status`, long)).toMatchObject({ status: { phase: "Pending" } });
  expect((await send("PUT", `${pods}/status/status`, long)).code).toBe(400);
  expect((await send("PUT", `${pods}/status`, pod([1]))).code).toBe(400);
});

it.each([
  ["creates", "applied"],
  ["changes", "kept"],
])("server refuses an apply that %s an object which etcd can't take", async (_what, name) => {
  if (name === "kept") await send("POST", widgets, widget(name, "x"));
  const apply = `${widgets}/${name}?fieldManager=m`;
  const config = widget(name, "x".repeat(2_200_000));
  expect(await send("PATCH", apply, config, "application/apply-patch+yaml")).toMatchObject(tooLong);
  const wrong = await send("PATCH", apply, { ...config, kind: "Gadget" }, "application/apply-patch+yaml");
  expect(wrong.code).toBe(400);
});

const list = (length: number, item: object): object[] => Array.from({ length }, () => item);
const map = (length: number): object =>
  Object.fromEntries(list(length, {}).map((_, at) => [`annotation-key-${String(at)}`, ""]));
const container = { name: "c", image: "i", terminationMessagePath: "/dev/termination-log" };

it.each<[string, string | undefined, string, Record<string, unknown>, boolean]>([
  ["many containers", "Pod", "", { spec: { containers: list(100_000, container) } }, true],
  ["a map of many empty values", "ConfigMap", "", { data: map(70_000) }, true],
  ["many empty objects", undefined, "", { spec: list(600_000, {}) }, true],
  ["a long text", undefined, "", { spec: "x".repeat(1_600_000) }, true],
  ["bytes that are shorter than their base64", "ConfigMap", "", { binaryData: { a: "A".repeat(2_000_000) } }, false],
  ["a status that a write of the object keeps", undefined, "", { status: "x".repeat(1_600_000) }, false],
  ["a status that is written", undefined, "status", { status: "x".repeat(1_600_000) }, true],
  ["managers", undefined, "", { metadata: { managedFields: [map(70_000)] } }, false],
  ["a scale", undefined, "scale", { spec: "x".repeat(1_600_000) }, false],
])(
  "size limit knows before the encoding whether an object with %s is too large",
  (_what, kind, subresource, object, answer) => {
    const builtin = { protobuf: true, definition: `io.k8s.api.core.v1.${String(kind)}` };
    const subresources = new Map([["status", {}]]);
    const resource = { ...(kind === undefined ? {} : builtin), subresources } as unknown as ServedResource;
    expect(leastSize({ resource, subresource, object, creates: false }, maxRequestBytes) > maxRequestBytes).toBe(
      answer,
    );
  },
);

it.each([
  ["creates", true],
  ["changes", false],
])("size limit counts the status of a write that %s a Node", (_what, creates) => {
  const resource = {
    protobuf: true,
    definition: "io.k8s.api.core.v1.Node",
    strategy: strategyFor("", "nodes", "v1"),
  } as ServedResource;
  const object = { status: { capacity: map(70_000) } };
  expect(leastSize({ resource, subresource: "", object, creates }, maxRequestBytes) > maxRequestBytes).toBe(creates);
});

it("a review that etcd couldn't take is returned without managers", async () => {
  const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const review = (text: string): object => ({ spec: { nonResourceAttributes: { path: `/${text}`, verb: "get" } } });
  expect((await send("POST", reviews, review("a"))).metadata.managedFields).toHaveLength(1);
  expect((await send("POST", reviews, review("a".repeat(1_600_000)))).metadata.managedFields).toBeUndefined();
});

const pods = "/api/v1/namespaces/default/pods";
const grown = Array.from({ length: 40_000 }, (_, at) => ({ name: `c${String(at)}`, image: "i" }));

it.each([
  ["a create", "POST", pods, "application/json"],
  ["an apply", "PATCH", `${pods}/grown?fieldManager=m`, "application/apply-patch+yaml"],
])("server refuses %s of a pod whose defaults etcd can't take", async (_what, method, path, type) => {
  const spec = { containers: grown };
  const answer = await send(method, path, { apiVersion: "v1", kind: "Pod", metadata: { name: "grown" }, spec }, type);
  expect(answer).toMatchObject({ code: 500, message: expect.stringContaining("larger than max") as string });
});

const many = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "many" },
  spec: { containers: Array.from({ length: 12_000 }, (_, at) => ({ name: `C${String(at)}`, image: "i".repeat(150) })) },
};
const json = "application/json";
const apply = "application/apply-patch+yaml";

it.each([
  ["a create", "POST", pods, json],
  ["a dry run", "POST", `${pods}?dryRun=All`, json],
  ["an apply", "PATCH", `${pods}/many?fieldManager=m`, apply],
])("server answers %s with 2 MB of invalid containers by 422 with 1,000 causes", async (_what, method, path, type) => {
  const { code, details } = await send(method, path, many, type);
  expect({ code, causes: details.causes.length }).toEqual({ code: 422, causes: 1_000 });
});

const wide = (value: string): object => {
  const env = Array.from({ length: 12_000 }, (_, at) => ({ name: `n${String(at)}`, value }));
  return { metadata: { name: "wide" }, spec: { containers: [{ name: "c", image: "i", env }] } };
};

it("server stores 12,000 variables whole, without managers that don't fit, and refuses longer variables", async () => {
  const tried = await send("POST", `${pods}?dryRun=All`, wide("v".repeat(90)));
  const created = await send("POST", pods, wide("v".repeat(90)));
  expect(created.spec.containers[0].env).toHaveLength(12_000);
  expect([tried, created].map(({ metadata }) => metadata.managedFields?.length)).toEqual([1, undefined]);
  const dryRun = await send("POST", `${pods}?dryRun=All`, wide("v".repeat(150)));
  // Variables of a pod can't change, whatever their size.
  const update = await send("PUT", `${pods}/wide`, wide("v".repeat(150)));
  expect([dryRun.code, update.code]).toEqual([500, 422]);
  const stored = await (await server.handle(new Request(`http://server${pods}/wide`))).json();
  expect(stored).toEqual(created);
});

it("server refuses patches whose result etcd can't take, and keeps the object", async () => {
  const before = await send("POST", widgets, { ...widget("patched", ""), rows: [] });
  const rows = list(12_000, { text: "x".repeat(150) });
  const merge = await send("PATCH", `${widgets}/patched`, { rows }, "application/merge-patch+json");
  const operations = [{ op: "add", path: "/rows", value: rows }];
  const patched = await send("PATCH", `${widgets}/patched`, operations, "application/json-patch+json");
  expect([merge.code, patched.code]).toEqual([500, 500]);
  expect(await (await server.handle(new Request(`http://server${widgets}/patched`))).json()).toEqual(before);
});

it("server counts owners that occur twice once, and no unknown fields", async () => {
  const owner = { apiVersion: "v1", kind: "A", name: "a".repeat(200), uid: "1" };
  const owned = { metadata: { name: "owned", ownerReferences: list(8_000, owner) } };
  expect((await send("POST", configMaps, owned)).metadata.ownerReferences).toHaveLength(1);
  const unknown = { metadata: { name: "unknown" }, unknown: list(12_000, { text: "x".repeat(150) }) };
  expect((await send("POST", configMaps, unknown)).metadata.name).toBe("unknown");
});

const texts = (length: number, value: string): object =>
  Object.fromEntries(Array.from({ length }, (_, at) => [`key-with-some-length-${String(at)}`, value]));

it.each([
  [
    "annotations that are too long together",
    { metadata: { name: "a", annotations: texts(15_000, "x".repeat(150)) } },
    422,
  ],
  ["data that is too long together", { metadata: { name: "a" }, data: texts(15_000, "x".repeat(150)) }, 422],
  ["many keys of short data", { metadata: { name: "a" }, data: texts(60_000, "x") }, 500],
  ["an invalid key of data", { metadata: { name: "a" }, data: { "a b": "x", ...texts(60_000, "x") } }, 422],
])("server answers a create of a config map with %s", async (_what, object, code) => {
  expect((await send("POST", configMaps, object)).code).toBe(code);
});
