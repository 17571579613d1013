import { describe, expect, it } from "vitest";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import type { Codec } from "../../../src/codec/codec.js";
import { json } from "../../../src/codec/json/json.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import { recordedBytes } from "../../golden/recordings.js";
import { createRandom, randomChunks } from "./random.js";

const codecs: Record<string, Codec> = { json: json(), pb: protobuf(), cbor: cbor() };
const names = Object.keys(codecs);

/** A damaged input must decode to an object or throw this error. */
function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
}

function refused(run: () => unknown): ProtocolError {
  const error = outcome(run);
  expect(error).toBeInstanceOf(ProtocolError);
  return error as ProtocolError;
}

const prototypeKeys = Object.getOwnPropertyNames(Object.prototype).length;

describe.each(names)("malformed input for %s", (name) => {
  const codec = codecs[name]!;
  const good = recordedBytes(`pod.get.${name}.${name}`);
  const list = recordedBytes(`pods.page1.${name}.${name}`);
  const watch = recordedBytes(`pods.watch.${name}.${name}`);

  it("that is truncated throws with the offset", () => {
    // The last four bytes of Protobuf are two empty, optional fields.
    for (let length = 0; length < good.length - 5; length += 1 + (length >> 5)) {
      const error = refused(() => codec.decode(good.slice(0, length)));
      expect(error.offset).toBeLessThanOrEqual(length);
      expect(error.message).toMatch(/^decode .* at byte \d+/);
    }
    for (const length of [0, 1, 3, 10, 100, 1000, Math.min(list.length, watch.length) - 5]) {
      const decoder = codec.createListDecoder();
      refused(() => {
        decoder.push(list.slice(0, length));
        decoder.end();
      });
      if (length === 0) continue;
      const events = codec.createWatchDecoder();
      refused(() => {
        events.push(watch.slice(0, length));
        events.end();
      });
    }
  });

  it("with trailing bytes is rejected", () => {
    const long = Uint8Array.of(...good, 0x7b, 0x01);
    refused(() => codec.decode(long));
  });

  it("with random damage throws or decodes quickly and never changes a prototype", () => {
    const random = createRandom();
    const start = performance.now();
    for (let round = 0; round < 3000; round++) {
      const bytes = good.slice(0, random.below(4) === 0 ? random.below(good.length) : good.length);
      for (let i = 1 + random.below(4); i > 0; i--) bytes[random.below(bytes.length)] = random.below(256);
      const options = random.pick([
        undefined,
        { managedFields: "drop" },
        { lazy: true, managedFields: "lazy" },
      ] as const);
      try {
        const object = outcome(() => codec.decode(bytes, options));
        if (!(object instanceof Error)) outcome(() => JSON.stringify(object));
      } catch (error) {
        throw new Error(`round ${String(round)}`, { cause: error });
      }
    }
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(prototypeKeys);
  });

  it("with random damage in a stream throws or decodes to events", () => {
    const random = createRandom();
    for (let round = 0; round < 150; round++) {
      for (const [bytes, create] of [
        [list, () => codec.createListDecoder()],
        [watch, () => codec.createWatchDecoder()],
      ] as const) {
        const damaged = bytes.slice();
        for (let i = 1 + random.below(3); i > 0; i--) damaged[random.below(damaged.length)] = random.below(256);
        try {
          outcome(() => {
            const decoder = create();
            for (const chunk of randomChunks(random, damaged, 8000)) decoder.push(chunk);
            decoder.end();
          });
        } catch (error) {
          throw new Error(`round ${String(round)}`, { cause: error });
        }
      }
    }
  });

  it("of random bytes is rejected", () => {
    const random = createRandom();
    for (let round = 0; round < 2000; round++) {
      const bytes = Uint8Array.from({ length: random.below(200) }, () => random.below(256));
      const object = outcome(() => codec.decode(bytes));
      if (!(object instanceof Error)) expect(typeof object).toBe("object");
      const decoder = codec.createListDecoder();
      outcome(() => {
        decoder.push(bytes);
        decoder.end();
      });
      const events = codec.createWatchDecoder({ maxFrameBytes: 1000 });
      outcome(() => {
        events.push(bytes);
        events.end();
      });
    }
  });

  it("with an event beyond the length limit is rejected before it is complete", () => {
    const decoder = codec.createWatchDecoder({ maxFrameBytes: 200 });
    expect(refused(() => decoder.push(watch.slice(0, 1000))).message).toMatch(/longer than 200/);
  });
});

