/**
 * Number of requests that a loop over many objects sends at once. With hundreds at once, all that each needs would have
 * to be kept until the others are answered.
 */
const lanes = 32;

/** Calls `work` for each item, a few at once. Returns the outcomes like `Promise.allSettled`. */
export async function inLanes<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      try {
        outcomes[index] = { status: "fulfilled", value: await work(items[index]!) };
      } catch (reason) {
        outcomes[index] = { status: "rejected", reason };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return outcomes;
}

/** Calls `work` for each item, a few at once. Rejects with the first error once all are done. */
export async function forAll<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const outcome of await inLanes(items, work)) if (outcome.status === "rejected") throw outcome.reason;
}
