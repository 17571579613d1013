import { metadataOf } from "../store/object-key.js";

/** Options for `createShard`. */
export interface ShardOptions {
  /** Index of this shard, from 0. */
  readonly index: number;
  /** Number of shards. */
  readonly count: number;
  /** Field to hash. `uid` (default) spreads objects evenly; `namespace` keeps the objects of a namespace together. */
  readonly by?: "uid" | "namespace" | undefined;
}

/** One shard of a collection; `createShard` creates it. */
export interface Shard {
  /** Selector for servers that can filter by shard (Kubernetes 1.36, alpha). Other servers ignore it. */
  readonly shardSelector: string;
  /** Returns true if an object belongs to the shard. */
  readonly matches: (object: unknown) => boolean;
}

/**
 * Creates the `shard` option of an informer. Objects are distributed over the shards by hash, so that each process can
 * cache a part. Throws a `RangeError` if `index` or `count` is out of range.
 *
 * @example
 * ```ts
 * import { createInformer, createShard } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const shard = createShard({ index: 0, count: 3 });
 * await using informer = createInformer(client.resource(Pod), { shard });
 * await informer.synced();
 * ```
 */
export function createShard({ index, count, by = "uid" }: ShardOptions): Shard {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`shard.count must be a positive integer, not ${count}`);
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw new RangeError(`shard.index must be an integer from 0 to ${count - 1}, not ${index}`);
  const start = boundary(index, count);
  const end = boundary(index + 1, count);
  const [startHigh, startLow] = halves(start);
  const [endHigh, endLow] = halves(end);
  const last = index === count - 1;
  return {
    shardSelector: `shardRange(object.metadata.${by}, '${hex(start)}', '${hex(end)}')`,
    matches(object) {
      const [high, low] = fnv1a64(metadataOf(object)?.[by] ?? "");
      const from = high > startHigh || (high === startHigh && low >= startLow);
      return from && (last || high < endHigh || (high === endHigh && low < endLow));
    },
  };
}

const encoder = new TextEncoder();

/**
 * Returns the 64-bit FNV-1a hash of a text's UTF-8 bytes as two halves: the hash that the API server uses for shards.
 */
export function fnv1a64(text: string): [high: number, low: number] {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const mix = (byte: number): void => {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3, modulo 2^64, in numbers that stay below 2^53.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 0x1_0000_0000) + ((low << 8) >>> 0)) % 0x1_0000_0000;
    low = product % 0x1_0000_0000;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) {
      mix(code);
      continue;
    }
    for (const byte of encoder.encode(text.slice(i))) mix(byte);
    break;
  }
  return [high, low];
}

function boundary(index: number, count: number): bigint {
  return (BigInt(index) << 64n) / BigInt(count);
}

function halves(value: bigint): [high: number, low: number] {
  return [Number(value >> 32n), Number(value & 0xffff_ffffn)];
}

function hex(value: bigint): string {
  return `0x${value.toString(16).padStart(16, "0")}`;
}
