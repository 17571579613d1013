import { metadataOf } from "../store/object-key.js";

/** One of several parts into which the objects of a collection are divided by a hash, so that each part fits a process. */
export interface Shard {
  /** Number of this part, from 0. */
  readonly index: number;
  /** How many parts there are. */
  readonly count: number;
  /** What is hashed: `uid` (default) spreads evenly, `namespace` keeps a namespace together. */
  readonly by?: "uid" | "namespace";
}

/** A shard made ready. */
export interface CompiledShard {
  /** What a server is asked that can divide by itself (Kubernetes 1.36, alpha); others ignore it. */
  readonly shardSelector: string;
  /** Whether an object belongs to the shard. */
  readonly matches: (object: unknown) => boolean;
}

/** Makes a shard ready. Throws a `RangeError` for an index that is none of the parts. */
export function compileShard({ index, count, by = "uid" }: Shard): CompiledShard {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`a shard's count must be a whole number from 1, not ${count}`);
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw new RangeError(`a shard's index must be from 0 to ${count - 1}, not ${index}`);
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

/** FNV-1a of the UTF-8 bytes of a text, 64 bits as two halves: the hash by which the API server divides. */
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
