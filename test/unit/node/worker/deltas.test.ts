import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Codec } from "../../../../src/codec/codec.js";
import { sharedJson } from "../../../../src/codec/json/shared-json.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { poolFor } from "../../../../src/codec/shared/shared-parts.js";
import { codecInWorker, ReceivedBases, receiveChunk } from "../../../../src/node/worker/delta-reader.js";
import { DeltaWriter, SentBases } from "../../../../src/node/worker/delta-writer.js";
import { podsPerWorkload, workloadCertificate, workloadPod } from "../../../bench/workload-pods.mjs";
import { createRandom, type Random, randomChunks } from "../../codec/random.js";

const formats: Readonly<Record<string, { readonly codec: Codec; readonly kind: string; make(i: number): object }>> = {
  Protobuf: { codec: protobuf(), kind: "Pod", make: workloadPod },
  JSON: { codec: sharedJson(), kind: "Certificate", make: workloadCertificate },
};

/** A worker's writer and the reader of another thread, without the threads. */
function createPair(codec: Codec, watch: boolean) {
  const sent = new SentBases();
  const received = new ReceivedBases(() => undefined);
  const writer = new DeltaWriter(codec, watch, {}, sent);
  /** Returns a chunk as it arrives in the other thread. */
  const pass = (chunk: Uint8Array): Uint8Array =>
    receiveChunk(writer.write([chunk], chunk.length), chunk.length, received);
  return { sent, received, pass };
}

/** Returns what a decoder makes of chunks: objects as JSON with frozen parts marked, and the error that ends them. */
function read(codec: Codec, watch: boolean, chunks: Iterable<Uint8Array>, scope: object = {}): unknown[] {
  const options = { lazy: true, pool: scope };
  const found: unknown[] = [];
  try {
    if (watch) {
      const decoder = codec.createWatchDecoder(options);
      for (const chunk of chunks) found.push(...decoder.push(chunk));
      decoder.end();
    } else {
      const decoder = codec.createListDecoder(options);
      for (const chunk of chunks) found.push(...decoder.push(chunk));
      const { items, metadata } = decoder.end();
      found.push(...items, metadata);
    }
  } catch (error) {
    found.push(String(error));
  }
  // Parts that can't be decoded fail when they are read.
  return found.map((each) => {
    try {
      return JSON.stringify(each);
    } catch (error) {
      return String(error);
    }
  });
}

/** Returns the bytes of a list, or of a watch that changes some of its objects. */
function responseOf({ codec, kind, make }: (typeof formats)[string], watch: boolean, random: Random): Uint8Array {
  const objects = Array.from({ length: 20 }, () => make(random.below(3 * podsPerWorkload)) as Record<string, unknown>);
  const apiVersion = kind === "Pod" ? "v1" : "certificates.example.com/v1";
  if (!watch)
    return codec.encode({ kind: `${kind}List`, apiVersion, metadata: { resourceVersion: "7" }, items: objects });
  return Buffer.concat(
    objects.map((object) => {
      const type = random.pick(["ADDED", "MODIFIED", "DELETED"]);
      const whole = { kind, apiVersion, ...object };
      return kind === "Pod"
        ? frameOf(type, codec.encode(whole))
        : Buffer.from(`${JSON.stringify({ type, object: whole })}\n`);
    }),
  );
}

/** Returns the frame of a watch event. */
function frameOf(type: string, object: Uint8Array): Buffer {
  const field = (number: number, content: Uint8Array): Buffer => {
    const length = [content.length & 127, (content.length >> 7) & 127, content.length >> 14];
    return Buffer.concat([Buffer.from([number * 8 + 2, length[0]! | 128, length[1]! | 128, length[2]!]), content]);
  };
  const event = Buffer.concat([field(1, Buffer.from(type)), field(2, field(1, object))]);
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(event.length);
  return Buffer.concat([prefix, event]);
}

/** Changes, removes or cuts off a few bytes. */
function damaged(random: Random, bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let n = 1 + random.below(3); n > 0; n--) copy[random.below(copy.length)] = random.below(256);
  return random.below(3) === 0 ? copy.subarray(0, random.below(copy.length)) : copy;
}

