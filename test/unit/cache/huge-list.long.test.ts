import { constants } from "node:buffer";
import { expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../src/client/client.js";
import type { Codec } from "../../../src/codec/codec.js";
import { json } from "../../../src/codec/json/json.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { coreV1 } from "../../../src/gen/proto/core/v1.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import type { Transport } from "../../../src/transport/transport.js";

const encoder = new TextEncoder();
const piece = new Uint8Array(64 * 1024).fill(97);
const pieces = 16;
const count = Math.ceil((constants.MAX_STRING_LENGTH + 1) / (pieces * piece.length)) + 8;
const name = (i: number): string => `map-${String(i).padStart(4, "0")}`;

/** Encodes a length-delimited field. Content that follows separately only counts towards the length. */
function field(number: number, content: Uint8Array, later = 0): Uint8Array {
  const head = [(number << 3) | 2];
  let length = content.length + later;
  for (; length > 127; length = Math.floor(length / 128)) head.push((length % 128) | 128);
  head.push(length);
  return Uint8Array.from([...head, ...content]);
}
const bytes = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const text = (value: string): Uint8Array => encoder.encode(value);

function* jsonList(): Generator<Uint8Array> {
  yield text('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[');
  for (let i = 0; i < count; i++) {
    yield text(
      `${i === 0 ? "" : ","}{"metadata":{"name":"${name(i)}","namespace":"x","uid":"u${String(i)}","resourceVersion":"${String(i + 1)}"},"data":{"a":"`,
    );
    for (let j = 0; j < pieces; j++) yield piece;
    yield text('"}}');
  }
  yield text("]}");
}

function* protobufList(): Generator<Uint8Array> {
  const size = pieces * piece.length;
  const metadata = (i: number): Uint8Array =>
    bytes(field(1, text(name(i))), field(3, text("x")), field(5, text(`u${String(i)}`)), field(6, text(String(i + 1))));
  const head = (i: number): Uint8Array => {
    const value = field(2, new Uint8Array(), size);
    const data = field(2, bytes(field(1, text("a")), value), size);
    return field(2, bytes(field(1, metadata(i)), data), size);
  };
  const list = field(1, field(2, text("9")));
  let length = list.length;
  for (let i = 0; i < count; i++) length += head(i).length + size;
  yield text("k8s\0");
  yield field(1, bytes(field(1, text("v1")), field(2, text("ConfigMapList"))));
  yield bytes(field(2, new Uint8Array(), length), list);
  for (let i = 0; i < count; i++) {
    yield head(i);
    for (let j = 0; j < pieces; j++) yield piece;
  }
}

it.each<[string, Codec, () => Generator<Uint8Array>]>([
  ["JSON", json(), jsonList],
  ["Protobuf", protobuf({ schemas: [coreV1] }), protobufList],
])(
  "informer caches a list in %s that exceeds the maximum string length",
  async (_name, codec, list) => {
    let sent = 0;
    const transport: Transport = {
      async send({ path, signal }) {
        const watching = path.includes("watch");
        return {
          status: 200,
          headers: {
            get: (header) => (header === "content-type" ? (watching ? codec.watchMediaType : codec.mediaType) : null),
          },
          body: {
            async *[Symbol.asyncIterator]() {
              if (watching)
                await new Promise((_resolve, reject) =>
                  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
                );
              for (const chunk of list()) {
                sent += chunk.length;
                yield chunk;
              }
            },
          },
        };
      },
      close: () => Promise.resolve(),
    };
    const client = createClient({ transport, codecs: [codec] });
    const informer = createInformer(client.resource(ConfigMap).namespace("x"), {
      initialList: "list",
      transform: ({ metadata, data }) => ({ metadata: metadata!, length: data!["a"]!.length }),
    });
    await informer.synced();
    expect(sent).toBeGreaterThan(constants.MAX_STRING_LENGTH);
    expect([informer.store.size, informer.store.resourceVersion]).toEqual([count, "9"]);
    for (let i = 0; i < count; i += 100) {
      expect(informer.store.get(`x/${name(i)}`)).toEqual({
        metadata: { name: name(i), namespace: "x", uid: `u${String(i)}`, resourceVersion: String(i + 1) },
        length: pieces * piece.length,
      });
    }
    await informer.close();
    await client.close();
  },
  120_000,
);
