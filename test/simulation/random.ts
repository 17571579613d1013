/** Chance that a seed decides. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  int(below: number): number;
  /** True with a probability. */
  chance(probability: number): boolean;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
}

/** Makes chance from a seed; `salt` gives each use its own, so that one more draw in one place changes nothing elsewhere. */
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
