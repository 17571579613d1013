import { cbor } from "../../../src/codec/cbor/cbor.js";
import type { Codec } from "../../../src/codec/codec.js";
import { json } from "../../../src/codec/json/json.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import type { DecodeOptions } from "../../../src/meta/options.js";
import type { Frame, Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { touch } from "../target.js";
import {
  cborBytes,
  cborHead,
  cborWords,
  envelope,
  jsonWords,
  lengthField,
  podFields,
  podOf,
  protobufWords,
} from "../vocabularies.js";

type Places = readonly (readonly [before: string, after: string])[];

const meta = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{';
const jsonObjects: Places = [
  [`{${meta}`, "}}}"],
  [`{${meta}}},"data":{`, "}}"],
  [`{${meta}},"managedFields":[`, "]}}"],
  [`{${meta}},"ownerReferences":[`, "]}}"],
  ['{"spec":', "}"],
];
const jsonLists: Places = [
  ['{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[', "]}"],
  ['{"items":[{"metadata":{"name":"a"},"spec":', "}]}"],
  ['{"items":[],"metadata":', "}"],
  ['{"kind":"PodList","apiVersion":"v1",', '"items":[]}'],
];
const jsonEvents: Places = [
  ['{"type":"ADDED","object":', "}\n"],
  ['{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a"},"spec":', "}}\n"],
  ['{"type":"ADDED",', '"object":{}}\n'],
];

const head = "\xd9\xd9\xf7";
const pair = (key: string, value: string): string => cborBytes(key) + value;
const typed = pair("apiVersion", cborBytes("v1")) + pair("kind", cborBytes("Pod"));
const cborObjects: readonly Frame[] = [
  [`${head}\xa3${typed}${cborBytes("spec")}`, ""],
  [`${head}\xa3${typed}${cborBytes("metadata")}\xbf${pair("name", cborBytes("a"))}`, "\xff", "members"],
  [`${head}\xbf${typed}`, "\xff", "members"],
];
const cborLists: readonly Frame[] = [
  [`${head}\xa3${typed}${cborBytes("items")}\x9f`, "\xff"],
  [`${head}\xa4${typed}${pair("metadata", "\xa0")}${cborBytes("items")}${cborHead(4, 3)}`, ""],
  [`${head}\xbf${cborBytes("items")}`, "\xff"],
];
const cborEvents: readonly Frame[] = [
  [`\xa2${pair("type", cborBytes("ADDED"))}${cborBytes("object")}`, ""],
  [`\xbf${pair("type", cborBytes("ADDED"))}${cborBytes("object")}\xbf${typed}`, "\xff\xff", "members"],
];

const wrapPod = (raw: string): string => envelope("v1", "Pod", raw);
const wraps = [1, 2, 3, 5, 8, 11, 12, 13, 17, 29].map((number) => (inner: string) => lengthField(number, inner));
const protobufObjects = [
  wrapPod,
  (raw: string) => wrapPod(lengthField(1, raw)),
  (raw: string) => wrapPod(lengthField(2, lengthField(2, raw))),
  (raw: string) => envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition", lengthField(2, lengthField(7, raw))),
];
const protobufLists = [
  (raw: string) => envelope("v1", "PodList", raw),
  (raw: string) => envelope("v1", "PodList", lengthField(2, lengthField(1, raw))),
];
const frame = (content: string): string => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return length.toString("latin1") + content;
};
const protobufEvents = [
  frame,
  (raw: string) => frame(lengthField(1, "ADDED") + lengthField(2, lengthField(1, wrapPod(lengthField(1, raw))))),
];
const protobufHeads: readonly Frame[] = [
  ["k8s\0", ""],
  ["k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\xff\xff\x03", ""],
  ["\0\0\0\xff", ""],
];

const modes: readonly DecodeOptions[] = [{}, { lazy: true, managedFields: "lazy" }, { managedFields: "drop" }];

function codecTargets(
  name: string,
  codec: Codec,
  words: { readonly object: Vocabulary; readonly list: Vocabulary; readonly watch: Vocabulary },
  ordinaryList?: Target["wellFormed"],
): Record<string, Target> {
  const maxBytes = 2 * 1024 * 1024;
  const variants = modes.flatMap((options, at): [string, Target][] => {
    const suffix = ["", "-lazy", "-drop"][at]!;
    return [
      [
        `${name}-object${suffix}`,
        {
          maxBytes,
          vocabulary: words.object,
          prepare:
            ({ bytes }) =>
            () =>
              touch(codec.decode(bytes, options)),
        },
      ],
      [
        `${name}-list${suffix}`,
        {
          maxBytes,
          chunked: true,
          vocabulary: words.list,
          ...(ordinaryList && { wellFormed: ordinaryList }),
          prepare:
            ({ chunks }) =>
            () => {
              const decoder = codec.createListDecoder(options);
              for (const chunk of chunks) touch(decoder.push(chunk));
              touch(decoder.end());
            },
        },
      ],
      [
        `${name}-watch${suffix}`,
        {
          maxBytes,
          chunked: true,
          vocabulary: words.watch,
          prepare:
            ({ chunks }) =>
            () => {
              const decoder = codec.createWatchDecoder(options);
              for (const chunk of chunks) touch(decoder.push(chunk));
              decoder.end();
            },
        },
      ],
    ];
  });
  return Object.fromEntries(variants);
}

/** The codecs of the client, which the server uses for CBOR and Protobuf. */
export const codecs: Record<string, Target> = {
  ...codecTargets("json", json(), {
    object: jsonWords(jsonObjects),
    list: jsonWords(jsonLists),
    watch: jsonWords(jsonEvents),
  }),
  ...codecTargets(
    "cbor",
    cbor(),
    {
      object: cborWords(cborObjects),
      list: cborWords(cborLists),
      watch: cborWords(cborEvents),
    },
    // An object takes two bytes in CBOR, so as many bytes of JSON are fewer objects.
    (bytes) => ordinary(bytes, [`${head}\xbf${cborBytes("items")}\x9f`, "\xff\xff"], `\xa1${pair("a", "\x01")}`),
  ),
  ...codecTargets("protobuf", protobuf(), {
    object: protobufWords(protobufHeads, [...wraps, ...protobufObjects]),
    list: protobufWords(protobufHeads, [...wraps, ...protobufLists]),
    watch: protobufWords(protobufHeads, [...wraps, ...protobufEvents]),
  }),
  ...Object.fromEntries(
    modes.map((options, at): [string, Target] => [
      `protobuf-fields${["", "-lazy", "-drop"][at]!}`,
      {
        vocabulary: podFields,
        // A container takes two bytes in Protobuf, so as many bytes of JSON are fewer objects.
        wellFormed: (size) => ordinary(size, ["", ""], () => lengthField(2, "")),
        prepare: ({ bytes }) => {
          const body = Buffer.from(podOf(Buffer.from(bytes).toString("latin1")), "latin1");
          return () => touch(protobuf().decode(body, options));
        },
      },
    ]),
  ),
};
