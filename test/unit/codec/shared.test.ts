import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { findParts } from "../../../src/codec/lazy.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import {
  appendDelta,
  appendGuided,
  Base,
  beginDelta,
  endDelta,
  restore,
  restoredLength,
} from "../../../src/codec/shared/delta.js";
import { poolFor } from "../../../src/codec/shared/shared-parts.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import { latin1Slice } from "../../../src/internal/latin1.js";
import type { DecodeOptions } from "../../../src/meta/options.js";
import { podsPerWorkload, workloadPod } from "../../bench/workload-pods.mjs";
import { recordedBytes } from "../../golden/recordings.js";
import { createRandom, type Random } from "./random.js";

interface Pod {
  metadata: { name: string; labels: Record<string, string>; managedFields: object[]; ownerReferences: object[] };
  spec: { containers: { name: string; env: object[]; volumeMounts: object[] }[]; tolerations: object[] };
  status: { phase: string };
}

const codec = protobuf();
const encoded = (i: number): Uint8Array => codec.encode(workloadPod(i));

/** Returns the parts of a byte string stored relative to another one, as they are restored. */
function throughDelta(
  base: Base,
  parts: readonly Uint8Array[],
  guide?: string,
): { readonly delta: string; readonly length: number; readonly guided: number; readonly parts: Buffer[] } {
  beginDelta(guide);
  let guided = 0;
  for (const part of parts) {
    if (appendGuided(base, part, 0, part.length)) guided++;
    else appendDelta(base, part, new DataView(part.buffer, part.byteOffset, part.length), 0, part.length);
  }
  const delta = endDelta(latin1Slice);
  return {
    delta,
    length: delta.length,
    guided,
    parts: parts.map((_, i) => {
      const bytes = restore(base, delta, i);
      return Buffer.from(bytes.subarray(0, restoredLength));
    }),
  };
}

/** Returns bytes with a few changes: replaced, inserted, removed, repeated or moved runs. */
function changed(random: Random, bytes: Uint8Array): Uint8Array {
  let all = [...bytes];
  for (let n = random.below(12); n > 0; n--) {
    const at = random.below(all.length + 1);
    const count = random.below(random.pick([3, 20, 300]));
    const run = random.pick<() => number[]>([
      () => Array.from({ length: count }, () => random.below(random.pick([2, 256]))),
      () => [],
      () => [...Buffer.from("00ff39aec7d1".repeat(3).slice(0, random.below(37)), "latin1")],
      () => all.slice(0, count),
    ])();
    all = [...all.slice(0, at), ...run, ...all.slice(at + random.pick([0, count, run.length]))];
  }
  return Uint8Array.from(all);
}

describe("bytes stored relative to a base", () => {
  it("are restored exactly, whatever changed", () => {
    const random = createRandom();
    for (let round = 0; round < 300; round++) {
      const size = random.pick([0, 1, 7, 8, 9, 30, 200, 3000]);
      const source = Uint8Array.from({ length: size }, () => random.below(random.pick([2, 20, 256])));
      const base = new Base(source);
      const parts = Array.from({ length: 1 + random.below(3) }, () => changed(random, source));
      const result = throughDelta(base, parts);
      for (const [i, part] of parts.entries())
        expect(Buffer.compare(result.parts[i]!, part), `round ${String(round)}`).toBe(0);
    }
  });

  it("are restored exactly with an earlier version as the guide, whatever changed since", () => {
    const random = createRandom(4);
    let guided = 0;
    for (let round = 0; round < 300; round++) {
      const source = Uint8Array.from({ length: random.pick([9, 200, 3000]) }, () =>
        random.below(random.pick([2, 256])),
      );
      const base = new Base(source);
      const before = Array.from({ length: 3 }, () => changed(random, source));
      const after = before.map((part) => {
        if (random.below(3) === 0) return changed(random, part);
        const copy = part.slice();
        if (copy.length > 0 && random.below(2) === 0) copy[random.below(copy.length)] = random.below(256);
        return copy;
      });
      const result = throughDelta(base, after, throughDelta(base, before).delta);
      guided += result.guided;
      for (const [i, part] of after.entries())
        expect(Buffer.compare(result.parts[i]!, part), `round ${String(round)}`).toBe(0);
    }
    expect(guided).toBeGreaterThan(100);
    expect(guided).toBeLessThan(900);
  });

  it("have the guide's encoding if they are equal, and that with other literal bytes if only those changed", () => {
    const source = Buffer.from("a text of the base that all versions have, ".repeat(3));
    const base = new Base(source);
    const version = (id: string): Buffer => Buffer.concat([source, Buffer.from(id), source]);
    const first = throughDelta(base, [version("0123")]);
    expect(throughDelta(base, [version("0123")], first.delta)).toEqual({ ...first, guided: 1 });
    const next = throughDelta(base, [version("4567")], first.delta);
    expect(next.guided).toBe(1);
    expect(next.delta).toBe(first.delta.replace("0123", "4567"));
    expect(throughDelta(base, [version("45678")], first.delta).guided).toBe(0);
  });

  it("take a few bytes if they are equal, and little more than their length if nothing is, with a short index", () => {
    const random = createRandom(3);
    const bytes = Uint8Array.from({ length: 60_000 }, () => random.below(256));
    expect(throughDelta(new Base(bytes), [bytes]).length).toBeLessThan(16);
    const long = new Base(new Uint8Array(1 << 20));
    throughDelta(long, [bytes]);
    expect(long.index!.length).toBeLessThanOrEqual(16_384);
    const other = Uint8Array.from({ length: 60_000 }, () => random.below(256));
    expect(throughDelta(new Base(bytes), [other]).length).toBeLessThan(60_100);
  });
});

