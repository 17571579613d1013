import type { FailureKind } from "../reflector/failure.js";
import type { ReflectorState } from "../reflector/reflector-state.js";

/** Current activity of an informer. */
export type InformerStatus =
  /** No handler is registered: the store keeps its contents, without a connection. */
  | { readonly type: "idle" }
  /** A paged list is in progress. `remaining` is the number of objects still to come, if the server reports it. */
  | { readonly type: "listing"; readonly received: number; readonly remaining: number | undefined }
  /** A streaming list is in progress: the current objects arrive over a watch. */
  | { readonly type: "streaming"; readonly received: number }
  /** A list is complete and the store shows it. */
  | { readonly type: "synced"; readonly resourceVersion: string; readonly size: number }
  /**
   * A watch is requested, or the server is asked whether it still has the version that the store shows. The store may
   * be behind until it answers; without an answer within `listIdleTimeoutMs` the request has failed.
   */
  | { readonly type: "connecting"; readonly resourceVersion: string }
  /**
   * The store is live: the server has accepted the watch. A connection that dies without a sign is noticed when no data
   * arrived for `idleTimeoutMs`.
   */
  | { readonly type: "watching"; readonly resourceVersion: string }
  /**
   * A request failed and is retried after `delayMs`. The status stays until the server answers. The store keeps its
   * contents.
   */
  | {
      readonly type: "backingOff";
      readonly error: unknown;
      readonly kind: FailureKind;
      readonly delayMs: number;
      readonly attempt: number;
    }
  /**
   * The server refuses the request: 401, 403, or 404 for a kind that doesn't exist. It is retried with growing delays,
   * and the status stays until another answer arrives.
   */
  | {
      readonly type: "refused";
      readonly error: unknown;
      readonly kind: "unauthorized" | "forbidden" | "notFound";
      readonly delayMs: number;
      readonly attempt: number;
    }
  /** The informer was closed. `error` is set if it ended by itself: because its client was closed, or a package is missing. */
  | { readonly type: "closed"; readonly error?: unknown };

/** Returns the status for a reflector's state. */
export function statusOf(state: ReflectorState): InformerStatus {
  switch (state.phase) {
    case "idle":
      return { type: "idle" };
    case "listing":
      return { type: "listing", received: state.list.received, remaining: state.list.remaining };
    case "streaming":
      return { type: "streaming", received: state.received };
    case "probing":
    case "opening":
      return { type: "connecting", resourceVersion: state.history.resourceVersion ?? "" };
    case "watching":
      return { type: "watching", resourceVersion: state.history.resourceVersion ?? "" };
    case "waiting": {
      const { history, failure } = state;
      const { error, kind, delayMs } = failure;
      if (kind === "unauthorized" || kind === "forbidden" || kind === "notFound") {
        return { type: "refused", error, kind, delayMs, attempt: history.refusals };
      }
      return {
        type: "backingOff",
        error,
        kind,
        delayMs,
        attempt: Math.max(history.failures, history.expiries, history.quickEnds),
      };
    }
  }
}
