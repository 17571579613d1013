import type { FailureKind } from "../reflector/failure.js";
import type { ReflectorState } from "../reflector/reflector-state.js";

/** What an informer is doing. */
export type InformerStatus =
  /** Nobody listens: it keeps what it has, without a connection. */
  | { readonly type: "idle" }
  /** Pages arrive; `remaining` objects are still to come, where the server said. */
  | { readonly type: "listing"; readonly received: number; readonly remaining: number | undefined }
  /** The present arrives over a watch. */
  | { readonly type: "streaming"; readonly received: number }
  /** A list became whole: the store shows it. */
  | { readonly type: "synced"; readonly resourceVersion: string; readonly size: number }
  /** Live. */
  | { readonly type: "watching"; readonly resourceVersion: string }
  /** It failed and tries again after `delayMs`; the store keeps what it had. */
  | {
      readonly type: "backingOff";
      readonly error: unknown;
      readonly kind: FailureKind;
      readonly delayMs: number;
      readonly attempt: number;
    }
  /** The server refuses: 401, 403, or 404 for a kind that is not there. It probes again, ever more slowly. */
  | {
      readonly type: "refused";
      readonly error: unknown;
      readonly kind: "unauthorized" | "forbidden" | "notFound";
      readonly delayMs: number;
      readonly attempt: number;
    }
  /** It was closed. */
  | { readonly type: "closed" };

/** The status that a reflector's state shows. */
export function statusOf(state: ReflectorState): InformerStatus {
  switch (state.phase) {
    case "idle":
      return { type: "idle" };
    case "listing":
      return { type: "listing", received: state.list.received, remaining: state.list.remaining };
    case "streaming":
      return { type: "streaming", received: state.received };
    case "probing":
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