const text = new TextEncoder();

describe("malformed JSON", () => {
  it("nested too deeply is rejected", () => {
    for (const depth of [10_001, 1_000_000]) {
      expect(
        refused(() => json().decode(text.encode(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`))).message,
      ).toMatch(/nested too deeply/);
    }
    expect(json().decode(text.encode(`{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`))).toBeDefined();
  });

  it("with two lists of items is rejected", () => {
    const bytes = text.encode('{"kind":"L","items":[{"a":1}],"metadata":{},"items":[]}');
    for (const [options, cut] of [
      [undefined, 20],
      [{ lazy: true }, bytes.length],
    ] as const) {
      const decoder = json().createListDecoder(options);
      decoder.push(bytes.subarray(0, cut));
      decoder.push(bytes.subarray(cut));
      refused(() => decoder.end());
    }
  });

  it("with two lists of items in one small chunk is rejected", () => {
    const decoder = json().createListDecoder();
    decoder.push(text.encode('{"kind":"L","items":[{"a":1}],"metadata":{},"items":[{"b":1}]}'));
    refused(() => decoder.end());
  });

  it("in many small chunks takes linear time", () => {
    const item = `{"metadata":{"name":"a"},"spec":"${"x".repeat(300_000)}"}`;
    const bytes = text.encode(`{"kind":"L","apiVersion":"v1","metadata":{},"items":[${item},${item}]}`);
    const decoder = json().createListDecoder();
    let items = 0;
    for (let p = 0; p < bytes.length; p += 7) items += decoder.push(bytes.slice(p, p + 7)).length;
    expect(items + decoder.end().items.length).toBe(2);
  });
});

describe("malformed Protobuf", () => {
  const decode = (bytes: Uint8Array): object => protobuf().decode(bytes);
  const envelope = (...content: number[]): Uint8Array => Uint8Array.of(0x6b, 0x38, 0x73, 0, ...content);
  const type = [10, 9, 10, 2, 0x76, 0x31, 18, 3, 0x50, 0x6f, 0x64];

  it.each<[string, Uint8Array, RegExp]>([
    ["another magic", Uint8Array.of(0x6b, 0x38, 0x73, 1, 10), /no magic number/],
    ["no kind", envelope(18, 0), /no kind/],
    ["no content", envelope(...type), /no content/],
    [
      "an unknown kind",
      envelope(10, 9, 10, 2, 0x76, 0x31, 18, 3, 0x50, 0x6f, 0x78, 18, 0),
      /no Protobuf table contains v1 Pox/,
    ],
    ["encoded content", envelope(...type, 26, 1, 0x67), /encoded content/],
    ["content of another type", envelope(...type, 34, 1, 0x67), /content of another type/],
    ["a length beyond the end", envelope(...type, 18, 2, 10, 5), /length beyond the end/],
    [
      "a negative length",
      envelope(...type, 18, 11, 10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
      /number too (long|large)/,
    ],
    ["a wrong wire type", envelope(...type, 18, 2, 8, 1), /wire type 0/],
    ["a group", envelope(...type, 18, 2, 0x7b, 0x7c), /wire type 3/],
    ["field number 0", envelope(...type, 18, 2, 2, 0), /field number 0/],
    ["invalid UTF-8", envelope(...type, 18, 5, 10, 3, 10, 1, 0xff), /invalid UTF-8/],
  ])("with %s is rejected", (_what, bytes, message) => {
    expect(refused(() => decode(bytes)).message).toMatch(message);
  });

  it("with infinitely nested schemas is rejected", () => {
    const good = protobuf().encode({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { not: { title: "x" } } } }] },
    });
    expect(decode(good)).toBeDefined();
    const deep = { not: {} };
    let inner: Record<string, unknown> = deep;
    for (let i = 0; i < 600; i++) inner = (inner["not"] = {}) as Record<string, unknown>;
    expect(
      refused(() =>
        protobuf().encode({
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          spec: { versions: [{ schema: { openAPIV3Schema: deep } }] },
        }),
      ).message,
    ).toMatch(/nested too deeply/);
  });

  it("with infinitely nested objects is rejected", () => {
    let raw = protobuf().encode({ apiVersion: "v1", kind: "List", items: [] });
    for (let i = 0; i < 50; i++) {
      const wrapped = protobuf().encode({ apiVersion: "apps/v1", kind: "ControllerRevision", revision: 1 });
      expect(wrapped.length).toBeGreaterThan(0);
      // ControllerRevision.data is field 2, a message that contains the object in field 1.
      const varint = (value: number): number[] =>
        value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
      const extension = [10, ...varint(raw.length), ...raw];
      const content = [18, ...varint(extension.length), ...extension];
      const kind = [...new TextEncoder().encode("ControllerRevision")];
      const version = [...new TextEncoder().encode("apps/v1")];
      const typeMeta = [10, version.length, ...version, 18, kind.length, ...kind];
      raw = envelope(10, typeMeta.length, ...typeMeta, 18, ...varint(content.length), ...content);
    }
    expect(refused(() => decode(raw)).message).toMatch(/nested too deeply/);
  });

  it.each<[object, RegExp]>([
    [{ spec: { replicas: "3" } }, /spec\.replicas: expected a number/],
    [{ spec: { replicas: 2 ** 31 } }, /spec\.replicas: integer out of range/],
    [{ spec: { replicas: 1.5 } }, /spec\.replicas: expected an integer/],
    [{ spec: { newField: 1 } }, /spec: unknown field newField/],
    [{ spec: { template: { spec: { containers: {} } } } }, /spec\.template\.spec\.containers: expected a list/],
    [{ spec: { template: { spec: { containers: [{ name: 1 }] } } } }, /containers\[0\]\.name: expected a text/],
    [{ metadata: { creationTimestamp: "yesterday" } }, /metadata\.creationTimestamp: expected a time/],
  ])("cannot encode %j", (part, message) => {
    expect(refused(() => protobuf().encode({ apiVersion: "apps/v1", kind: "Deployment", ...part })).message).toMatch(
      message,
    );
  });
});

it("Protobuf omits the type of an embedded object, like Go", () => {
  const claim = { metadata: { name: "c" }, spec: { accessModes: ["ReadWriteOnce"] } };
  const set = (each: object): object => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    spec: { volumeClaimTemplates: [each] },
  });
  expect(protobuf().encode(set({ apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim }))).toEqual(
    protobuf().encode(set(claim)),
  );
});

describe("CBOR by Kubernetes' rules", () => {
  const hex = (digits: string): Uint8Array =>
    Uint8Array.from(digits.replace(/ /g, "").match(/../g) ?? [], (pair) => parseInt(pair, 16));

  it.each<[string, string, unknown]>([
    ["byte strings and text", "a2 4161 4178 6162 6179", { a: "x", b: "y" }],
    ["the self-describing tag", "d9d9f7 a1 4161 01", { a: 1 }],
    ["tag 21", "a1 4161 d5 43 fffefd", { a: "__79" }],
    ["tag 22", "a1 4161 d6 43 fffefd", { a: "//79" }],
    ["tag 23", "a1 4161 d7 43 fffefd", { a: "fffefd" }],
    ["tag 22 over a list", "a1 4161 d6 82 41ff 41fe", { a: ["/w==", "/g=="] }],
    ["tag 1", "a1 4161 c1 1a 6955c8c0", { a: "2026-01-01T01:07:12Z" }],
    ["tag 1 with a fraction", "a1 4161 c1 fb 41da557230200000", { a: "2026-01-01T01:07:12.5Z" }],
    ["tag 1 just before a whole second", "a1 4161 c1 fb 3ffffffffff920c8", { a: "1970-01-01T00:00:01.999999999Z" }],
    ["tag 0", "a1 4161 c0 74 323032362d30312d30325430323a33373a35325a", { a: "2026-01-02T02:37:52Z" }],
    ["an unknown tag", "a1 4161 d8 63 01", { a: 1 }],
    ["indefinite lengths", "bf 4161 9f 01 5f 4162 4163 ff ff ff", { a: [1, "bc"] }],
    ["half floats", "a1 4161 f9 3c00", { a: 1 }],
    ["negative integers", "a1 4161 3b 7fffffffffffffff", { a: -(2 ** 63) }],
  ])("decodes %s", (_what, digits, object) => {
    expect(cbor().decode(hex(digits))).toEqual(object);
  });

  it.each<[string, string, RegExp]>([
    ["a duplicate key in two spellings", "a2 4161 01 6161 02", /duplicate key/],
    ["a key that is a number", "a1 01 02", /key that isn't a string/],
    ["NaN", "a1 4161 f9 7e00", /cannot carry/],
    ["infinity", "a1 4161 fa 7f800000", /cannot carry/],
    ["undefined", "a1 4161 f7", /cannot carry/],
    ["a big number", "a1 4161 c2 41 01", /big number/],
    ["an integer beyond int64", "a1 4161 1b 8000000000000000", /out of range/],
    ["tag 0 over bytes", "a1 4161 c0 41 61", /time/],
    ["invalid UTF-8", "a1 4161 61 ff", /UTF-8/],
    ["a list longer than its bytes", "a1 4161 9b 00ffffffffffffff", /beyond the end/],
    ["nested lists that are longer than the bytes together", "a1 4161 84 84 84 00 00 00 00", /list beyond the end/],
    ["a map longer than its bytes", "bb 00ffffffffffffff", /beyond the end/],
    ["a list instead of an object", "81 01", /not an object/],
  ])("rejects %s", (_what, digits, message) => {
    expect(refused(() => cbor().decode(hex(digits))).message).toMatch(message);
  });

  it("rejects deep nesting, also in chunks", () => {
    const deep = Uint8Array.of(0xa1, 0x41, 0x61, ...new Uint8Array(100_000).fill(0x81));
    expect(refused(() => cbor().decode(deep)).message).toMatch(/nested too deeply/);
    const tags = Uint8Array.of(0xa1, 0x41, 0x61, ...new Uint8Array(100_000).fill(0xc6));
    expect(refused(() => cbor().decode(tags)).message).toMatch(/nested too deeply/);
    const decoder = cbor().createWatchDecoder();
    refused(() => [decoder.push(deep.slice(0, 300)), decoder.push(deep.slice(300))]);
  });

  it("does not encode values that JSON cannot represent and names the field", () => {
    expect(refused(() => cbor().encode({ a: [{ b: NaN }] })).message).toMatch(/a\.0\.b: a number/);
    expect(refused(() => cbor().encode({ a: 1n })).message).toMatch(/a: a bigint/);
    const cycle: Record<string, unknown> = {};
    cycle["a"] = cycle;
    expect(refused(() => cbor().encode(cycle)).message).toMatch(/nested too deeply/);
    expect(cbor().decode(cbor().encode({ a: undefined, d: new Date(0), bytes: Uint8Array.of(1, 2) }))).toEqual({
      d: "1970-01-01T00:00:00.000Z",
      bytes: "AQI=",
    });
  });
});

describe("keys that are names of a prototype", () => {
  it.each(names.filter((name) => name !== "pb"))("are data in %s", (name) => {
    const object = JSON.parse('{"__proto__":{"x":1},"constructor":{"y":2},"toString":3}') as object;
    const decoded = codecs[name]!.decode(codecs[name]!.encode(object));
    expect(Object.keys(decoded).sort()).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  });

  it("are data in Protobuf maps", () => {
    const data = JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, string>;
    const decoded = protobuf().decode(protobuf().encode({ apiVersion: "v1", kind: "ConfigMap", data })) as {
      data: object;
    };
    expect(Object.keys(decoded.data).sort()).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(decoded.data)).toBe(Object.prototype);
  });
});
