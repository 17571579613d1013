import { ConfigError } from "../../errors/errors.js";
import { isGone, isResourceExpired } from "../../errors/predicates.js";
import { linkAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { createIdleIterator, type IdleIterator } from "../../internal/streams/idle-iterator.js";
import type { List } from "../../meta/list.js";
import type { ListOptions } from "../../meta/options.js";
import { createPageTurner } from "./page-turner.js";
import { checkListOptions } from "./version-rules.js";

/** Progress of a paged list. */
export interface PagesProgress {
  /** Pages read so far. */
  readonly pages: number;
  /** Objects read so far. */
  readonly items: number;
  /** Objects still to come. Absent if the server doesn't count them. */
  readonly remaining?: number | undefined;
  /** Number of restarts because a continue token had expired. */
  readonly restarts: number;
  /** True if the rest of the list has a later version than its beginning. */
  readonly inconsistent: boolean;
}

/** Options for `pages` and `items`. */
export interface PagesOptions extends ListOptions {
  /**
   * Policy for an expired continue token (the server keeps tokens for a few minutes).
   * - `fail` (default) throws the `StatusError`.
   * - `continue` reads the rest at the latest version: nothing that existed throughout is missed, but the list isn't a
   * snapshot of one moment.
   * - `restart` starts over, at most 3 times. Objects are then yielded again, so `onRestart` is required: without it, a
   * `ConfigError` is thrown.
   */
  readonly onExpired?: "fail" | "continue" | "restart" | undefined;
  /**
   * Callback before a restarted list's first page. Discard everything received so far. If it throws or returns a promise
   * that rejects, so does the list.
   */
  readonly onRestart?: (() => void) | undefined;
  /** Callback after each page. */
  readonly onProgress?: ((progress: PagesProgress) => void) | undefined;
}

const maxRestarts = 3;

/** Reads a list page by page with a function that sends one request. */
export function readPages<T>(
  list: (options: ListOptions) => Promise<List<T>>,
  options: PagesOptions,
  timing: { readonly clock: Clock; readonly random: () => number },
): IdleIterator<List<T>> {
  const { onExpired = "fail", onRestart, onProgress, limit = 500, continue: first = "", ...rest } = options;
  const { resourceVersion, resourceVersionMatch, ...others } = rest;
  if (onExpired === "restart" && onRestart === undefined)
    throw new ConfigError(
      'options.onRestart is required when options.onExpired is "restart": use it to discard everything received so far',
    );
  const link = linkAbort(options.signal);
  const turner = createPageTurner(first, timing);
  let token = first;
  let begun = false;
  let page: List<T> | undefined;
  let pages = 0;
  let items = 0;
  let restarts = 0;
  let inconsistent = false;

  const fetch = async (): Promise<List<T>> => {
    const base = { ...others, limit, signal: link.signal };
    if (token !== "") return list({ ...base, continue: token });
    return list({
      ...base,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(resourceVersionMatch !== undefined && { resourceVersionMatch }),
    });
  };

  /**
   * Sets the token to resume with after a token expired, or throws if the policy says so. `expiries` counts the tokens
   * that expired since the last page.
   */
  const recover = async (error: unknown, expiries: number): Promise<void> => {
    if (token === "" || onExpired === "fail" || !(isResourceExpired(error) || isGone(error))) throw error;
    if (expiries > maxRestarts) throw error;
    const fresh = error.status.metadata?.continue;
    if (onExpired === "continue") {
      if (fresh === undefined || fresh === "" || fresh === token) throw error;
      inconsistent = true;
      token = fresh;
    } else {
      if (restarts >= maxRestarts) throw error;
      restarts++;
      pages = items = 0;
      token = "";
      await (onRestart?.() as unknown);
    }
    turner.restart(token);
  };

  return createIdleIterator({
    take() {
      const taken = page;
      page = undefined;
      return taken;
    },
    async fill() {
      if (begun && token === "") return false;
      if (!begun) checkListOptions({ ...options, limit });
      begun = true;
      await turner.pause(link.signal);
      let next: List<T> | undefined;
      for (let expiries = 1; next === undefined; expiries++) {
        try {
          next = await fetch();
        } catch (error) {
          await recover(error, expiries);
        }
      }
      token = turner.turn(next);
      pages++;
      items += next.items.length;
      const remaining = token === "" ? 0 : next.metadata.remainingItemCount;
      const progress = { pages, items, ...(remaining !== undefined && { remaining }), restarts, inconsistent };
      await (onProgress?.(progress) as unknown);
      page = next;
      return true;
    },
    stop() {
      link.abort(options.signal?.reason);
    },
  });
}

/** Iterates over the items of pages, until the signal aborts. */
export function readItems<T>(pages: IdleIterator<List<T>>, signal: AbortSignal | undefined): IdleIterator<T> {
  let items: readonly T[] = [];
  let at = 0;
  return createIdleIterator({
    take() {
      return at < items.length && signal?.aborted !== true ? items[at++] : undefined;
    },
    async fill() {
      signal?.throwIfAborted();
      const next = await pages.next();
      if (next.done === true) return false;
      items = next.value.items;
      at = 0;
      return true;
    },
    stop() {
      void pages.return();
    },
  });
}
