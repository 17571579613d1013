import { deepStrictEqual } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";

/** Object as Go's encoders write it. */
interface GoObject {
  kind: string;
  seed: number;
  json: string;
  protobuf: string;
  again: string;
}

/** Output of `test/foreign/go-objects -seed 1 -count 2`. An environment variable selects another file. */
const file = process.env["KUBESTREAM_GO_OBJECTS"] ?? new URL("../../golden/go-objects.jsonl.gz", import.meta.url);
const content = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
const lines = (content[0] === 0x1f ? gunzipSync(content) : content).toString("utf8").trim().split("\n");
const byVersion = new Map<string, GoObject[]>();
for (const line of lines) {
  const object = JSON.parse(line) as GoObject;
  const version = object.kind.split(" ")[0]!;
  byVersion.set(version, [...(byVersion.get(version) ?? []), object]);
}

/** Adds what a server's JSON has and the bare serializer lacks: empty lists of items, and types in metadata lists. */
function asServed(kind: string, object: { items?: object[] | null }): object {
  if (object.items === null) object.items = [];
  if (kind.endsWith(" PartialObjectMetadataList"))
    object.items = object.items?.map((item) => ({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      ...item,
    }));
  return object;
}

const pb = protobuf();

describe("random objects of the Go types", () => {
  it("cover all kinds", () => {
    expect(new Set([...byVersion.values()].flat().map(({ kind }) => kind)).size).toBeGreaterThan(330);
  });

  it.each([...byVersion])("of %s decode and encode like in Go", (_version, objects) => {
    for (const { kind, seed, json, protobuf: bytes, again } of objects) {
      const message = `${kind}, seed ${String(seed)}`;
      const wanted = asServed(kind, JSON.parse(json) as { items?: object[] });
      const decoded = pb.decode(Buffer.from(bytes, "base64"));
      equal(decoded, wanted, message);
      equal(
        copy(pb.decode(Buffer.from(bytes, "base64"), { lazy: true, managedFields: "lazy" })),
        wanted,
        `${message}, lazily`,
      );
      expect(
        Buffer.compare(pb.encode(JSON.parse(json) as object), Buffer.from(again, "base64")),
        `${message}, bytes`,
      ).toBe(0);
      equal(cbor().decode(cbor().encode(wanted)), wanted, `${message}, CBOR`);
    }
  });
});

/** Copies a lazy object with all parts decoded. */
function copy(object: object): object {
  return JSON.parse(JSON.stringify(object)) as object;
}

function equal(actual: object, wanted: object, message: string): void {
  try {
    deepStrictEqual(actual, wanted);
  } catch (cause) {
    throw new Error(message, { cause });
  }
}
