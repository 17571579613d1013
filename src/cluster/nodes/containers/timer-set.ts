import type { Clock, Timer } from "../../../internal/clock.js";

/** Timers that are cancelled together. */
export class TimerSet {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back after `ms` milliseconds. */
  after(callback: () => void, ms: number): void {
    const timer = this.#clock.setTimer(() => {
      this.#timers.delete(timer);
      callback();
    }, ms);
    this.#timers.add(timer);
  }

  /** Cancels all timers that haven't fired. */
  cancel(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
