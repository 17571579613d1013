import { deepStrictEqual } from "node:assert";
import { describe, expect, it } from "vitest";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import type { Codec } from "../../../src/codec/codec.js";
import { json } from "../../../src/codec/json/json.js";
import { keepBytes, keptAt } from "../../../src/codec/lazy.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import type { DecodeOptions } from "../../../src/meta/options.js";
import { recordedBytes } from "../../golden/recordings.js";

interface Pod {
  metadata: { name: string; labels: Record<string, string>; managedFields?: object[] };
  spec: { containers: { name: string; image: string }[] };
  status: object;
}

const codecs: [string, Codec][] = [
  ["json", json()],
  ["pb", protobuf()],
];
const whole = json().decode(recordedBytes("pod.get.json.json")) as Pod;

describe.each(codecs)("lazily decoded object from %s", (name, codec) => {
  const bytes = recordedBytes(`pod.get.${name}.${name}`);
  const view = (): Pod => codec.decode(bytes.slice(), { lazy: true }) as Pod;

  it("decodes the rest once, on first access", () => {
    const pod = view();
    expect(Object.getOwnPropertyDescriptor(pod, "spec")).toHaveProperty("get");
    expect(Object.getOwnPropertyDescriptor(pod.metadata, "managedFields")).toHaveProperty("get");
    expect(pod.spec).toBe(pod.spec);
    expect(pod.spec).toEqual(whole.spec);
    expect(pod.metadata.managedFields).toEqual(whole.metadata.managedFields);
  });

  it("looks like a plain object", () => {
    expect(Object.keys(view()).sort()).toEqual(Object.keys(whole).sort());
    expect(JSON.parse(JSON.stringify(view()))).toEqual(whole);
    deepStrictEqual({ ...view() }, whole);
    expect(structuredClone(view())).toEqual(whole);
    expect(Object.getPrototypeOf(view())).toBe(Object.prototype);
    expect(new Proxy(view(), {}).spec).toEqual(whole.spec);
    expect((Object.create(view()) as Pod).spec).toEqual(whole.spec);
  });

  it("can be frozen, changed and encoded", () => {
    const frozen = Object.freeze(view());
    expect(frozen.spec).toBe(frozen.spec);
    const changed = view();
    changed.spec = { containers: [] };
    expect(changed.spec.containers).toEqual([]);
    const edited = view();
    edited.spec.containers[0]!.image = "other";
    expect((codec.decode(codec.encode(edited)) as Pod).spec.containers[0]!.image).toBe("other");
  });

  it("does not depend on its source bytes", () => {
    const copy = bytes.slice();
    const pod = codec.decode(copy, { lazy: true }) as Pod;
    copy.fill(0);
    expect(pod).toEqual(whole);
  });

  it("shares equal parts with the previous version, decoded or not", () => {
    let previous: Pod | undefined;
    const options = { lazy: true, managedFields: "drop", previous: () => previous } as const;
    previous = codec.decode(bytes, options) as Pod;
    const next = codec.decode(bytes, options) as Pod;
    expect(next.spec).toBe(previous.spec);
    const spec = previous.spec;
    previous = next;
    expect((codec.decode(bytes, options) as Pod).spec).toBe(spec);
  });

  it("shares equal parts without lazy, and no others", () => {
    let previous = codec.decode(bytes, { managedFields: "drop" }) as Pod;
    const options = {
      managedFields: "drop",
      previous: (namespace: string | undefined, podName: string) =>
        namespace === "wire" && podName === whole.metadata.name ? previous : undefined,
    } as const;
    for (let i = 0; i < 3; i++) {
      const changed = codec.encode({ ...whole, status: { phase: `Phase${String(i)}` } });
      const next = codec.decode(changed, options) as Pod;
      expect(next.spec).toBe(previous.spec);
      expect(next.status).toEqual(expect.objectContaining({ phase: `Phase${String(i)}` }));
      expect(next.status).not.toBe(previous.status);
      previous = next;
    }
  });
});

