/**
 * Calls `work` for `count` items in batches that double from one, so that an error that would hit every call is found
 * with few of them. Stops after a batch with failures. Returns the number of calls that succeeded and the first error.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<{ readonly succeeded: number; readonly error?: unknown }> {
  let succeeded = 0;
  for (let start = 0, size = 1; start < count; start += size, size = Math.min(2 * size, count - start)) {
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => work(start + index)));
    const failure = results.find((result) => result.status === "rejected");
    succeeded += results.filter((result) => result.status === "fulfilled").length;
    if (failure !== undefined) return { succeeded, error: failure.reason };
  }
  return { succeeded };
}
