import { whenAborted } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import type { Leadership } from "./leader-elector.js";

/** Dependencies of `runTerm`. */
export interface TermParts {
  readonly clock: Clock;
  /** Time that the work may take to end after a cancellation; the lease is renewed during that time. */
  readonly drainTimeoutMs: number;
  /** Keeps the lease until the signal aborts; rejects when the lease is lost. */
  readonly keep: (over: AbortSignal) => Promise<void>;
  /** Does the leader's work. */
  readonly work: (leadership: Leadership) => Promise<unknown> | void;
  /** Called when the lease is lost, before the signals abort. */
  readonly onLost: () => void;
  /** Receives an error of work that was already ending. */
  readonly onLateError: (error: unknown) => void;
}

/** The end of a term. */
export interface TermOutcome {
  /** Set if the lease was lost. */
  readonly loss: { readonly error: unknown } | undefined;
  /** Set if the work rejected before its signal aborted. */
  readonly failure: { readonly error: unknown } | undefined;
  /** True if the work ended in time. */
  readonly drained: boolean;
}

/**
 * Runs the leader's work until it fails, the lease is lost or `signal` aborts. Then waits for the work to end, while
 * the lease is kept.
 */
export async function runTerm(parts: TermParts, term: number, signal: AbortSignal): Promise<TermOutcome> {
  const leading = new AbortController();
  const lost = new AbortController();
  const over = new AbortController();
  let loss: TermOutcome["loss"];
  let failure: TermOutcome["failure"];
  const keeping = parts.keep(over.signal).catch((error: unknown) => {
    loss = { error };
    parts.onLost();
    lost.abort(error);
    leading.abort(error);
  });
  const work = (async () => parts.work({ signal: leading.signal, lost: lost.signal, term }))().then(
    () => undefined,
    (error: unknown) => {
      if (!leading.signal.aborted) failure = { error };
      else if (error !== leading.signal.reason) parts.onLateError(error);
      leading.abort(error);
    },
  );
  const unfollow = whenAborted(signal, () => leading.abort(signal.reason));
  await new Promise<void>((resolve) => whenAborted(leading.signal, resolve));
  unfollow();
  const drained = await inTime(work, parts.drainTimeoutMs, parts.clock);
  over.abort();
  await keeping;
  return { loss, failure, drained };
}

/** Resolves with true if a promise settles in time. */
function inTime(promise: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(() => resolve(false), ms);
    void promise.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
}
