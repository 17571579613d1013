import { describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { cbor } from "../../../../src/codec/cbor/cbor.js";
import { json } from "../../../../src/codec/json/json.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { addUnknownFieldCount, addUnknownFields, unknownFieldCount } from "../../../../src/codec/unknown-fields.js";
import { createDiscovery } from "../../../../src/discovery/discovery.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import { createOrUpdate } from "../../../../src/objects/create-or-update.js";
import { type Answer, scripted } from "../scripted-transport.js";

const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } } as const;
const pb = "application/vnd.kubernetes.protobuf";
const as = (codec: ReturnType<typeof json>, value: object = map): Answer => ({
  headers: { "content-type": codec.mediaType },
  body: [codec.encode(value)],
});
const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
const refuse = (code: number, reason: string): Answer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", code, reason },
});
const widgets: Kind<unknown, "Namespaced"> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  custom: true,
};
const setup = (...answers: Answer[]) => {
  const transport = scripted(...answers);
  const client = createClient({ transport, codecs: [protobuf(), cbor()] });
  return {
    transport,
    client,
    maps: client.resource(ConfigMap).namespace("x"),
    sent: () => transport.requests.map((r) => [r.headers["accept"], r.headers["content-type"]]),
  };
};
const all = `${pb},application/cbor;q=0.9,application/json;q=0.8`;
const noPb = "application/cbor,application/json;q=0.9";

