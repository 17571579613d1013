import { inLanes } from "./in-lanes.js";

/**
 * Calls `work` for `count` items in batches that double from one, so that an error that would hit every call is found
 * with few of them. Stops after a batch with failures. Returns the first error, if any.
 */
export async function slowStart(count: number, work: (index: number) => Promise<unknown>): Promise<unknown> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  for (let start = 0, size = 1; start < count; start += size, size *= 2) {
    const results = await inLanes(indexes.slice(start, start + size), work);
    const failure = results.find((result) => result.status === "rejected");
    if (failure !== undefined) return failure.reason as unknown;
  }
  return undefined;
}
