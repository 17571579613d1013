/** Adds work that must be done before the first request. A failure is an error of the server's options. */
export type BeforeRequests = (work: Promise<void>) => void;

/** The work of a server before its first request: it loads modules that options need, and checks those options. */
export interface Start {
  readonly add: BeforeRequests;
  /** Settles when all work is done, and rejects if some failed. Returns `undefined` if all succeeded. */
  pending(): Promise<void> | undefined;
}

/** Creates a start without work. */
export function createStart(): Start {
  let pending: Promise<void> | undefined;
  const settle = async (all: Promise<void>): Promise<void> => {
    try {
      await all;
      if (pending === all) pending = undefined;
    } catch {
      // Each request and `ready` report it.
    }
  };
  const both = async (before: Promise<void>, work: Promise<void>): Promise<void> => {
    await Promise.all([before, work]);
  };
  return {
    add(work) {
      pending = pending === undefined ? work : both(pending, work);
      void settle(pending);
    },
    pending: () => pending,
  };
}