describe("encodings", () => {
  it("are requested in order of preference, and the response's content type selects the codec", async () => {
    const { maps, sent } = setup(as(json()), as(cbor()), as(protobuf()));
    for (let i = 0; i < 3; i++) expect(await maps.get("a")).toMatchObject(map);
    expect(sent()[0]).toEqual([all, undefined]);
  });

  it("exclude Protobuf for custom resources", async () => {
    const { client, maps, sent } = setup(as(protobuf()), as(cbor(), widget));
    await maps.create(map);
    await client
      .resource(widgets)
      .namespace("x")
      .create({ metadata: { name: "w" } });
    expect(sent()).toEqual([
      [all, pb],
      [noPb, "application/cbor"],
    ]);
  });

  it("are JSON only for subresources of another kind", async () => {
    const { client, sent } = setup({ body: {} });
    await client
      .resource({ ...ConfigMap } as Kind<unknown, "Namespaced", { scale: object }>)
      .namespace("x")
      .subresource("scale")
      .update({ metadata: { name: "a" } } as never);
    expect(sent()).toEqual([["application/json", "application/json"]]);
  });

  it("rejected with 415 are dropped for the kind, and the call is retried", async () => {
    const { maps, sent, client } = setup(
      refuse(415, "UnsupportedMediaType"),
      refuse(415, "UnsupportedMediaType"),
      as(json()),
      as(json()),
      as(cbor(), widget),
    );
    expect(await maps.create(map)).toMatchObject(map);
    await maps.update(map);
    await client
      .resource(widgets)
      .namespace("x")
      .create({ metadata: { name: "w" } });
    expect(sent()).toEqual([
      [all, pb],
      [noPb, "application/cbor"],
      ["application/json", "application/json"],
      ["application/json", "application/json"],
      [noPb, "application/cbor"],
    ]);
  });

  it("rejected with 406 are dropped for list, listChunks and watch", async () => {
    for (const act of ["list", "listChunks", "watch"] as const) {
      const answer: Answer =
        act === "watch"
          ? { body: `${JSON.stringify({ type: "ADDED", object: map })}\n` }
          : { body: { kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items: [map] } };
      const { maps, sent } = setup(refuse(406, "NotAcceptable"), answer);
      if (act === "list") expect((await maps.list()).items).toHaveLength(1);
      else {
        const iterator = act === "listChunks" ? maps.listChunks() : maps.watch();
        expect((await iterator.next()).done).toBe(false);
        await iterator.return!();
      }
      expect(sent()).toEqual([
        [all, undefined],
        [noPb, undefined],
      ]);
    }
  });

  it("don't hide a 415 for the patch type", async () => {
    const { maps, transport } = setup(refuse(415, "UnsupportedMediaType"));
    await expect(maps.patch("a", { type: "strategic", patch: {} })).rejects.toMatchObject({ code: 415 });
    expect(transport.requests).toHaveLength(1);
  });

  it("send an apply as CBOR if CBOR is preferred, otherwise as JSON", async () => {
    const transport = scripted(as(cbor()), refuse(415, "UnsupportedMediaType"), as(json()));
    const maps = createClient({ transport, codecs: [cbor()] })
      .resource(ConfigMap)
      .namespace("x");
    for (let i = 0; i < 2; i++) await maps.apply({ ...map }, { fieldManager: "m" });
    expect(transport.requests.map((r) => r.headers["content-type"])).toEqual([
      "application/apply-patch+cbor",
      "application/apply-patch+cbor",
      "application/apply-patch+yaml",
    ]);
    expect(JSON.parse(new TextDecoder().decode(transport.requests[2]!.body))).toEqual(map);
    const { maps: other, sent } = setup(as(protobuf()));
    await other.apply({ ...map }, { fieldManager: "m" });
    expect(sent()[0]![1]).toBe("application/apply-patch+yaml");
  });

  it("reject a write that would drop a newer server's fields", async () => {
    const { maps, transport } = setup(refuse(415, "UnsupportedMediaType"));
    const newer: ConfigMap = structuredClone(map);
    addUnknownFields(newer, new Uint8Array([0x7a, 0x01, 0x61]));
    addUnknownFieldCount(newer, 1);
    await expect(maps.update(newer)).rejects.toThrow("fields that this version doesn't know");
    expect(transport.requests).toHaveLength(1);
  });

  it("fall back to JSON for fields that Protobuf can't encode", async () => {
    const { maps, transport } = setup(as(protobuf()));
    await maps.create({ ...map, brandNew: { a: 1 } } as never);
    expect(transport.requests[0]!.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(new TextDecoder().decode(transport.requests[0]!.body))).toMatchObject({ brandNew: { a: 1 } });
  });

  it("decode an error Status in every encoding", async () => {
    for (const codec of [protobuf(), cbor(), json()]) {
      const { maps } = setup({
        ...as(codec, {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          code: 404,
          reason: "NotFound",
          message: "no",
        }),
        status: 404,
      });
      await expect(maps.get("a")).rejects.toThrow('get configmaps "a" in "x": 404 NotFound: no');
    }
  });

  it("are JSON only for discovery and tables", async () => {
    const groups: Answer = { body: { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items: [] } };
    const { client, sent } = setup(groups, groups, {
      body: { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {}, columnDefinitions: [], rows: [] },
    });
    await createDiscovery(client).catalog();
    await client.resource(ConfigMap).namespace("x").asTable().list();
    expect(sent()).toHaveLength(3);
    for (const [accept] of sent()) expect(accept).not.toMatch(/cbor|protobuf/);
  });

  it("support metadataOnly, and reduce whole objects that a server sends instead", async () => {
    const partial = {
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata: { name: "a", resourceVersion: "4" },
    };
    const item = { metadata: partial.metadata };
    for (const codec of [protobuf(), cbor(), json()]) {
      const { maps, sent } = setup(
        as(codec, {
          apiVersion: "meta.k8s.io/v1",
          kind: "PartialObjectMetadataList",
          metadata: { resourceVersion: "9" },
          items: [codec.mediaType === pb ? item : partial],
        }),
        as(codec, {
          apiVersion: "v1",
          kind: "ConfigMapList",
          metadata: { resourceVersion: "9" },
          items: [{ ...item, data: { k: "v" } }],
        }),
        as(codec, partial),
      );
      const view = maps.metadataOnly();
      for (let i = 0; i < 2; i++) expect((await view.list()).items).toEqual([partial]);
      expect(await view.delete("a")).toMatchObject(partial);
      expect(sent()[0]![0]).toMatch(
        /^application\/vnd\.kubernetes\.protobuf;as=PartialObjectMetadataList;v=v1;g=meta\.k8s\.io,application\/cbor;as=PartialObjectMetadataList;v=v1;g=meta\.k8s\.io;q=0\.9,/,
      );
    }
  });

  it("keep unknown Protobuf fields through createOrUpdate", async () => {
    const newer: ConfigMap = structuredClone(map);
    addUnknownFields(newer, new Uint8Array([0x7a, 0x01, 0x61])); // Field 15 of the outermost message.
    addUnknownFieldCount(newer, 1);
    const { maps, transport } = setup(as(protobuf(), newer), as(protobuf()));
    await createOrUpdate(maps, "a", (o) => {
      o.data = { k: "w" };
    });
    const written = protobuf().decode(transport.requests[1]!.body!) as object;
    expect(written).toMatchObject({ data: { k: "w" } });
    expect(unknownFieldCount(written)).toBe(1);
  });
});
