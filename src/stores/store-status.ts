import type { InformerStatus } from "../cache/informer/informer-status.js";

/**
 * Activity of a live store. Unlike an informer's status, it changes only when a user interface should change:
 *
 * - `idle`: without subscribers; the data isn't updated.
 * - `listing`: the first list, or a list after history was lost, is in progress.
 * - `watching`: the data is live.
 * - `backingOff`: a request failed and will be retried. The data may be stale.
 * - `refused`: the server refuses the request (401, 403, 404). It is retried with growing delays.
 * - `closed`: the client or the stores are closed.
 */
export interface StoreStatus {
  /** Activity. */
  readonly type: "idle" | "listing" | "watching" | "backingOff" | "refused" | "closed";
  /** Error of `backingOff`, `refused`, and of `closed` if the store ended by itself. */
  readonly error?: unknown;
}

/** Status without activity. */
export const idleStatus: StoreStatus = { type: "idle" };

const listing: StoreStatus = { type: "listing" };
const watching: StoreStatus = { type: "watching" };

/** Reduces an informer's status. Returns `last` if nothing changed. */
export function reduceStatus(status: InformerStatus, last: StoreStatus): StoreStatus {
  switch (status.type) {
    case "idle":
      return idleStatus;
    case "listing":
    case "streaming":
      return listing;
    case "synced":
    case "watching":
      return watching;
    // A watch that is opened again changes nothing that a user needs to see.
    case "connecting":
      return last.type === "idle" ? listing : last;
    case "backingOff":
    case "refused":
    case "closed":
      return last.type === status.type && last.error === status.error
        ? last
        : { type: status.type, ...(status.error !== undefined && { error: status.error }) };
  }
}
