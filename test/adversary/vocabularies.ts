import type { Frame, Vocabulary } from "./shapes.js";
import { utf8 } from "./shapes.js";

/** Marks the places between keys: those whose text before ends in an opening brace or a comma. */
function withSlots(frames: readonly (readonly [string, string])[]): Frame[] {
  return frames.map(([before, after]) => (/[{,]$/.test(before) ? [before, after, "members"] : [before, after]));
}

/** JSON of objects, lists and events. A frame after `{` or `,` takes members. */
export function jsonWords(frames: readonly (readonly [before: string, after: string])[]): Vocabulary {
  return {
    frames: withSlots(frames),
    pairs: [
      ["[", "]"],
      ['{"a":', "}"],
      [(at) => `{"k${String(at)}":`, "}"],
      ['{"metadata":', "}"],
      ['{"items":[', "]}"],
      ['{"spec":{"a":[', "]}}"],
      ['{"managedFields":[{"fieldsV1":', "}]}"],
      ["[[],", "]"],
    ],
    values: [
      ...["1", "0.1", '"x"', "{}", "[]", "null", "true", '""', '{"a":1}', "9".repeat(400), '"\\ud800"', '"\\u0000"'],
      ...[utf8('"é"'), utf8('"😀"'), '{"uid":"1","name":"a","kind":"B","apiVersion":"v1"}', `"${"x".repeat(300)}"`],
      ...['{"a":1,"a":2}', '{"__proto__":{"a":1}}', '"1Gi"', '"2026-01-02T03:04:05Z"', "1e999"],
      (at) => String(at),
      (at) => `"n${String(at)}"`,
      (at) => `{"name":"n${String(at)}","value":"v"}`,
      (at) => `{"uid":"${String(at)}","name":"a","kind":"B","apiVersion":"v1"}`,
      (at) => `[${String(at)}]`,
    ],
    keys: [
      '"a":',
      '"spec":',
      '"__proto__":',
      '"items":',
      (at) => `"k${String(at)}":`,
      (at) => `"${"k".repeat(at % 70)}":`,
    ],
    junk: [
      "-",
      '"',
      "\\",
      '\\"',
      " ",
      "\n",
      "\r",
      "\t",
      "{",
      "}",
      "]",
      ":",
      "\xff",
      "\xef\xbb\xbf",
      "x",
      '{"a":',
      "nul",
      "01",
    ],
    joints: [",", "", ", ", "\n"],
  };
}

/** YAML, in block and flow style. */
export function yamlWords(frames: readonly Frame[]): Vocabulary {
  return {
    frames,
    pairs: [
      ["[", "]"],
      ["{a: ", "}"],
      ["- ", ""],
      ["? ", ""],
      ["!!str ", ""],
      [(at) => `&a${String(at)} [`, "]"],
      [(at) => `{k${String(at)}: `, "}"],
      ["'", "'"],
    ],
    values: [
      ...[
        "a",
        '"x"',
        "1",
        "1_0",
        "0x1f",
        "~",
        "yes",
        "[a]",
        "{a: 1}",
        "*a",
        "&a x",
        "|\n  a",
        ">-\n  a\n",
        "!!binary aGk=",
      ],
      ...["''", '"\\x41"', utf8("é"), utf8('"😀"'), '"a\n b"', "a b c", "&a [a]", "[*a, *a]", "!!str x", "[]", "{}"],
      (at) => String(at),
      (at) => `v${String(at)}`,
      (at) => `&a${String(at)} [*a${String(at - 1)},*a${String(at - 1)}]`,
    ],
    keys: [
      "a: ",
      "<<: ",
      "? a\n: ",
      "  a: ",
      '"a": ',
      "- ",
      (at) => `k${String(at)}: `,
      (at) => `${" ".repeat(at % 50)}k${String(at)}: `,
    ],
    junk: [
      ...[
        "'",
        '"',
        ".inf",
        "- a\n",
        "-\n",
        "? ",
        "? a\n",
        ": ",
        ":",
        "# c\n",
        "#",
        "\n",
        "  \n",
        " ",
        "\t",
        "\r\n",
        "|\n",
      ],
      ...[
        ">\n",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "%TAG ! tag:x,2000:\n",
        "&a ",
        "<<: [*a, *a]\n",
        "!!map ",
        "! ",
        "\\",
      ],
      ...["{", "}", "[", "]", "a:\n", "a:\n  b:\n", "@", "`", "\xff", "\xef\xbb\xbf", "\0", "\x7f"],
    ],
    joints: ["\n", ",", "", ", ", " "],
  };
}

/** Header of a CBOR item with the shortest or a wider argument. */
export function cborHead(major: number, value: number, width?: number): string {
  const bytes = width ?? (value < 24 ? 0 : value < 256 ? 1 : value < 65_536 ? 2 : value < 2 ** 32 ? 4 : 8);
  const type = major << 5;
  if (bytes === 0) return String.fromCharCode(type | value);
  const buffer = Buffer.alloc(9);
  buffer[0] = type | (bytes === 1 ? 24 : bytes === 2 ? 25 : bytes === 4 ? 26 : 27);
  const wide = BigInt(Math.max(0, Math.floor(value))) & ((1n << BigInt(8 * bytes)) - 1n);
  buffer.writeBigUInt64BE(wide << BigInt(64 - 8 * bytes), 1);
  return buffer.subarray(0, 1 + bytes).toString("latin1");
}

/** CBOR text. */
export function cborText(text: string): string {
  return cborHead(3, text.length) + text;
}

/** CBOR byte string, as Kubernetes writes keys and texts. */
export function cborBytes(text: string): string {
  return cborHead(2, text.length) + text;
}

/** CBOR with definite, indefinite and false lengths. */
export function cborWords(frames: readonly Frame[]): Vocabulary {
  return {
    frames,
    pairs: [
      ["\x9f", "\xff"],
      ["\xbf\x61a", "\xff"],
      ["\x81", ""],
      ["\x82\x01", ""],
      ["\xa1\x61a", ""],
      ["\xc1", ""],
      ["\xd9\xd9\xf7", ""],
      ["\x5f", "\xff"],
      ["\x7f", "\xff"],
      [(at) => `\xa1${cborBytes(`k${String(at)}`)}`, ""],
    ],
    values: [
      ...["\x01", "\x20", "\x61a", "\x41a", "\x60", "\x40", "\x80", "\xa0", "\xf6", "\xf5", "\xf9\x7e\x00"],
      ...[
        "\xfb\x3f\xf0\0\0\0\0\0\0",
        "\x7f\x61a\xff",
        "\x5f\x41a\xff",
        "\x9f\xff",
        "\xbf\xff",
        "\x81\x01",
        "\xa1\x41a\x01",
      ],
      (at) => cborHead(0, at),
      (at) => cborText(`v${String(at)}`),
    ],
    keys: [
      "\x41a",
      "\x61a",
      cborBytes("__proto__"),
      (at) => cborBytes(`k${String(at)}`),
      (at) => cborText(`k${String(at)}`),
    ],
    junk: [
      ...[
        "\xff",
        "\xf8\x00",
        "\xfb\x7f\xf0\0\0\0\0\0\0",
        "\xc2\x49\x01\0\0\0\0\0\0\0\0",
        "\xd9\xd9\xf7",
        "\x1c",
        "\x61\xff",
      ],
      ...["\xd8\x18", "\xc0", "\xfe", "\x5f", "\x7f"],
    ],
    joints: ["", "\x00"],
    announcements: [2, 3, 4, 5].flatMap((major) => [
      (count: number) => cborHead(major, count),
      (count: number) => cborHead(major, count, 8),
      (count: number) => `\xa1\x41a${cborHead(major, count, 8)}`,
    ]),
  };
}

/** Protobuf varint. */
export function varint(value: number): string {
  let text = "";
  let left = value;
  while (left > 127) {
    text += String.fromCharCode((left % 128) | 128);
    left = Math.floor(left / 128);
  }
  return text + String.fromCharCode(left);
}

/** Protobuf field with a length. */
export function lengthField(number: number, content: string): string {
  return varint(number * 8 + 2) + varint(content.length) + content;
}

/** Protobuf object in the envelope of Kubernetes. */
export function envelope(apiVersion: string, kind: string, raw: string): string {
  return `k8s\0${lengthField(1, lengthField(1, apiVersion) + lengthField(2, kind))}${lengthField(2, raw)}`;
}

/** Protobuf fields, right and wrong. */
export function protobufWords(frames: readonly Frame[], wraps: NonNullable<Vocabulary["wraps"]>): Vocabulary {
  return {
    frames,
    pairs: [
      ["\x0b", "\x0c"],
      ["\x13", "\x14"],
    ],
    values: [
      ...[
        "\x08\x01",
        "\x10\x00",
        "\x0a\x00",
        "\x12\x01a",
        "\x0d\0\0\0\0",
        "\x09\0\0\0\0\0\0\0\0",
        lengthField(1, "a".repeat(300)),
      ],
      (at) => lengthField(1 + (at % 30), varint(at)),
      (at) => lengthField(12, lengthField(1, `k${String(at)}`) + lengthField(2, "v")),
      (at) => lengthField(11, lengthField(1, `k${String(at)}`) + lengthField(2, "v")),
      lengthField(13, lengthField(1, "Pod") + lengthField(3, "a") + lengthField(4, "1") + lengthField(5, "v1")),
    ],
    junk: [
      ...[
        "\x00",
        "\xff",
        "\x80",
        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
      ],
      ...["\x07", "\x0f", "\x0a\x01\xff", "\xfa\xff\xff\xff\x0f\x00"],
    ],
    joints: [""],
    announcements: [1, 2, 3, 11, 12, 13, 17].map((number) => (count: number) => varint(number * 8 + 2) + varint(count)),
    wraps,
  };
}

/** Valid fields of a PodSpec, and unknown ones: alone, in runs, or in turns. They need headers with their length around them. */
export const podFields: Vocabulary = {
  frames: [["", ""]],
  pairs: [],
  values: [
    ...[1, 2, 20, 22].map((number) => lengthField(number, "")),
    ...["\x1a\x01a", "\xf8\x7f\x01", "\xfa\x7f\x00"],
    (at) => lengthField(2, lengthField(1, `c${String(at)}`)),
    (at) => lengthField(7, lengthField(1, `k${String(at)}`) + lengthField(2, "v")),
    (at) => lengthField(18, lengthField(1, lengthField(2, "")) + varint(24) + varint(at % 128)),
  ],
  junk: ["\x1a\x00", "\xf8\x7f\x00"],
  joints: [""],
};

/** Returns a Pod whose spec consists of the given fields. */
export function podOf(fields: string): string {
  return envelope("v1", "Pod", lengthField(1, lengthField(1, "a")) + lengthField(2, fields));
}
