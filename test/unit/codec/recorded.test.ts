import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import type { Codec } from "../../../src/codec/codec.js";
import { json } from "../../../src/codec/json/json.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { isRecorded, type Recording, recordedBytes, recordings } from "../../golden/recordings.js";

const codecs: Record<string, Codec> = { json: json(), pb: protobuf(), cbor: cbor() };

function codecOf(recording: Recording): Codec | undefined {
  if (recording.contentType.startsWith("application/json")) return codecs["json"];
  if (recording.contentType.startsWith("application/vnd.kubernetes.protobuf")) return codecs["pb"];
  return recording.contentType.startsWith("application/cbor") ? codecs["cbor"] : undefined;
}

const isWatch = (recording: Recording): boolean => recording.path.includes("watch=") && recording.status === 200;
/** Recordings that can't be compared between encodings: each call created its own object, or the responses differ. */
const separate = ["error403", "selfsubjectreview"];
const bases = [...new Set(recordings.map(({ name }) => name.replace(/\.(cbor|json|pb|yaml|cborseq)$/, "")))];

describe("recorded responses", () => {
  it.each(recordings.filter((recording) => codecOf(recording) !== undefined && !isWatch(recording)))(
    "$name decodes",
    (recording) => {
      const object = codecOf(recording)!.decode(recordedBytes(recording.file));
      expect(object).toHaveProperty("kind");
    },
  );

  it.each(
    bases.filter(
      (base) =>
        isRecorded(`${base}.pb.pb`) &&
        !base.includes("watch") &&
        !base.startsWith("widget") &&
        !separate.includes(base),
    ),
  )("%s decodes to the same object from four encodings", (base) => {
    const plain = codecs["json"]!.decode(recordedBytes(`${base}.json.json`)) as { items?: unknown[] };
    for (const [name, codec] of Object.entries(codecs)) {
      const bytes = recordedBytes(`${base}.${name}.${name}`);
      expect(codec.decode(bytes), name).toEqual(plain);
      if (plain.items !== undefined)
        for (const size of [1000, 18_000, 40_000]) expect(decodeList(codec, bytes, size), name).toEqual(plain);
    }
    expect(parse(new TextDecoder().decode(recordedBytes(`${base}.yaml.yaml`)))).toEqual(plain);
  });

  it.each(["widget.get", "widgets.list"])("%s decodes to the same object from JSON and CBOR", (base) => {
    expect(codecs["cbor"]!.decode(recordedBytes(`${base}.cbor.cbor`))).toEqual(
      codecs["json"]!.decode(recordedBytes(`${base}.json.json`)),
    );
  });

  it.each(recordings.filter((recording) => codecOf(recording) !== undefined && isWatch(recording)))(
    "$name decodes to the same events in any chunks",
    (recording) => {
      const codec = codecOf(recording)!;
      const bytes = recordedBytes(recording.file);
      const events = decodeWatch(codec, bytes, bytes.length);
      expect(events.length).toBeGreaterThan(0);
      for (const size of [1, 2, 3, 7, 1000, 4096, 20_000, 65_536])
        expect(decodeWatch(codec, bytes, size)).toEqual(events);
    },
  );

  it.each(bases.filter((base) => base.includes("watch") && isRecorded(`${base}.json.json`)))(
    "%s contains the same objects in each encoding",
    (base) => {
      const expected = objectsSeen(decodeWatch(codecs["json"]!, recordedBytes(`${base}.json.json`), 500));
      for (const [name, codec] of Object.entries(codecs)) {
        const recording = recordings.find(({ file }) => file === `${base}.${name}.${name}`);
        if (recording?.status === 200)
          expect(objectsSeen(decodeWatch(codec, recordedBytes(recording.file), 500)), name).toEqual(expected);
      }
    },
  );

  it.each(
    bases.filter(
      (base) => isRecorded(`${base}.cbor.cbor`) && isRecorded(`${base}.json.json`) && !base.includes("watch"),
    ),
  )("%s survives a round trip through every codec", (base) => {
    const recording = recordings.find(({ name }) => name === `${base}.json`)!;
    const plain = codecs["json"]!.decode(recordedBytes(recording.file)) as { apiVersion: string; kind: string };
    for (const codec of Object.values(codecs)) {
      if (codec === codecs["pb"] && base.startsWith("widget")) continue;
      expect(codec.decode(codec.encode(plain))).toEqual(plain);
    }
  });
});

function decodeWatch(codec: Codec, bytes: Uint8Array, size: number): unknown[] {
  const decoder = codec.createWatchDecoder();
  const events: unknown[] = [];
  for (let p = 0; p < bytes.length; p += size) events.push(...decoder.push(bytes.slice(p, p + size)));
  decoder.end();
  return events;
}

function decodeList(codec: Codec, bytes: Uint8Array, size: number): unknown {
  const decoder = codec.createListDecoder();
  const items: unknown[] = [];
  for (let p = 0; p < bytes.length; p += size) items.push(...decoder.push(bytes.slice(p, p + size)));
  const { items: rest, ...list } = decoder.end();
  return { ...list, items: [...items, ...rest] };
}

/** The recordings of a watch were made one after the other. The objects are the same, the events not always. */
function objectsSeen(events: unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    (events as { type: string; object: { metadata: { uid?: string; resourceVersion: string } } }[])
      .filter(({ type }) => type !== "BOOKMARK")
      .map(({ type, object }) => [`${type} ${String(object.metadata.uid)} ${object.metadata.resourceVersion}`, object]),
  );
}
