import type { Clock } from "../../internal/clock.js";

/** Cache whose entries expire. Forgets the oldest entry when it is full. */
export class ExpiringCache<V> {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();

  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** Returns a value that hasn't expired. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.#clock.monotonic()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Stores a value for `ttlMs` milliseconds; not at all if that's 0. */
  set(key: string, value: V, ttlMs: number): void {
    this.#entries.delete(key);
    if (ttlMs <= 0) return;
    if (this.#entries.size >= this.#capacity) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until: this.#clock.monotonic() + ttlMs });
  }
}
