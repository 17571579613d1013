import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../src/apiserver/server.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { createClient } from "../../src/client/client.js";
import { cbor } from "../../src/codec/cbor/cbor.js";
import { json } from "../../src/codec/json/json.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import type { DecodeOptions } from "../../src/meta/options.js";
import { handlerTransport } from "../../src/transport/handler.js";

const server = createApiServer();
afterAll(() => server.close());
const connect = (codec: ReturnType<typeof json>, types?: string[]): ReturnType<typeof createClient> =>
  createClient({
    transport: handlerTransport(server.handle),
    codecs: [codec],
    interceptors: [
      (next) => async (request) => {
        const response = await next(request);
        types?.push(response.headers.get("content-type") ?? "");
        return response;
      },
    ],
  });

const deployment = (name: string): Deployment => ({
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: name } },
    template: {
      metadata: { labels: { a: name } },
      spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1500m" } } }] },
    },
  },
});

describe.each([
  ["json", json()],
  ["protobuf", protobuf()],
  ["cbor", cbor()],
])("from server to cache in %s,", (name, codec) => {
  it.each<[string, DecodeOptions | undefined]>([
    ["whole", undefined],
    ["without managed fields", { managedFields: "drop" }],
    ["lazy", { managedFields: "lazy", lazy: true }],
  ])("an informer caches %s objects unchanged", async (how, decode) => {
    const types: string[] = [];
    const client = connect(codec, types);
    const plain = connect(json());
    const namespace = `loop-${name}-${how.replace(/ /g, "-")}`;
    const deployments = client.resource(Deployment).namespace(namespace);
    await client
      .resource({ group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" } as const)
      .create({ metadata: { name: namespace } } as never);
    await deployments.create(deployment("a"));
    const informer = createInformer(deployments, { shareStructure: true, ...(decode && { decode }) });
    await informer.synced({ timeoutMs: 10_000 });
    const before = informer.store.get(`${namespace}/a`)!;
    await deployments.create(deployment("b"));
    await deployments.patch("a", { type: "merge", patch: { metadata: { labels: { touched: "yes" } } } });
    await expect
      .poll(
        () =>
          informer.store.get(`${namespace}/a`)?.metadata?.labels?.["touched"] === "yes" && informer.store.size === 2,
        { timeout: 15_000 },
      )
      .toBe(true);
    const after = informer.store.get(`${namespace}/a`)!;
    expect(after.spec).toBe(before.spec);
    for (const item of (await plain.resource(Deployment).namespace(namespace).list()).items) {
      const seen = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        ...informer.store.get(`${namespace}/${item.metadata?.name ?? ""}`),
      };
      const expected = { apiVersion: "apps/v1", kind: "Deployment", ...item };
      if (decode?.managedFields === "drop") delete expected.metadata?.managedFields;
      expect(seen).toEqual(expected);
    }
    await informer.close();
    expect(types.filter((type) => !type.includes(name))).toEqual([]);
    await client.close();
    await plain.close();
  });

  it("created objects are read back unchanged", async () => {
    const client = connect(codec);
    const maps = client.resource(ConfigMap).namespace("default");
    const created = await maps.create({
      metadata: { name: `m-${name}` },
      data: { "a.b": "ü", empty: "" },
      binaryData: { x: "AAEC/w==" },
    });
    expect(created).toMatchObject({ data: { "a.b": "ü", empty: "" }, binaryData: { x: "AAEC/w==" } });
    expect(await maps.get(`m-${name}`)).toEqual(created);
    expect((await maps.update({ ...created, data: {} })).data ?? {}).toEqual({});
    await client.close();
  });
});
