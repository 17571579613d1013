import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { protobufFromJson } from "../../../../src/apiserver/wire/json-to-protobuf.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { createRandom } from "../../codec/random.js";

const codec = protobuf();
const random = createRandom();

interface TypedObject {
  kind: string;
  apiVersion: string;
}

/** Random objects of all kinds, written by Go. */
const goObjects = gunzipSync(readFileSync(new URL("../../../golden/go-objects.jsonl.gz", import.meta.url)))
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse((JSON.parse(line) as { json: string }).json) as TypedObject)
  .filter(({ kind }) => !kind.endsWith("List"));

/** Returns a copy whose keys have another order. */
function shuffled<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled) as T;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, shuffled(item as unknown), random.below(1e9)] as const,
  );
  return Object.fromEntries(entries.sort((a, b) => a[2] - b[2])) as T;
}

function encodeText({ kind, apiVersion, ...rest }: TypedObject): Uint8Array | undefined {
  return protobufFromJson(JSON.stringify(rest), { kind, apiVersion });
}

it("JSON texts of all kinds become the bytes of the Protobuf encoder, in any order of keys", () => {
  const others = new Set<string>();
  for (const object of goObjects.map((each, at) => (at % 2 === 0 ? each : shuffled(each)))) {
    const bytes = encodeText(object);
    if (bytes === undefined) others.add(object.kind);
    else if (Buffer.compare(bytes, codec.encode(object)) !== 0)
      expect.soft(bytes, JSON.stringify(object)).toEqual(codec.encode(object));
  }
  expect([...others]).toEqual([]);
});

/** Returns an object whose parts, down to the third level, come from one of two objects. */
function mixed(a: unknown, b: unknown, depth = 3): unknown {
  const isPlain = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (depth === 0 || !isPlain(a) || !isPlain(b)) return random.below(2) === 0 ? a : b;
  return Object.fromEntries(
    Object.entries({ ...a, ...b }).map(([key]) => {
      const [one, other] = [a, b].map((each) => (each as Record<string, unknown>)[key]);
      return [key, mixed(one, other, one === undefined || other === undefined ? 0 : depth - 1)];
    }),
  );
}

it("objects that have parts in common become the bytes of the Protobuf encoder", () => {
  const pairs = new Map<string, TypedObject[]>();
  for (const object of goObjects) {
    const key = `${object.apiVersion} ${object.kind}`;
    pairs.set(key, [...(pairs.get(key) ?? []).slice(-1), object]);
  }
  for (const pair of pairs.values())
    for (let i = 0; i < 6; i++) {
      const object = mixed(pair[0], pair.at(-1)) as TypedObject;
      const bytes = encodeText(object);
      if (bytes === undefined || Buffer.compare(bytes, codec.encode(object)) !== 0)
        expect.soft(bytes, JSON.stringify(object)).toEqual(codec.encode(object));
    }
});

const pod = {
  metadata: { name: 'é " \\ \u2028 \ud800', labels: { b: "1", a: "", 10: "x", 9: "y" }, annotations: {} },
  spec: { containers: [{ name: "a", command: [], ports: [] }, null], nodeSelector: null },
  status: { conditions: [{ lastTransitionTime: null }, {}] },
};
const type = { apiVersion: "v1", kind: "Pod" };

it("strings with escapes, nulls and empty values become the bytes of the Protobuf encoder", () => {
  expect(protobufFromJson(JSON.stringify(pod), type)).toEqual(codec.encode({ ...type, ...pod }));
});

it.each(["[]", "null", '""', "1", "{", "{}}", '{"metadata":{}} ', '{ "metadata":{}}', '{"metadata":{"name":1}}'])(
  "%s isn't encoded as a pod",
  (text) => {
    expect(protobufFromJson(text, type)).toBeUndefined();
  },
);

it.each([
  { metadata: { unknown: 1 } },
  { metadata: { labels: { a: null } } },
  { metadata: { labels: [] } },
  { metadata: { finalizers: "a" } },
  { metadata: { creationTimestamp: "yesterday" } },
  { metadata: [] },
  { spec: { hostNetwork: 1 } },
])("%j isn't encoded as a pod", (object) => {
  expect(protobufFromJson(JSON.stringify(object), type)).toBeUndefined();
});

it("a text that ends early isn't encoded", () => {
  const text = JSON.stringify(pod);
  for (let length = 0; length < text.length; length++)
    expect(protobufFromJson(text.slice(0, length), type), text.slice(0, length)).toBeUndefined();
});

it("a failed encoding doesn't affect the next one", () => {
  const name = { metadata: { name: "a" } };
  expect(protobufFromJson('{"metadata":{"name":"b","labels":{"c":"d"},"unknown":1}}', type)).toBeUndefined();
  expect(protobufFromJson('{"spec":{"containers":[{"name":"c"}],"hostNetwork":1}}', type)).toBeUndefined();
  expect(protobufFromJson(JSON.stringify(name), type)).toEqual(codec.encode({ ...type, ...name }));
});
