/** Single-consumer queue between a producer that pushes and an iterator that pulls. */
export interface AsyncQueue<T> extends AsyncIterableIterator<T> {
  /** Adds a value. Ignored after `end` or `return`. */
  push(value: T): void;
  /** Ends the iteration after the queued values, with an error if one is given. */
  end(error?: unknown): void;
  /** Number of queued values. */
  readonly size: number;
  /** Takes a queued value, `undefined` if the queue is empty. */
  take(): T | undefined;
  /** Ends the iteration immediately, including a pending `next()`. */
  return(): Promise<IteratorResult<T>>;
}

/**
 * Creates a queue. `onReturn` runs once when the consumer leaves or the queue has ended. The queue has no bound: the
 * producer watches `size`.
 */
export function createAsyncQueue<T>(onReturn?: () => void): AsyncQueue<T> {
  let values: T[] = [];
  let head = 0;
  let ended = false;
  let failure: { error: unknown } | undefined;
  let left = false;
  const waiting: { resolve: (result: IteratorResult<T>) => void; reject: (error: unknown) => void }[] = [];

  const leave = (): void => {
    if (left) return;
    left = true;
    onReturn?.();
  };

  const settle = (): void => {
    while (waiting.length > 0 && ended) {
      const next = waiting.shift()!;
      if (failure) {
        const { error } = failure;
        failure = undefined;
        next.reject(error);
      } else next.resolve({ done: true, value: undefined });
      leave();
    }
  };

  const take = (): T | undefined => {
    if (head >= values.length) return undefined;
    const value = values[head++]!;
    if (head > 1024 && head * 2 > values.length) {
      values = values.slice(head);
      head = 0;
    }
    return value;
  };

  return {
    take,
    get size() {
      return values.length - head;
    },
    push(value) {
      if (ended) return;
      const next = waiting.shift();
      if (next) next.resolve({ done: false, value });
      else values.push(value);
    },
    end(error) {
      if (ended) return;
      ended = true;
      if (error !== undefined) failure = { error };
      settle();
    },
    next() {
      const value = take();
      if (value !== undefined) return Promise.resolve({ done: false, value });
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        settle();
      });
    },
    return() {
      ended = true;
      failure = undefined;
      values = [];
      head = 0;
      settle();
      leave();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
