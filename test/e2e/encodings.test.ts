import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import type { DynamicResource } from "../../src/client/resource/resource.js";
import { cbor } from "../../src/codec/cbor/cbor.js";
import type { Codec } from "../../src/codec/codec.js";
import { json } from "../../src/codec/json/json.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import { createDiscovery } from "../../src/discovery/discovery.js";
import { isInvalid, isNotFound } from "../../src/errors/predicates.js";
import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { ConfigMap, Pod, Secret } from "../../src/kinds/core/v1.js";
import { ClusterRole } from "../../src/kinds/rbac/v1.js";
import type { DecodeOptions } from "../../src/meta/options.js";
import type { Interceptor } from "../../src/transport/transport.js";
import { freshNamespace, missing, realClient } from "./cluster.js";

const encodings: Record<string, Codec> = { json: json(), protobuf: protobuf(), cbor: cbor() };

describe.skipIf(missing !== undefined)("encodings of a real server", () => {
  const clients: Record<string, Client> = {};
  const answers: string[] = [];
  const note: Interceptor = (next) => async (request) => {
    const response = await next(request);
    answers.push(
      `${String(response.status)} ${request.headers["content-type"] ?? ""} → ${response.headers.get("content-type") ?? ""}`,
    );
    return response;
  };
  let namespace: string;

  beforeAll(async () => {
    for (const [name, codec] of Object.entries(encodings))
      clients[name] = await realClient({ codecs: [codec], interceptors: [note] });
    namespace = await freshNamespace(clients["json"]!);
    const deployments = clients["json"]!.resource(Deployment).namespace(namespace);
    await deployments.create({
      metadata: { name: "web", annotations: { note: "ünïcødé 🚀" } },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            containers: [
              {
                name: "c",
                image: "i",
                resources: { limits: { cpu: "1500m", memory: "1Gi" } },
                livenessProbe: { httpGet: { port: "http" } },
              },
            ],
          },
        },
      },
    });
    await clients["json"]!.resource(Secret)
      .namespace(namespace)
      .create({ metadata: { name: "s" }, data: { bin: "AAH+/w==", empty: "" }, stringData: { text: "ä" } });
  });
  afterAll(async () => {
    for (const client of Object.values(clients)) await client.close();
  });

  it("returns the same objects in every encoding for every kind", async () => {
    const catalog = await createDiscovery(clients["json"]!).catalog();
    const resources = catalog.groups
      .flatMap((group) => group.versions.flatMap((version) => version.resources))
      .filter((resource) => resource.verbs.includes("list"));
    expect(resources.length).toBeGreaterThan(60);
    let items = 0;
    for (const kind of resources) {
      // Leases and others change between the lists, so only objects of the same version are compared.
      const seen: Record<string, Map<string, unknown>> = {};
      for (const name of Object.keys(clients)) {
        const { items: objects } = await (clients[name]!.resource(kind) as unknown as DynamicResource).list();
        seen[name] = new Map(
          objects.map((object) => [
            `${object.metadata?.uid ?? object.metadata?.name ?? ""} ${object.metadata?.resourceVersion ?? ""}`,
            object,
          ]),
        );
      }
      for (const [key, object] of seen["json"]!) {
        items++;
        for (const name of ["protobuf", "cbor"])
          if (seen[name]!.has(key)) expect(seen[name]!.get(key), `${name} ${kind.plural}`).toEqual(object);
      }
    }
    expect(items).toBeGreaterThan(100);
  });

  it.each(Object.keys(encodings))(
    "creates, reads, replaces, applies and deletes in %s and receives responses in it",
    async (name) => {
      answers.length = 0;
      const maps = clients[name]!.resource(ConfigMap).namespace(namespace);
      const created = await maps.create({
        metadata: { name: `m-${name}` },
        data: { a: "1", __proto__x: "ü" },
        binaryData: { b: "AAEC/w==" },
      });
      expect(await maps.get(`m-${name}`)).toEqual(created);
      expect((await maps.update({ ...created, data: { a: "2" } })).data).toEqual({ a: "2" });
      expect(
        (
          await maps.apply(
            { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `m-${name}` }, data: { c: "3" } },
            { fieldManager: "e2e" },
          )
        ).data,
      ).toEqual({ a: "2", c: "3" });
      const expected = new RegExp(encodings[name]!.mediaType.replace(/[./]/g, "\\$&"));
      for (const answer of answers) expect(answer.split("→")[1]).toMatch(expected);
      expect(answers.filter((answer) => answer.startsWith(`201 ${encodings[name]!.mediaType} `))).toHaveLength(1);
      if (name === "cbor") expect(answers.at(-1)).toMatch(/apply-patch\+cbor/);
      await maps.delete(`m-${name}`);
      expect(await maps.get(`m-${name}`).catch((error: unknown) => error)).toSatisfy(isNotFound);
      const pods = clients[name]!.resource(Pod).namespace(namespace);
      expect(
        await pods
          .create({ metadata: { name: "Bad Name" }, spec: { containers: [{ name: "c", image: "i" }] } })
          .catch((error: unknown) => error),
      ).toSatisfy(isInvalid);
    },
  );

  const options: (DecodeOptions | undefined)[] = [
    undefined,
    { managedFields: "drop" },
    { managedFields: "lazy", lazy: true },
    { lazy: true, managedFields: "drop", previous: () => undefined },
  ];
  it.each(Object.keys(encodings))("lists and watches in %s, in full and as metadata", async (name) => {
    const deployments = clients[name]!.resource(Deployment).namespace(namespace);
    const plain = await clients["json"]!.resource(Deployment).namespace(namespace).list();
    const without = plain.items.map((item) => ({ ...item, metadata: { ...item.metadata } }));
    for (const item of without) delete item.metadata.managedFields;
    for (const decode of options) {
      const list = await deployments.list({ ...(decode && { decode }) });
      expect(list.items).toEqual(decode?.managedFields === "drop" ? without : plain.items);
      const watch = deployments.watch({ ...(decode && { decode }) });
      try {
        const { value } = (await watch.next()) as { value: { type: string; object: Deployment } };
        expect(value.type).toBe("ADDED");
        expect(value.object).toEqual({
          apiVersion: "apps/v1",
          kind: "Deployment",
          ...(decode?.managedFields === "drop" ? without : plain.items)[0],
        });
      } finally {
        await watch.return();
      }
    }
  });

  it("reuses unchanged parts of previous objects", async () => {
    for (const name of ["json", "protobuf"]) {
      const maps = clients[name]!.resource(Deployment).namespace(namespace);
      let last: object | undefined;
      const watch = maps.watch({ decode: { managedFields: "drop", previous: () => last } });
      try {
        const first = (await watch.next()).value as { object: Deployment };
        last = first.object;
        for (const value of ["x", "y"]) {
          await maps.patch("web", {
            type: "merge",
            patch: { metadata: { annotations: { touched: `${name}-${value}` } } },
          });
          const next = (await watch.next()).value as { object: Deployment };
          expect(next.object.metadata?.annotations?.["touched"]).toBe(`${name}-${value}`);
          expect(next.object.spec).toBe((last as Deployment).spec);
          last = next.object;
        }
      } finally {
        await watch.return();
      }
    }
  });

  it("requests metadata and tables in each encoding and accepts the server's choice", async () => {
    for (const client of Object.values(clients)) {
      const { items } = await client.resource(Deployment).namespace(namespace).metadataOnly().list();
      expect(items[0]).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "web" } });
      expect(items[0]).not.toHaveProperty("spec");
      expect((await client.resource(Deployment).namespace(namespace).asTable().list()).items[0]!.cells[0]).toBe("web");
      const role = await client.resource(ClusterRole).metadataOnly().get("admin");
      expect(role.metadata.name).toBe("admin");
    }
  });

  it("uses JSON for custom resources with Protobuf, and CBOR with CBOR", async () => {
    const group = "encodings.example.com";
    await clients["protobuf"]!.resource(CustomResourceDefinition).create({
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                    default: { a: [1, null, "x"] },
                  },
                  n: { "x-kubernetes-int-or-string": true },
                },
                additionalProperties: undefined,
              },
            },
          },
        ],
      },
    });
    const kind = { group, version: "v1", kind: "Thing", plural: "things", scope: "Namespaced" } as const;
    const things = (name: string): DynamicResource =>
      clients[name]!.resource({ ...kind, custom: true }).namespace(namespace) as unknown as DynamicResource;
    for (let tries = 0; tries < 100; tries++) {
      const served = await things("json")
        .list()
        .then(
          () => true,
          () => false,
        );
      if (served) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    for (const name of Object.keys(clients)) {
      answers.length = 0;
      const created = await things(name).create({
        apiVersion: `${group}/v1`,
        kind: "Thing",
        metadata: { name: `t-${name}` },
        spec: { deep: [{ x: null, y: 1.5 }], text: "ü" },
      } as never);
      expect(created).toMatchObject({ spec: { deep: [{ x: null, y: 1.5 }], text: "ü" } });
      expect(await things(name).get(`t-${name}`)).toEqual(created);
      expect(answers.at(-1)).toContain(name === "cbor" ? "application/cbor" : "application/json");
    }
    expect((await things("cbor").list()).items).toEqual((await things("json").list()).items);
    await clients["json"]!.resource(CustomResourceDefinition).delete(`things.${group}`);
  });

  it("falls back to the next encoding if the server doesn't support the first, and remembers it", async () => {
    answers.length = 0;
    const strange: Codec = { ...protobuf(), mediaType: "application/x-nope", supports: () => true };
    const client = await realClient({ codecs: [strange, cbor(), json()], interceptors: [note] });
    try {
      const roles = client.resource(ClusterRole);
      expect((await roles.get("admin")).metadata?.name).toBe("admin");
      await roles.create({ metadata: { name: "e2e-encodings" }, rules: [] });
      await roles.delete("e2e-encodings");
      expect(
        answers.filter((answer) => answer.startsWith("406") || answer.startsWith("415")).length,
      ).toBeLessThanOrEqual(1);
    } finally {
      await client.close();
    }
  });
});
