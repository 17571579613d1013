import { chooseSeed } from "../../support/seed.js";

/** Reproducible random numbers. */
export interface Random {
  /** Returns an integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  /** Returns one of the values. */
  pick<T>(values: readonly T[]): T;
}

/** Creates random numbers from a seed, by default that of the environment. */
export function createRandom(seed: number = chooseSeed(1)): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (values) => values[below(values.length)]! };
}

/** Splits bytes into chunks of random length. */
export function* randomChunks(random: Random, bytes: Uint8Array, longest: number): Generator<Uint8Array> {
  for (let p = 0; p < bytes.length; ) {
    const length = 1 + random.below(longest);
    yield bytes.slice(p, p + length);
    p += length;
  }
}