describe.each(Object.entries(formats))("%s whose differences are computed in another thread", (_, format) => {
  it.each([
    ["a list", false],
    ["a watch", true],
  ])("gives the same objects and errors as a decoder without it, for %s in any chunks", (_name, watch) => {
    const random = createRandom();
    for (let round = 0; round < 12; round++) {
      const whole = responseOf(format, watch, random);
      const bytes = round % 2 === 0 ? whole : damaged(random, whole);
      const chunks = [...randomChunks(random, bytes, random.pick([200, 9_000, 60_000]))];
      const { pass } = createPair(format.codec, watch);
      const expected = read(format.codec, watch, chunks);
      const actual = read(codecInWorker(format.codec), watch, chunks.map(pass));
      expect(actual, `round ${String(round)}`).toEqual(expected);
    }
  });

  it("computes no difference in the reader's thread", () => {
    const random = createRandom();
    const chunks = [...randomChunks(random, responseOf(format, true, random), 20_000)];
    const { pass } = createPair(format.codec, true);
    const scope = {};
    let computed = 0;
    let taken = 0;
    const codec = codecInWorker(format.codec);
    const decoder = codec.createWatchDecoder({ lazy: true, pool: scope });
    const { take } = poolFor(scope).exchange!;
    poolFor(scope).exchange = {
      take(total) {
        const found = take!(total);
        if (found === undefined) computed++;
        else taken++;
        return found;
      },
    };
    for (const chunk of chunks.map(pass)) decoder.push(chunk);
    expect({ computed, taken }).toEqual({ computed: 0, taken: 20 });
  });

  it("decodes a chunk that an interceptor copied, and the chunks after it", () => {
    const random = createRandom();
    const chunks = [...randomChunks(random, responseOf(format, true, random), 20_000)];
    const { pass } = createPair(format.codec, true);
    const expected = read(format.codec, true, chunks);
    const passed = chunks.map(pass).map((chunk, i) => (i % 2 === 0 ? chunk : chunk.slice()));
    expect(read(codecInWorker(format.codec), true, passed)).toEqual(expected);
  });

  it("ignores differences that belong to objects decoded with other options", () => {
    const random = createRandom();
    const bytes = responseOf(format, true, random);
    const { pass } = createPair(format.codec, true);
    const options = { lazy: true, managedFields: "drop", pool: {} } as const;
    const expected = format.codec.createWatchDecoder({ ...options, pool: {} }).push(bytes);
    const actual = codecInWorker(format.codec).createWatchDecoder(options).push(pass(bytes));
    expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
  });
});

describe("bases of differences", () => {
  it("are reported once nothing refers to them, and sent again after the writer dropped them", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { codec } = formats["Protobuf"]!;
    const reported: number[] = [];
    const received = new ReceivedBases((numbers) => void reported.push(...numbers));
    const sent = new SentBases();
    const writer = new DeltaWriter(codec, true, {}, sent);
    const decoder = codecInWorker(codec).createWatchDecoder({ lazy: true, pool: {} });
    const event = (i: number): Uint8Array =>
      frameOf("ADDED", codec.encode({ kind: "Pod", apiVersion: "v1", ...(workloadPod(i) as object) }));
    const decode = (i: number): unknown => {
      const bytes = event(i);
      return decoder.push(receiveChunk(writer.write([bytes], bytes.length), bytes.length, received))[0]!.object;
    };
    let pods: unknown[] | undefined = Array.from({ length: 5 }, (_, i) => decode(i));
    const expected = JSON.stringify(codec.createWatchDecoder().push(event(4))[0]!.object);
    expect(received.size).toBeGreaterThan(0);
    const size = received.size;
    pods = pods.slice(4);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    expect(Object.keys(pods[0] as object)).toContain("spec");
    pods = undefined;
    while (reported.length < size) {
      collect();
      await turn();
    }
    // Until the writer confirms it, differences may still refer to the bases.
    expect(received.size).toBe(size);
    expect(JSON.stringify(decode(4))).toBe(expected);
    sent.drop(reported);
    received.drop(reported);
    expect(received.size).toBe(0);
    expect(JSON.stringify(decode(4))).toBe(expected);
    expect(received.size).toBeGreaterThan(0);
  });
});
