import { inspect, isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { json } from "../../../src/codec/json/json.js";
import { sharedJson } from "../../../src/codec/json/shared-json.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import { podsPerWorkload, workloadCertificate, workloadPod } from "../../bench/workload-pods.mjs";
import { createRandom, randomChunks } from "./random.js";

interface Certificate {
  metadata: { name: string; namespace: string; labels: object; ownerReferences: object[]; managedFields?: object[] };
  spec: { dnsNames: string[] };
  status: object;
}

const codec = sharedJson();
const encoder = new TextEncoder();
const bytesOf = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
const decode = (value: unknown, pool: object): Certificate =>
  codec.decode(bytesOf(value), { lazy: true, pool }) as Certificate;

describe("JSON objects decoded with a pool", () => {
  it("look like plain objects, in any order of reading", () => {
    const pool = {};
    const random = createRandom();
    const sources = Array.from({ length: 200 }, (_, i) =>
      i % 3 === 0 ? workloadPod(random.below(300)) : workloadCertificate(random.below(300)),
    );
    const decoded = sources.map((source) => decode(source, pool));
    for (const [i, plain] of sources.entries()) {
      const object = decoded[i]!;
      if (random.below(2) === 0) void decoded[random.below(decoded.length)]!.status;
      expect(JSON.stringify(object)).toBe(JSON.stringify(plain));
      expect(JSON.stringify({ ...object })).toBe(JSON.stringify(plain));
      expect(structuredClone(object)).toStrictEqual(plain);
      expect(isDeepStrictEqual(object, plain)).toBe(true);
      expect(inspect(object, { depth: 9 })).toBe(inspect(plain, { depth: 9 }));
      expect("spec" in object && !("data" in object)).toBe(true);
    }
  });

  it("are the same from a list and from a watch, in any chunks", () => {
    const random = createRandom();
    const items = Array.from({ length: 300 }, (_, i) => workloadCertificate(i * 7));
    const options = { lazy: true, pool: {} };
    const list = codec.createListDecoder(options);
    const watch = codec.createWatchDecoder(options);
    const body = bytesOf({ kind: "CertificateList", apiVersion: "v1", metadata: {}, items });
    const events = encoder.encode(items.map((object) => `${JSON.stringify({ type: "ADDED", object })}\n`).join(""));
    const listed = [...randomChunks(random, body, 9_000)].flatMap((chunk) => list.push(chunk));
    listed.push(...list.end().items);
    const watched = [...randomChunks(random, events, 9_000)].flatMap((chunk) => watch.push(chunk));
    expect(JSON.stringify(listed)).toBe(JSON.stringify(items));
    expect(JSON.stringify(watched.map(({ object }) => object))).toBe(JSON.stringify(items));
  });

  it("share equal metadata and freeze what they share", () => {
    const pool = {};
    const [first, second] = [decode(workloadCertificate(1), pool), decode(workloadCertificate(2), pool)];
    const other = decode(workloadCertificate(podsPerWorkload), pool);
    const again = decode(workloadCertificate(3), pool);
    for (const key of ["labels", "ownerReferences"] as const) {
      expect(second.metadata[key]).toBe(first.metadata[key]);
      expect(again.metadata[key]).toBe(first.metadata[key]);
      expect(other.metadata[key]).not.toBe(first.metadata[key]);
    }
    expect(Object.isFrozen(first.metadata.ownerReferences[0])).toBe(true);
    expect(Object.isFrozen(second.spec.dnsNames)).toBe(true);
    expect(second.spec).toBe(second.spec);
    expect(decode(workloadCertificate(1), {}).metadata.labels).not.toBe(first.metadata.labels);
  });

  it.each([
    ["a member named managedFields", { managedFields: [1], spec: { a: 1 } }],
    ["labels in another order", { metadata: { labels: { b: "2", a: "1" } }, spec: {} }],
    ["labels that aren't strings", { metadata: { labels: { a: { b: { c: ["d"] } } } }, spec: {} }],
    ["numbers in owner references", { metadata: { ownerReferences: [{ uid: 7, n: 1e21 }, null] }, spec: {} }],
    ["labels that are a list", { metadata: { labels: ["1", "2"], ownerReferences: "none" }, spec: {} }],
    [
      "managed fields between other members",
      { metadata: { labels: {}, managedFields: [{ manager: "m" }], name: "x" } },
    ],
    ["no deferred members", { metadata: { name: "x", managedFields: [{ manager: "m" }] } }],
    ["only scalar members", { metadata: { name: "x", managedFields: [{ manager: "m" }] }, spec: 1, status: null }],
    ["text in other scripts", { metadata: { labels: { a: "ü€😀" } }, spec: { text: 'ü€😀"\\\n' } }],
  ])("decode to equal values with %s", (_, changes: object) => {
    const pool = {};
    for (const source of [workloadCertificate(1), { ...workloadCertificate(2), ...changes }, workloadCertificate(3)]) {
      const text = JSON.stringify(source);
      for (const written of [text, text.replace('"a":"1"', '"__proto__":"1"'), text.replace("1e21", "-0")]) {
        const bytes = encoder.encode(written);
        const object = codec.decode(bytes, { lazy: true, pool });
        expect(object).toStrictEqual(json().decode(bytes));
        expect(JSON.stringify(object)).toEqual(JSON.stringify(JSON.parse(written)));
      }
    }
  });

  it("don't confuse labels of equal JSON, such as null and a number that is too large", () => {
    const pool = {};
    const labeled = (label: string): Certificate =>
      codec.decode(encoder.encode(`{"metadata":{"labels":{"a":${label}}},"spec":{}}`), { lazy: true, pool }) as never;
    for (const label of ["null", "1e999", "0", "-0", "null", '"1"', "1"])
      expect(labeled(label).metadata.labels).toStrictEqual({ a: JSON.parse(label) as unknown });
  });

  it("report malformed bytes of a part when it's read, each time", () => {
    const pool = {};
    decode(workloadCertificate(1), pool);
    const text = JSON.stringify(workloadCertificate(2)).replace('"dnsNames":[', '"dnsNames":[,');
    const object = codec.decode(encoder.encode(text), { lazy: true, pool }) as Certificate;
    expect(object.metadata.name).toContain("shop-api-00000-");
    for (let i = 0; i < 2; i++) expect(() => object.spec).toThrow(ProtocolError);
    expect(object.status).toStrictEqual((workloadCertificate(2) as Certificate).status);
  });

  it("are decoded as a whole without lazy, and with the previous version", () => {
    const bytes = bytesOf(workloadCertificate(1));
    const whole = codec.decode(bytes, { pool: {} }) as Certificate;
    expect(Object.getOwnPropertyDescriptor(whole, "spec")).toHaveProperty("value");
    const previous = codec.decode(bytes, { lazy: true, pool: {}, previous: () => undefined }) as Certificate;
    const next = codec.decode(bytes, { lazy: true, pool: {}, previous: () => previous }) as Certificate;
    expect(next.spec).toBe(previous.spec);
  });
});
