/** Reason why a request didn't execute, in the words of kube-apiserver's metrics. */
export type Rejection = "queue-full" | "concurrency-limit" | "time-out";

/** Virtual times at a dispatch, in seat-seconds. */
export interface DispatchTimes {
  /** Progress of the whole queue set. */
  readonly current: number;
  /** Start of the dispatched request. */
  readonly start: number;
  /** Least and greatest start among the queues that had waiting requests. */
  readonly starts: readonly [min: number, max: number];
  /** The same, less the estimated work in progress. */
  readonly discounted: readonly [min: number, max: number];
}

/** Observer of a queue set. The callbacks must not call the queue set. */
export interface QueueSetEvents {
  /** A request entered its queue, which now has `length` requests. */
  queued?(schema: string, seats: number, length: number): void;
  /** A request left its queue, to execute or because it was canceled. */
  unqueued?(schema: string, seats: number): void;
  /** A request started to execute. */
  executing?(schema: string, seats: number): void;
  /** A request finished. Its seats stay occupied for its additional latency. */
  executed?(schema: string): void;
  /** The seats of a finished request became free. */
  freed?(schema: string, seats: number): void;
  /** A request was rejected. */
  rejected?(schema: string, reason: Rejection): void;
  /** A request was chosen from the queues. */
  dispatched?(times: DispatchTimes): void;
  /** The next request is wider than the seats that are free. */
  notAccommodated?(schema: string): void;
  /** Virtual time was wound back to keep it exact. */
  epochAdvanced?(): void;
  /** The limit changed; `waiting` is the number of requests that fit in the queues. */
  limited?(waiting: number, denominator: number): void;
  /** The seats that executing and waiting requests want changed. */
  demanded?(seats: number): void;
}
