/** Seeded random choices. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer in [0, below). */
  int(below: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T;
}

/**
 * Creates random choices from a seed. Each use has its own `salt`, so that an additional draw in one place changes
 * nothing elsewhere.
 */
export function createRandom(seed: number, salt = ""): Random {
  let state = seed >>> 0;
  for (const char of salt) state = (Math.imul(state ^ char.charCodeAt(0), 0x01000193) + 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const random: Random = {
    next,
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick: (items) => items[random.int(items.length)]!,
  };
  return random;
}
