import { cbor } from "../../codec/cbor/cbor.js";
import type { Codec } from "../../codec/codec.js";
import { protobuf } from "../../codec/protobuf/protobuf.js";
import { ProtocolError } from "../../errors/errors.js";
import { utf8Encode } from "../../internal/bytes.js";
import { parseYaml } from "../../internal/yaml.js";
import { formatYaml } from "../../internal/yaml-writer.js";
import type { Encoding } from "../http/encoding.js";
import { parseGoJson } from "../internal/go-json.js";
import { sortKeys } from "../internal/json-value.js";
import { goCborProblem } from "./cbor-problems.js";
import { firstYamlDocument, firstYamlValue, yamlText } from "./yaml-text.js";

// Made when first used: their tables take time to load.
let protobufCodec: Codec | undefined;
let cborCodec: Codec | undefined;

function protobufOf(): Codec {
  protobufCodec ??= protobuf();
  return protobufCodec;
}

function cborOf(): Codec {
  cborCodec ??= cbor();
  return cborCodec;
}

/** An object to bytes in one encoding. */
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

/** What a body was decoded to. */
export interface DecodedValue {
  readonly value: unknown;
  /** What there is to say of keys that came twice. */
  readonly duplicates: readonly string[];
}

/** Bytes to a value. Throws what the parser says. */
export function decodeBody(encoding: Encoding, bytes: Uint8Array): DecodedValue {
  switch (encoding) {
    case "yaml":
      return decodeYaml(firstYamlDocument(yamlText(bytes)));
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

/** Reads YAML; errors are worded as Go's library words them. */
function readYaml(text: string): DecodedValue {
  const duplicates: string[] = [];
  try {
    return {
      value: parseYaml(text, {
        onDuplicate: (key, line) => duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`),
      }),
      duplicates,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const first = firstYamlValue(text);
    if (first !== undefined) return readYaml(first);
    if (message.includes("cannot be a JSON number"))
      throw new ProtocolError(
        `json: unsupported value: ${/-\.inf/i.test(message) ? "-Inf" : /nan/i.test(message) ? "NaN" : "+Inf"}`,
        { cause: error },
      );
    if (message.includes("aliases expand"))
      throw new ProtocolError("yaml: document contains excessive aliasing", { cause: error });
    throw new ProtocolError(`yaml: ${goYamlError(message, text)}`, { cause: error });
  }
}

/** What Go's library says of a line that does not go on with the block that it is in; it counts lines from zero. */
function blockProblem(what: string, line: number, lines: readonly string[]): string | undefined {
  const first = lines.find((each) => /^(?!#|---|%)\S/.test(each)) ?? "";
  const here = lines[line - 1] ?? "";
  const parsed = (problem: string): string => (line === 1 ? problem : `line ${String(line - 1)}: ${problem}`);
  if (what.startsWith("Implicit keys need to be on a single line"))
    return /^\s*-(\s|$)/.test(here)
      ? parsed("did not find expected key")
      : `line ${String(line + 1)}: mapping values are not allowed in this context`;
  if (what === "Unexpected scalar at node end" && /^-(\s|$)/.test(first) && !/^[-\s]/.test(here))
    return parsed("did not find expected '-' indicator");
  return what.startsWith("Unexpected flow-") && /^[\w.-]+:(\s|$)/.test(first) && /^[}\]]/.test(here)
    ? parsed("did not find expected key")
    : undefined;
}

/** What Go's library says where ours says something else. It counts lines from zero while it scans, and does not tell the first. */
function goYamlError(message: string, text: string): string {
  const [, line = "1", what = message] = /^line (\d+): (.*)$/s.exec(message) ?? [];
  const scanned = (problem: string): string => (line === "1" ? problem : `line ${line}: ${problem}`);
  if (what === "Unexpected scalar at node end" && /[}\]"']\s*(?:\s[@`%]|\n\t)/.test(text))
    return scanned("found character that cannot start any token");
  const block = blockProblem(what, Number(line), text.split(/\r\n?|\n/));
  if (block !== undefined) return block;
  if (what === "Unexpected double-quoted-scalar at node end") return scanned("found unexpected end of stream");
  if (what === "Unexpected seq-item-ind at node end" && line === "1")
    return "block sequence entries are not allowed in this context";
  if (what === "Implicit map keys need to be followed by map values")
    return `line ${String(Number(line) + 1)}: could not find expected ':'`;
  if (/^tabs are not allowed/i.test(what)) return scanned("found character that cannot start any token");
  if (what === "nested too deeply") return scanned("exceeded max depth of 10000");
  if (what.startsWith("Nested mappings are not allowed"))
    return scanned("mapping values are not allowed in this context");
  if (what.startsWith("Missing closing")) return scanned("found unexpected end of stream");
  if (what.startsWith("Unexpected flow-")) return scanned("did not find expected node content");
  const flow = /^Flow (map|sequence).*end with a ([}\]])/.exec(what);
  if (flow !== null)
    return `line ${line}: did not find expected ${/[[{,:]\s*$/.test(text) ? "node content" : `',' or '${flow[2]!}'`}`;
  const between = /^Missing , or : between flow (map|sequence) items/.exec(what);
  if (between !== null)
    return `${line === "1" ? "" : `line ${String(Number(line) - 1)}: `}did not find expected ',' or '${between[1] === "map" ? "}" : "]"}'`;
  if (what.startsWith("All mapping items must start at the same column"))
    return `line ${String(Number(line) - 1)}: did not find expected key`;
  const own = /^anchor "(.*)" contains itself$/.exec(what);
  if (own !== null) return `anchor '${own[1]!}' value contains itself`;
  const alias = /^unknown anchor "(.*)"$/.exec(what);
  return alias === null ? message : `unknown anchor '${alias[1]!}' referenced`;
}

function decodeYaml(text: string): DecodedValue {
  // JSON is taken as such: most of what is called YAML is. Of keys given twice YAML tells otherwise.
  if (/^\s*\{/.test(text)) {
    try {
      const { value, duplicates } = readJson(text);
      if (duplicates.length === 0) return { value: sortKeys(value), duplicates };
    } catch {
      // It is YAML after all.
    }
  }
  const { value, duplicates } = readYaml(text);
  return { value: sortKeys(value), duplicates };
}

function decodeProtobuf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new ProtocolError("empty data");
  const magic = [0x6b, 0x38, 0x73, 0];
  if (magic.some((byte, index) => bytes[index] !== byte))
    throw new ProtocolError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  if (bytes.length === magic.length) throw new ProtocolError("empty body");
  try {
    return protobufOf().decode(bytes);
  } catch (error) {
    if (error instanceof ProtocolError && /beyond the end|unexpected end/.test(error.message))
      throw new ProtocolError("unexpected EOF", { cause: error });
    throw error;
  }
}

function decodeCbor(bytes: Uint8Array): unknown {
  try {
    return cborOf().decode(bytes);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const problem = goCborProblem(error, bytes);
    // A null is an object without any field.
    if (problem === undefined) return {};
    throw new ProtocolError(`unable to determine group/version/kind: ${problem}`, { cause: error });
  }
}

/** Appends a field of bytes in the wire format of Protobuf. */
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

/** One frame of a Protobuf watch around an object that is encoded already. */
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

/** One frame of a watch. */
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
