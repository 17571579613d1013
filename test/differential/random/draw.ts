/** Draws of one seed: the same seed draws the same. */
export interface Draw {
  /** A number from 0, short of 1. */
  number(): number;
  /** Whether something of this chance happens. */
  chance(of: number): boolean;
  /** One of these. */
  pick<T>(items: readonly T[]): T;
  /** Each of these with a chance, now and then the other way round. */
  some<T>(items: readonly T[], of?: number): T[];
  /** The members with a chance, else none. */
  put(of: number, members: () => object): object;
  /** One of these actions, by weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choose: () => T])[]): T;
}

/** Draws that follow from these numbers alone. */
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
