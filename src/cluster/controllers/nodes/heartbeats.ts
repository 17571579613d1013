import type { Clock, Timer } from "../../../internal/clock.js";

/** Period in milliseconds of the checks, so that nodes that are lost together are found together. */
const periodMs = 5_000;

/** Remembers when the last heartbeat of each node was seen, and checks nodes whose next one is overdue. */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #check: (node: string) => void;
  readonly #seen = new Map<string, { readonly heartbeat: string; readonly atMs: number }>();
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock, check: (node: string) => void) {
    this.#clock = clock;
    this.#check = check;
  }

  /** Returns the time at which a heartbeat was first seen, in milliseconds since the epoch. */
  seenAt(node: string, heartbeat: string): number {
    const known = this.#seen.get(node);
    if (known?.heartbeat === heartbeat) return known.atMs;
    const atMs = this.#clock.now();
    this.#seen.set(node, { heartbeat, atMs });
    return atMs;
  }

  /** Checks a node in the first period that starts after `delayMs`, unless this is called again before. */
  checkIn(node: string, delayMs: number): void {
    this.#timers.get(node)?.cancel();
    const nowMs = this.#clock.now();
    const atMs = Math.ceil((nowMs + Math.max(1, delayMs)) / periodMs) * periodMs;
    // A heartbeat that arrives in time sets the timer again, so time may skip over it.
    const timer = this.#clock.setTimer(() => this.#check(node), atMs - nowMs, { upkeep: true });
    this.#timers.set(node, timer);
  }

  /** Forgets a deleted node. */
  forget(node: string): void {
    this.#timers.get(node)?.cancel();
    this.#timers.delete(node);
    this.#seen.delete(node);
  }
}