describe("fields that only a newer server knows", () => {
  /** ConfigMap with field 99 in the metadata and field 98 next to it, both strings. */
  const newer = (identity = {}): Uint8Array => {
    const plain = protobuf().encode({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "m", ...identity },
      data: { a: "1" },
    });
    const inner = [0x92, 0x06, 2, 0x68, 0x69];
    const outer = [0x9a, 0x06, 2, 0x79, 0x6f];
    const rawTag = plain.indexOf(18, 4 + 2 + plain[5]!);
    const raw = [...plain.subarray(rawTag + 2, plain.length - 4)];
    const metadata = [...raw.slice(2, 2 + raw[1]!), ...inner];
    const content = [10, metadata.length, ...metadata, ...raw.slice(2 + raw[1]!), ...outer];
    return Uint8Array.of(...plain.subarray(0, rawTag + 1), content.length, ...content, 26, 0, 34, 0);
  };

  it.each([undefined, { lazy: true }, { previous: () => undefined }])(
    "are sent back in a write with options %j",
    (options) => {
      const map = protobuf().decode(newer(), options) as { metadata: { labels?: object } };
      expect(JSON.stringify(map)).toBe(
        JSON.stringify(
          json().decode(
            json().encode({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "m" }, data: { a: "1" } }),
          ),
        ),
      );
      const written = protobuf().encode({ ...map, metadata: { ...map.metadata, labels: { a: "b" } } });
      const text = Buffer.from(written).toString("latin1");
      expect(text).toContain("\u0092\u0006\u0002hi");
      expect(text).toContain("\u009a\u0006\u0002yo");
    },
  );

  it("block the write if they were lost in a copy or the encoding cannot carry them", () => {
    const map = protobuf().decode(newer()) as { metadata: object };
    expect(() => protobuf().encode({ ...map, metadata: { name: "m" } })).toThrow(/lost in a copy/);
    expect(() => json().encode(map)).toThrow(ProtocolError);
    expect(() => json().encode(map)).toThrow(/fields unknown to this client/);
  });

  it.each<[string, (object: object) => object]>([
    ["structuredClone", (object) => structuredClone(object)],
    ["JSON", (object) => JSON.parse(JSON.stringify(object)) as object],
    [
      "hand",
      ({ metadata, ...rest }: { metadata?: object }) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        data: (rest as { data: object }).data,
        metadata: JSON.parse(JSON.stringify(metadata)) as object,
      }),
    ],
  ])("lost in a copy by %s block the write of that version", (way, copy) => {
    const map = protobuf().decode(newer({ uid: `u-${way}`, resourceVersion: "7" }));
    for (const codec of [protobuf(), json(), cbor()])
      expect(() => codec.encode(copy(map))).toThrow(/fields unknown to this client/);
    const other = protobuf().decode(
      protobuf().encode({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "m", uid: `u-${way}`, resourceVersion: "8" },
      }),
    );
    for (const codec of [protobuf(), json(), cbor()])
      expect(codec.encode(copy({ data: {}, ...other })).length).toBeGreaterThan(0);
  });

  it("are counted once even if the object is read repeatedly", () => {
    const bytes = newer({ uid: "u-twice", resourceVersion: "7" });
    const pooled = { lazy: true, pool: {} };
    for (const options of [undefined, { lazy: true }, pooled, { previous: () => undefined }, pooled, undefined]) {
      const map = protobuf().decode(bytes, options);
      expect(protobuf().encode({ ...map })).toEqual(protobuf().encode(map));
    }
  });
});

describe("bytes kept from a Buffer", () => {
  const encoders: [string, Codec, DecodeOptions][] = [
    ["JSON, lazy", json(), { lazy: true }],
    ["JSON, compared with the version before", json(), { previous: () => undefined }],
    ["Protobuf, lazy", protobuf(), { lazy: true }],
    ["Protobuf, compared with the version before", protobuf(), { previous: () => ({}) }],
  ];
  const sizes = [10, 300, 3000, 9000, 70_000];
  const cases = encoders.flatMap(([name, codec, options]) =>
    sizes.map((size) => [name, size, codec, options] as const),
  );

  it.each(cases)("do not change with the Buffer: %s, %d characters", (_name, size, codec, options) => {
    const item = {
      metadata: {
        name: "a",
        managedFields: [{ manager: "m", fieldsType: "FieldsV1", fieldsV1: { [`f:${"y".repeat(size)}`]: {} } }],
      },
      data: { a: "x".repeat(size) },
    };
    const object = { apiVersion: "v1", kind: "ConfigMap", ...item };
    const buffer = Buffer.from(codec.encode(object));
    const lazy = codec.decode(buffer, options);
    const list = codec.createListDecoder(options);
    const body = Buffer.from(codec.encode({ apiVersion: "v1", kind: "ConfigMapList", metadata: {}, items: [item] }));
    const items = [...list.push(body), ...list.end().items];
    buffer.fill(0x7a);
    body.fill(0x7a);
    expect(lazy).toEqual(object);
    expect(items).toEqual([item]);
  });

  it.each(sizes)("keep at most 2 KiB of other objects alive: %d bytes", (size) => {
    const kept = keepBytes(Buffer.alloc(100_000, 1), 5, 5 + size);
    expect(kept.subarray(keptAt, keptAt + size)).toEqual(new Uint8Array(size).fill(1));
    expect(kept.buffer.byteLength).toBeLessThanOrEqual(Math.max(2048, size));
  });

  it("do not influence how their owner is decoded later", () => {
    const buffer = Buffer.alloc(200);
    for (const kind of ["Secret", "Status"]) {
      const bytes = protobuf().encode({ apiVersion: "v1", kind, metadata: {} });
      buffer.set(bytes);
      expect(protobuf().decode(buffer.subarray(0, bytes.length))).toMatchObject({ kind });
    }
  });
});
