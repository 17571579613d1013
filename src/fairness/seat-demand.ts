import type { Clock } from "../internal/clock.js";

/** Statistics of the seats that a priority level wanted, over the time since the last adjustment. */
export interface SeatDemand {
  /** Average over time. */
  readonly average: number;
  /** Standard deviation over time. */
  readonly deviation: number;
  /** Highest value. */
  readonly highWatermark: number;
  /** Average plus deviation, raised at once and lowered slowly, with a half-life of five minutes. */
  readonly smoothed: number;
}

/** Part of the smoothed demand that remains after an adjustment. */
const remainingShare = 0.977;

/** Integrates the seat demand of a priority level over time. */
export class SeatDemandMeter {
  readonly #clock: Clock;
  #at: number;
  #value = 0;
  #max = 0;
  #seconds = 0;
  #sum = 0;
  #squares = 0;
  #demand: SeatDemand = { average: 0, deviation: 0, highWatermark: 0, smoothed: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Statistics of the last finished period. */
  get demand(): SeatDemand {
    return this.#demand;
  }

  /** Sets the current demand. */
  set(value: number): void {
    this.#pass(this.#clock.monotonic());
    this.#value = value;
    this.#max = Math.max(this.#max, value);
  }

  /**
   * Ends the period at a time of the monotonic clock at which the demand was what it is now: computes its statistics,
   * and starts the next one.
   */
  endPeriod(at: number): SeatDemand {
    this.#pass(at);
    const highWatermark = Math.round(this.#max);
    if (this.#seconds > 0) {
      const average = this.#sum / this.#seconds;
      const deviation = Math.sqrt(Math.max(0, this.#squares / this.#seconds - average * average));
      const envelope = average + deviation;
      this.#demand = {
        average,
        deviation,
        highWatermark,
        smoothed: Math.max(envelope, remainingShare * this.#demand.smoothed + (1 - remainingShare) * envelope),
      };
    } else this.#demand = { ...this.#demand, highWatermark };
    this.#max = this.#value;
    this.#seconds = 0;
    this.#sum = 0;
    this.#squares = 0;
    return this.#demand;
  }

  #pass(at: number): void {
    const seconds = Math.max(0, at - this.#at) / 1000;
    this.#at = Math.max(at, this.#at);
    this.#seconds += seconds;
    this.#sum += this.#value * seconds;
    this.#squares += this.#value * this.#value * seconds;
  }
}
