import { Fifo } from "../internal/streams/fifo.js";
import type { Activity } from "./time/activity.js";

/**
 * Number of requests that begin at once. After a request, all that it needed is garbage. With hundreds of requests side by
 * side, the garbage collector would keep that for long.
 */
const mostAtOnce = 32;

/**
 * Lets requests of the cluster's programs to the server begin in order, a few at once. A request that isn't over within a
 * turn of the event loop, such as one that waits for the clock or for a webhook, holds up no others.
 */
export class RequestQueue {
  readonly #activity: Pick<Activity, "turn">;
  readonly #waiting = new Fifo<() => void>();
  #free = mostAtOnce;
  /** Number of requests that began in this turn and aren't over. Each turn has a new object. */
  #running = { count: 0 };
  #isWatchingTurn = false;

  constructor(activity: Pick<Activity, "turn">) {
    this.#activity = activity;
  }

  /** Sends a request when it is its turn. */
  async run<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    const running = this.#running;
    running.count++;
    if (!this.#isWatchingTurn) void this.#watchTurn();
    try {
      return await send();
    } finally {
      if (running === this.#running) {
        running.count--;
        this.#next();
      }
    }
  }

  /** At the end of the turn, lets others begin in place of the requests that aren't over. */
  async #watchTurn(): Promise<void> {
    this.#isWatchingTurn = true;
    await this.#activity.turn();
    this.#isWatchingTurn = false;
    const { count } = this.#running;
    this.#running = { count: 0 };
    for (let i = 0; i < count; i++) this.#next();
  }

  #next(): void {
    const resolve = this.#waiting.shift();
    if (resolve === undefined) this.#free++;
    else resolve();
  }
}
