/** Random choices of one seed. The same seed gives the same choices. */
export interface Draw {
  /** Returns a number from 0 up to, but not including, 1. */
  number(): number;
  /** Returns true with the given probability. */
  chance(of: number): boolean;
  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T;
  /** Returns each item with a probability, occasionally in reverse order. */
  some<T>(items: readonly T[], of?: number): T[];
  /** Returns the members with a probability, else an empty object. */
  put(of: number, members: () => object): object;
  /** Runs one of the actions, by weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choose: () => T])[]): T;
}

/** Creates choices that depend only on these numbers. */
export function drawFrom(...seeds: readonly number[]): Draw {
  let state = 0x9e37_79b9;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (const seed of seeds) state = (Math.imul(state ^ seed, 0x85eb_ca6b) ^ Math.floor(next() * 2 ** 32)) >>> 0;
  const draw: Draw = {
    number: next,
    chance: (of) => next() < of,
    pick: (items) => items[Math.floor(next() * items.length)]!,
    some(items, of = 0.5) {
      const chosen = items.filter(() => next() < of);
      return next() < 0.25 ? chosen.reverse() : chosen;
    },
    put: (of, members) => (next() < of ? members() : {}),
    weighted(choices) {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choose] of choices) {
        left -= weight;
        if (left < 0) return choose();
      }
      return choices[0]![1]();
    },
  };
  return draw;
}
