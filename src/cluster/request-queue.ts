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
  #free = mostAtOnce;
  readonly #waiting = new Fifo<() => void>();

  constructor(activity: Pick<Activity, "turn">) {
    this.#activity = activity;
  }

  /** Sends a request when it is its turn. */
  async run<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    let holds = true;
    const release = (): void => {
      if (holds) this.#next();
      holds = false;
    };
    void this.#activity.turn().then(release);
    try {
      return await send();
    } finally {
      release();
    }
  }

  #next(): void {
    const resolve = this.#waiting.shift();
    if (resolve === undefined) this.#free++;
    else resolve();
  }
}
