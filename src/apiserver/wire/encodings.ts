import type { Codec } from "../../codec/codec.js";
import { ProtocolError } from "../../errors/errors.js";
import { utf8Encode } from "../../internal/bytes.js";
import { lazyModule } from "../../internal/lazy-module.js";
import { ObjectBytes } from "../../internal/object-bytes.js";
import { parseYaml } from "../../internal/yaml/yaml.js";
import { formatYaml } from "../../internal/yaml/yaml-writer.js";
import type { Encoding } from "../http/encoding.js";
import { parseGoJson } from "../internal/go-json.js";
import { copyAsJson, sortKeys } from "../internal/json-value.js";
import type { ObjectType } from "./json-to-protobuf.js";
import { yamlText } from "./yaml-text.js";

/** Codecs with large tables, which few requests in the same process use. */
const codecs = lazyModule(() => import("./binary-codecs.js"));

const named = /protobuf|cbor/i;

/**
 * Loads the codecs that a request may use, by the values of its headers. Returns `undefined` if it needs none or if they
 * are loaded.
 */
export function loadCodecs(accept = "", contentType = ""): Promise<void> | undefined {
  return named.test(accept) || named.test(contentType) ? codecs.load() : undefined;
}

let protobufCodec: Codec | undefined;
let cborCodec: Codec | undefined;

function protobufOf(): Codec {
  protobufCodec ??= codecs.get().protobuf();
  return protobufCodec;
}

function cborOf(): Codec {
  cborCodec ??= codecs.get().cbor();
  return cborCodec;
}

/** Encodes an object. Throws a `NotLoadedError` if the codec of a binary encoding isn't loaded. */
export function encodeObject(encoding: Encoding, object: object, pretty: boolean): Uint8Array {
  switch (encoding) {
    case "yaml":
      return utf8Encode(formatYaml(object));
    case "protobuf":
      return protobufOf().encode(object);
    case "cbor":
      return cborOf().encode(object);
    default:
      return utf8Encode(pretty ? `${JSON.stringify(object, null, 2)}\n` : `${JSON.stringify(object)}\n`);
  }
}

/** Encodes a built-in object as Protobuf from its JSON text without `kind` and `apiVersion`. */
export function encodeJson(json: string, type: ObjectType): Uint8Array {
  return (
    codecs.get().protobufFromJson(json, type) ??
    encodeObject("protobuf", { ...type, ...(JSON.parse(json) as object) }, false)
  );
}

/** A decoded value. */
export interface DecodedValue {
  readonly value: unknown;
  /** Messages about duplicate keys. */
  readonly duplicates: readonly string[];
}

/** Decodes bytes. Throws the parser's error, or a `NotLoadedError` as `encodeObject` does. */
export function decodeBody(encoding: Encoding, bytes: Uint8Array): DecodedValue {
  if (bytes instanceof ObjectBytes) return { value: copyAsJson(bytes.value), duplicates: [] };
  switch (encoding) {
    case "yaml":
      return decodeYaml(yamlText(bytes));
    case "protobuf":
      return { value: decodeProtobuf(bytes), duplicates: [] };
    case "cbor":
      return { value: decodeCbor(bytes), duplicates: [] };
    default:
      return readJson(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  }
}

function readJson(text: string): DecodedValue {
  const { value, duplicates } = parseGoJson(text);
  return { value, duplicates: duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`) };
}

/** Duplicate keys that a message names, as many as for JSON. A text can have hundreds of thousands. */
const maxDuplicates = 100;

function readYaml(text: string): DecodedValue {
  const duplicates: string[] = [];
  try {
    return {
      value: parseYaml(text, {
        onDuplicate: (key, line) => {
          if (duplicates.length < maxDuplicates)
            duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
        },
      }),
      duplicates,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const why = message.includes("aliases expand") ? "document contains excessive aliasing" : message;
    throw new ProtocolError(`yaml: ${why}`, { cause: error });
  }
}

function decodeYaml(text: string): DecodedValue {
  // Most "YAML" bodies are JSON. YAML reports duplicate keys differently.
  if (/^\s*\{/.test(text)) {
    try {
      const { value, duplicates } = readJson(text);
      if (duplicates.length === 0) return { value: sortKeys(value), duplicates };
    } catch {
      // Not JSON, so parse it as YAML.
    }
  }
  const { value, duplicates } = readYaml(text);
  return { value: sortKeys(value), duplicates };
}

function decodeProtobuf(bytes: Uint8Array): unknown {
  const magic = [0x6b, 0x38, 0x73, 0];
  if (magic.some((byte, index) => bytes[index] !== byte) || bytes.length === magic.length)
    throw new ProtocolError("the data does not appear to be a Protobuf message of Kubernetes");
  return protobufOf().decode(bytes);
}

/** Self-described CBOR: the tag 55799 before an item. */
const selfDescribedTag = [0xd9, 0xd9, 0xf7];

function decodeCbor(bytes: Uint8Array): unknown {
  const start = selfDescribedTag.every((byte, at) => bytes[at] === byte) ? selfDescribedTag.length : 0;
  // A null decodes to an object without fields.
  if (bytes.length === start + 1 && (bytes[start] === 0xf6 || bytes[start] === 0xf7)) return {};
  return cborOf().decode(bytes);
}

/** Encodes a length-delimited Protobuf field. */
function lengthDelimited(field: number, bytes: Uint8Array): number[] {
  const head = [(field << 3) | 2];
  let length = bytes.length;
  while (length > 127) {
    head.push((length & 127) | 128);
    length = Math.floor(length / 128);
  }
  head.push(length);
  return head;
}

/** Creates a frame of a Protobuf watch for an encoded object. */
export function protobufEvent(type: string, raw: Uint8Array): Uint8Array {
  const name = utf8Encode(type);
  const rawHead = lengthDelimited(1, raw);
  const typeHead = lengthDelimited(1, name);
  const objectHead = lengthDelimited(2, { length: rawHead.length + raw.length } as Uint8Array);
  const length = typeHead.length + name.length + objectHead.length + rawHead.length + raw.length;
  const frame = new Uint8Array(4 + length);
  new DataView(frame.buffer).setUint32(0, length);
  let at = 4;
  for (const part of [typeHead, name, objectHead, rawHead, raw]) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

/** Creates a frame of a watch. */
export function encodeWatchEvent(encoding: Encoding, type: string, object: object): Uint8Array {
  switch (encoding) {
    case "protobuf":
      return protobufEvent(type, protobufOf().encode(object));
    case "cbor":
      return cborOf().encode({ type, object });
    default:
      return utf8Encode(`${JSON.stringify({ type, object })}\n`);
  }
}
