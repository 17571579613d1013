import { ProtocolError } from "../../errors/errors.js";
import { backoffDelayMs } from "../../internal/backoff.js";
import { type Clock, sleep } from "../../internal/clock.js";

/**
 * Consecutive pages without objects that are read without a pause. A server may send an empty page with a continue token
 * if nothing in it matches the selector; one that never stops doing so must not be sent requests at full speed.
 */
export const freeEmptyPages = 10;

/** Error message for a page with the continue token that requested it. */
export const endlessList = "the list never ends: a page came with the continue token that requested it";

const backoff = { initialMs: 100, factor: 2, capMs: 10_000, jitter: 0.25 };

/** Follows the pages of a list, so that a broken server can't make a client send requests endlessly at full speed. */
export interface PageTurner {
  /** Waits before the next request if the last pages were empty. */
  pause(signal?: AbortSignal): Promise<void>;
  /**
   * Records a page and returns its continue token, `""` after the last page. Throws a `ProtocolError` if it is the token
   * of the page itself.
   */
  turn(page: {
    readonly items: readonly unknown[];
    readonly metadata: { readonly continue?: string | undefined };
  }): string;
  /** Starts over at a token. */
  restart(token: string): void;
}

/** Creates the state for one list that begins at `token`. */
export function createPageTurner(
  token: string,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): PageTurner {
  let current = token;
  let empty = 0;
  return {
    async pause(signal) {
      if (empty > freeEmptyPages) await sleep(backoffDelayMs(backoff, empty - freeEmptyPages, random()), clock, signal);
    },
    turn(page) {
      const next = page.metadata.continue ?? "";
      if (next !== "" && next === current) throw new ProtocolError(endlessList);
      empty = page.items.length === 0 ? empty + 1 : 0;
      current = next;
      return next;
    },
    restart(from) {
      current = from;
    },
  };
}
