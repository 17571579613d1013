/** Source of random numbers in [0, 1) whose state can be saved. */
export interface Random {
  (): number;
  /** Returns the state. */
  save(): number;
  /** Goes back to a state, so that the same numbers follow again. */
  restore(state: number): void;
}

/** Creates a repeatable source of random numbers from a seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const save = (): number => state;
  const restore = (saved: number): void => {
    state = saved;
  };
  return Object.assign(next, { save, restore });
}
