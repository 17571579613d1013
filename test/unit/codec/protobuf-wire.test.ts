import { describe, expect, it } from "vitest";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { protobufFor } from "../../../src/codec/protobuf/protobuf-for.js";
import { addUnknownFields, unknownFieldsOf } from "../../../src/codec/unknown-fields.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import type { ProtobufSchema } from "../../../src/gen/protobuf-schema.js";

describe("Protobuf message that is split", () => {
  const pod = (part: object): Uint8Array => protobuf().encode({ apiVersion: "v1", kind: "Pod", ...part });
  const contentStart = 4 + 2 + 9 + 1;
  /** Protobuf merges consecutive messages of the same field. */
  const join = (...all: Uint8Array[]): Uint8Array => {
    const content = all.flatMap((bytes) => [...bytes.subarray(contentStart + lengthOfLength(bytes), bytes.length - 4)]);
    return Uint8Array.of(
      ...all[0]!.subarray(0, contentStart),
      (content.length & 127) | 128,
      content.length >>> 7,
      ...content,
    );
  };
  const lengthOfLength = (bytes: Uint8Array): number => (bytes[contentStart]! > 127 ? 2 : 1);

  it.each([undefined, { lazy: true }, { previous: () => undefined }])("is merged with options %j", (options) => {
    const bytes = join(
      pod({
        metadata: { name: "a", labels: { x: "1" } },
        spec: { containers: [{ name: "c1" }], nodeSelector: { a: "1" }, securityContext: { runAsUser: 1 } },
      }),
      pod({
        metadata: { namespace: "n", labels: { y: "2" } },
        spec: {
          containers: [{ name: "c2" }],
          nodeSelector: { b: "2" },
          securityContext: { fsGroup: 2 },
          nodeName: "node",
        },
      }),
    );
    const joined = JSON.parse(JSON.stringify(protobuf().decode(bytes, options))) as object;
    expect(joined).toMatchObject({
      metadata: { name: "a", namespace: "n", labels: { x: "1", y: "2" } },
      spec: {
        containers: [{ name: "c1" }, { name: "c2" }],
        nodeSelector: { a: "1", b: "2" },
        securityContext: { runAsUser: 1, fsGroup: 2 },
        nodeName: "node",
      },
    });
  });
});

describe("Protobuf message whose fields take turns", () => {
  const field = (number: number, content: number[]): number[] => [
    ...(number > 15 ? [((number << 3) & 127) | 130, number >> 4] : [(number << 3) | 2]),
    content.length,
    ...content,
  ];
  const volume = (name: string): number[] => field(1, field(1, [...Buffer.from(name)]));
  const container = (name: string): number[] => field(2, field(1, [...Buffer.from(name)]));
  const turns = [
    ...volume("a"),
    ...field(100, [1]),
    ...container("b"),
    ...field(101, []),
    ...field(102, []),
    ...volume("c"),
    ...container("d"),
    ...field(100, [2]),
  ];
  const pod = (spec: number[]): Uint8Array =>
    Uint8Array.of(
      ...Buffer.from("k8s\0"),
      ...field(1, [...field(1, [...Buffer.from("v1")]), ...field(2, [...Buffer.from("Pod")])]),
      ...field(2, field(2, spec)),
    );

  it.each([undefined, { lazy: true }])("keeps all values in order, with options %j", (options) => {
    const { spec } = protobuf().decode(pod(turns), options) as { spec: object };
    expect(spec).toMatchObject({ volumes: [{ name: "a" }, { name: "c" }], containers: [{ name: "b" }, { name: "d" }] });
    expect(unknownFieldsOf(spec)).toEqual(
      Uint8Array.from([...field(100, [1]), ...field(101, []), ...field(102, []), ...field(100, [2])]),
    );
  });

  it("keeps unknown fields of a copy apart from those of its source", () => {
    const source = {};
    for (const byte of [1, 2]) addUnknownFields(source, Uint8Array.of(byte));
    const copy = { ...source };
    addUnknownFields(source, Uint8Array.of(3));
    addUnknownFields(copy, Uint8Array.of(4));
    expect([unknownFieldsOf(source), unknownFieldsOf(copy)]).toEqual([Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4)]);
  });
});

