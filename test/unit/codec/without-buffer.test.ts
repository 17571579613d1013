import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Codec } from "../../../src/codec/codec.js";
import { recordedBytes } from "../../golden/recordings.js";

// Browsers don't have Node's Buffer, which makes some routines faster. The results must be the same.
describe("codecs without Node's Buffer", () => {
  let codecs: Record<string, Codec>;
  beforeAll(async () => {
    vi.stubGlobal("Buffer", undefined);
    vi.resetModules();
    const [{ json }, { protobuf }, { cbor }] = await Promise.all([
      import("../../../src/codec/json/json.js"),
      import("../../../src/codec/protobuf/protobuf.js"),
      import("../../../src/codec/cbor/cbor.js"),
    ]);
    codecs = { json: json(), pb: protobuf(), cbor: cbor() };
    // Only module loading checks for the Buffer; the test tools themselves need it.
    vi.unstubAllGlobals();
  });
  afterAll(() => vi.resetModules());

  it.each(["pods.list", "secret", "crd", "configmap"])("%s decodes to the same object from every encoding", (base) => {
    const plain = JSON.parse(new TextDecoder().decode(recordedBytes(`${base}.json.json`))) as { items?: object[] };
    for (const [name, codec] of Object.entries(codecs)) {
      const bytes = recordedBytes(`${base}.${name}.${name}`);
      expect(codec.decode(bytes), name).toEqual(plain);
      expect(codec.decode(codec.encode(plain)), name).toEqual(plain);
      for (const options of [undefined, { managedFields: "lazy", lazy: true }] as const) {
        if (plain.items === undefined) continue;
        const decoder = codec.createListDecoder(options);
        const items: object[] = [];
        for (let p = 0; p < bytes.length; p += 5000) items.push(...decoder.push(bytes.slice(p, p + 5000)));
        expect([...items, ...decoder.end().items], name).toEqual(plain.items);
      }
    }
  });
});
