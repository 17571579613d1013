import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";

const folder = join(process.env["KUBESTREAM_SHARED"] ?? "../shared", "wire/roundtrip");
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
/** One pool for all kinds, so that they're stored relative to each other. */
const pool = {};
if (names.length === 0) console.warn(`no every-field objects of the Kubernetes project in ${folder}: skipped`);

describe.skipIf(names.length === 0)("round trip of the Kubernetes project's objects with every field set", () => {
  it.each(names)("%s", (name) => {
    const object = JSON.parse(readFileSync(join(folder, name), "utf8")) as object;
    const bytes = new Uint8Array(readFileSync(join(folder, name.replace(/json$/, "pb"))));
    expect(protobuf().decode(bytes)).toEqual(object);
    expect(JSON.stringify(protobuf().decode(bytes))).toBe(JSON.stringify(object));
    expect(JSON.stringify(protobuf().decode(bytes, { lazy: true }))).toBe(JSON.stringify(object));
    for (let i = 0; i < 3; i++)
      expect(JSON.stringify(protobuf().decode(bytes, { lazy: true, pool: pool }))).toBe(JSON.stringify(object));
    expect(Buffer.compare(protobuf().encode(object), bytes)).toBe(0);
    expect(protobuf().decode(bytes, { lazy: true, managedFields: "lazy" })).toEqual(object);
    expect(cbor().decode(cbor().encode(object))).toEqual(object);
  });
});