describe("Protobuf message that lacks fields JSON includes", () => {
  // Each inner message has three fields that JSON includes, or an optional one between two of them.
  const codec = protobufFor([
    {
      name: "example",
      kinds: { "example.com/v1": "Thing" },
      imports: [],
      messages:
        "Thing|1m*?:all=All;2m*?:some=Some;3m*?:outer=Outer\nAll|3s:a;1s:b;2s:c\nSome|1s:a;2s?:b;3s:c\nOuter|1m:all=All",
    },
  ]);
  const decode = (...content: number[]): string => {
    const typeMeta = [10, 14, ...Buffer.from("example.com/v1"), 18, 5, ...Buffer.from("Thing")];
    const head = [...Buffer.from("k8s\0"), 10, typeMeta.length, ...typeMeta];
    return JSON.stringify(codec.decode(Uint8Array.of(...head, 18, content.length, ...content)));
  };

  it.each([
    ["all of them", [10, 0], '"all":{"a":"","b":"","c":""}'],
    ["the first and the second of the wire", [10, 3, 26, 1, 120], '"all":{"a":"x","b":"","c":""}'],
    ["all but an optional one", [18, 3, 18, 1, 120], '"some":{"a":"","b":"x","c":""}'],
    ["a whole message with fields", [26, 0], '"outer":{"all":{"a":"","b":"","c":""}}'],
  ])("has them in JSON's order if the bytes lack %s", (_, content, json) => {
    expect(decode(...content)).toBe(`{"kind":"Thing","apiVersion":"example.com/v1",${json}}`);
  });
});

describe("Protobuf duration", () => {
  const schema: ProtobufSchema = {
    name: "example",
    kinds: { "example.com/v1": "Timer" },
    imports: [],
    messages: "Timer|1D:every;2D*?:limit",
  };
  const codec = protobufFor([schema]);
  const timer = (part: object): object => ({ kind: "Timer", apiVersion: "example.com/v1", ...part });

  // Results of Go's String() for the nanoseconds.
  it.each([
    ["0s", 0n],
    ["1ns", 1n],
    ["-1ns", -1n],
    ["1.5µs", 1500n],
    ["300ms", 300_000_000n],
    ["1s", 1_000_000_000n],
    ["-1.5s", -1_500_000_000n],
    ["1m0s", 60_000_000_000n],
    ["1h30m0.5s", 5_400_500_000_000n],
    ["100h0m0s", 360_000_000_000_000n],
    ["2562047h47m16.854775807s", 2n ** 63n - 1n],
    ["-2562047h47m16.854775808s", -(2n ** 63n)],
    ["2501h59m59.254740993s", 9_007_199_254_740_993n],
  ])("%s encodes and decodes", (text, nanoseconds) => {
    const bytes = codec.encode(timer({ every: text, limit: text }));
    expect(Buffer.from(bytes).includes(Buffer.of(8, ...varint(nanoseconds)))).toBe(true);
    expect(codec.decode(bytes)).toEqual(timer({ every: text, limit: text }));
  });

  it.each([
    ["90m", "1h30m0s"],
    ["1.5h", "1h30m0s"],
    ["+1us", "1µs"],
    ["0", "0s"],
    ["-0", "0s"],
    ["1h1ms", "1h0m0.001s"],
  ])("%s decodes to %s", (written, read) => {
    expect(codec.decode(codec.encode(timer({ every: written })))).toEqual(timer({ every: read }));
  });

  it("is zero in JSON unless it is a pointer", () => {
    expect(codec.decode(codec.encode(timer({})))).toEqual(timer({ every: "0s" }));
  });

  it.each(["", "1", "h", "1x", "1h-1m", "2562047h47m16.854775808s", "1e3s"])("%j is rejected", (text) => {
    expect(() => codec.encode(timer({ every: text }))).toThrow(ProtocolError);
    expect(() => codec.encode(timer({ every: text }))).toThrow(/every: expected a duration/);
  });

  function varint(value: bigint): number[] {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    return [...bytes, Number(rest)];
  }
});

describe("Protobuf encoder", () => {
  const map = (data: object): object => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "m" }, data });

  it("returns bytes that later calls and errors do not change", () => {
    const first = protobuf().encode(map({ a: "1".repeat(5000) }));
    const copy = first.slice();
    expect(() => protobuf().encode(map({ a: "x", b: 1 }))).toThrow(/data\.b: expected a text/);
    expect(protobuf().decode(protobuf().encode(map({ a: "2" })))).toMatchObject(map({ a: "2" }));
    expect(first).toEqual(copy);
  });

  it("encodes all of an object or nothing", () => {
    const inherited = Object.assign(Object.create({ name: "m" }) as object, { other: 1 });
    expect(() => protobuf().encode({ kind: "ConfigMap", apiVersion: "v1", metadata: inherited })).toThrow(
      /metadata: unknown field other/,
    );
  });

  it("allows a nested call from toJSON", () => {
    const revision = (data: object): object => ({
      kind: "ControllerRevision",
      apiVersion: "apps/v1",
      metadata: { name: "r" },
      data,
      revision: 1,
    });
    const busy = { toJSON: () => ({ length: protobuf().encode(map({ a: "b" })).length }) };
    expect(protobuf().encode(revision(busy))).toEqual(protobuf().encode(revision(busy.toJSON())));
  });
});