describe("objects decoded with a pool", () => {
  const decode = (bytes: Uint8Array, pool: object, more: DecodeOptions = {}): Pod =>
    codec.decode(bytes, { lazy: true, pool, ...more }) as Pod;

  it("equal those decoded without one, read in any order", () => {
    const pool = {};
    const random = createRandom(1);
    const numbers = Array.from({ length: 300 }, () => random.below(600));
    const pods = numbers.map((i) => decode(encoded(i), pool));
    for (const [n, i] of numbers.entries()) {
      if (random.below(2) === 0) void pods[random.below(pods.length)]!.status.phase;
      expect(JSON.stringify(pods[n]), `pod ${String(i)}`).toBe(JSON.stringify(codec.decode(encoded(i))));
    }
  });

  it("keep the encoding of their last version in the scope, and equal those decoded without one", () => {
    const store = new Map<string, object>();
    const lookups: string[] = [];
    const scope = { get: (name: string) => (lookups.push(name), store.get(name)) };
    const deltaOf = (pod: object): string => (findParts(pod) as unknown as { readonly delta: string }).delta;
    const key = ({ metadata }: Pod): string =>
      `${(metadata as { namespace?: string }).namespace ?? ""}/${metadata.name}`;
    for (let i = 0; i < 3; i++) {
      const pod = decode(encoded(i), scope);
      store.set(key(pod), pod);
    }
    const random = createRandom(5);
    for (let event = 0; event < 60; event++) {
      const pod = workloadPod(random.below(3)) as unknown as { metadata: object; status: object };
      const change = random.pick([
        {},
        { phase: "Failed" },
        { phase: "Runninh" },
        { message: "m".repeat(random.below(90)) },
      ]);
      const bytes = codec.encode({
        ...pod,
        metadata: { ...pod.metadata, resourceVersion: String(event) },
        status: { ...pod.status, ...change },
      });
      const next = decode(bytes, scope);
      expect(JSON.stringify(next)).toBe(JSON.stringify(codec.decode(bytes)));
      store.set(key(next), next);
      const again = decode(bytes, scope);
      expect(deltaOf(again)).toBe(deltaOf(next));
    }
    expect(lookups).toHaveLength(3 + 60 * 2);
    expect(new Set(lookups)).toEqual(new Set(store.keys()));
    store.set(key(decode(encoded(0), {})), { metadata: {} });
    expect(JSON.stringify(decode(encoded(0), scope))).toBe(JSON.stringify(codec.decode(encoded(0))));
  });

  it("are the same from a list and a watch", () => {
    const items = Array.from({ length: 30 }, (_, i) => workloadPod(i));
    const list = codec.encode({ apiVersion: "v1", kind: "PodList", metadata: {}, items });
    const decoder = codec.createListDecoder({ lazy: true, pool: {} });
    const decoded = [...decoder.push(list.subarray(0, 70_001)), ...decoder.push(list.subarray(70_001))];
    const plain = codec.decode(list) as { items: object[] };
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(plain.items));
  });

  it("look like plain objects whose deferred parts are frozen", () => {
    const bytes = recordedBytes("pod.get.pb.pb");
    const whole = codec.decode(bytes) as Pod;
    const pool = {};
    decode(bytes, pool);
    const pod = decode(bytes, pool);
    expect(Object.keys(pod)).toEqual(Object.keys(whole));
    expect("spec" in pod && !("data" in pod)).toBe(true);
    expect({ ...pod }).toEqual(whole);
    expect(structuredClone(pod)).toEqual(whole);
    expect(inspect(pod)).toContain("containers");
    expect(Object.getPrototypeOf(pod)).toBe(Object.prototype);
    expect(pod.spec).toBe(pod.spec);
    expect(pod.metadata.managedFields).toEqual(whole.metadata.managedFields);
    expect(Object.isFrozen(pod.spec.containers)).toBe(true);
    expect(() => pod.spec.containers.pop()).toThrow(TypeError);
    expect(() => delete pod.metadata.labels["app"]).toThrow(TypeError);
    pod.metadata.name = "other";
    pod.spec = whole.spec;
    expect(codec.encode(pod)).toEqual(codec.encode({ ...whole, metadata: { ...whole.metadata, name: "other" } }));
  });

  it("share most equal values of different objects, of one pool only", () => {
    const shared = { labels: 0, ownerReferences: 0, tolerations: 0, env: 0 };
    // The hashes differ from run to run, and a value that loses its slot to another one isn't shared. So no value is the
    // same in all workloads.
    for (let workload = 0; workload < 20; workload++) {
      const pool = {};
      const tolerations = [
        { key: "pool", operator: "Equal", value: `workload-${String(workload)}`, effect: "NoSchedule" },
      ];
      const read = (number: number, from: object = pool): Pod => {
        const pod = workloadPod(workload * podsPerWorkload + number) as Pod;
        return decode(codec.encode({ ...pod, spec: { ...pod.spec, tolerations } }), from);
      };
      // A value is kept when its bytes come for the second time.
      for (const pod of [1, 2]) JSON.stringify(read(pod));
      const [a, b] = [read(3), read(4)];
      if (a.metadata.labels === b.metadata.labels) shared.labels++;
      if (a.metadata.ownerReferences === b.metadata.ownerReferences) shared.ownerReferences++;
      if (a.spec.tolerations === b.spec.tolerations) shared.tolerations++;
      if (a.spec.containers[0]!.env === b.spec.containers[0]!.env) shared.env++;
      expect(a.spec.containers).not.toBe(b.spec.containers);
      expect(read(3, {}).metadata.labels).not.toBe(a.metadata.labels);
    }
    for (const count of Object.values(shared)) expect(count).toBeGreaterThan(10);
  });

  it("don't depend on the bytes they were decoded from", () => {
    const pool = {};
    const first = encoded(1);
    const second = encoded(2);
    const pods = [decode(first, pool), decode(second, pool)];
    first.fill(0x7a);
    second.fill(0x7a);
    expect(JSON.stringify(pods)).toBe(JSON.stringify([codec.decode(encoded(1)), codec.decode(encoded(2))]));
  });

  it("are stored without a base while they have little in common", () => {
    const random = createRandom(2);
    const pool = {};
    const maps = Array.from({ length: 200 }, (_, i) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `map-${String(i)}` },
      data: { a: Array.from({ length: 40 + random.below(400) }, () => random.below(1e9).toString(36)).join("") },
    }));
    const decoded = maps.map((map) => decode(codec.encode(map), pool));
    expect(decoded).toEqual(maps);
  });

  it("throw for malformed bytes when the part is read, each time", () => {
    const bytes = encoded(1);
    const at = Buffer.from(bytes).indexOf("Always") - 2;
    bytes[at + 1] = 0x7f;
    const pool = {};
    decode(encoded(2), pool);
    const pod = decode(bytes, pool);
    for (let i = 0; i < 2; i++) expect(() => pod.spec).toThrow(ProtocolError);
    expect(pod.status.phase).toBe("Running");
    expect(decode(encoded(3), pool).spec.containers).toHaveLength(2);
  });

  it("keep no value that is unused, and no pool after the last object", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const wait = { timeout: 20_000, interval: 5 };
    let scope: object | undefined = {};
    const pool = new WeakRef(poolFor(scope));
    const pods: Pod[] = [];
    const specs: WeakRef<object>[] = [];
    for (let i = 0; i < 5; i++) {
      pods.push(decode(encoded(i), scope));
      specs.push(new WeakRef(pods[i]!.spec));
    }
    const read = (): number => specs.filter((spec) => spec.deref() !== undefined).length;
    await expect.poll(() => (collect(), read()), wait).toBe(0);
    for (const [i, pod] of pods.entries()) expect(JSON.stringify(pod)).toBe(JSON.stringify(codec.decode(encoded(i))));
    scope = undefined;
    pods.length = 0;
    await expect.poll(() => (collect(), pool.deref()), wait).toBeUndefined();
  });
});
