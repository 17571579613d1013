import { isGone, isResourceExpired } from "../../errors/predicates.js";
import { linkAbort } from "../../internal/abort.js";
import { createIdleIterator, type IdleIterator } from "../../internal/idle-iterator.js";
import type { List } from "../../meta/list.js";
import type { ListOptions } from "../../meta/options.js";
import { checkListOptions } from "./version-rules.js";

/** How far the reading of a list in pages has come. */
export interface PagesProgress {
  /** Pages read so far. */
  readonly pages: number;
  /** Objects read so far. */
  readonly items: number;
  /** Objects that are still to come; absent where the server does not count them. */
  readonly remaining?: number;
  /** How often the list was begun again because its token had expired. */
  readonly restarts: number;
  /** Whether the rest of the list is of a later version than its beginning. */
  readonly inconsistent: boolean;
}

/** Options of `pages` and `items`. */
export interface PagesOptions extends ListOptions {
  /**
   * What happens when the token for the next page has expired, after some minutes: `fail` (default) throws the
   * `StatusError`; `continue` goes on with the server's token for the rest at the latest version, so that the list is
   * not of one moment; `restart` begins again, at most 3 times, so that objects come more than once: see `onRestart`.
   */
  readonly onExpired?: "fail" | "continue" | "restart";
  /** Called before the first page of a list that is begun again: what came so far is void. */
  readonly onRestart?: () => void;
  /** Called after each page. */
  readonly onProgress?: (progress: PagesProgress) => void;
}

const maxRestarts = 3;

/** Reads a list page by page with the means of one request. */
export function readPages<T>(
  list: (options: ListOptions) => Promise<List<T>>,
  options: PagesOptions,
): IdleIterator<List<T>> {
  const { onExpired = "fail", onRestart, onProgress, limit = 500, continue: first = "", ...rest } = options;
  const { resourceVersion, resourceVersionMatch, ...others } = rest;
  const link = linkAbort(options.signal);
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

  /** Says how to go on after a token has expired; throws where it is not to go on. */
  const recover = (error: unknown): void => {
    if (token === "" || onExpired === "fail" || !(isResourceExpired(error) || isGone(error))) throw error;
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
      onRestart?.();
    }
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
      let next: List<T> | undefined;
      while (next === undefined) {
        try {
          next = await fetch();
        } catch (error) {
          recover(error);
        }
      }
      token = next.metadata.continue ?? "";
      pages++;
      items += next.items.length;
      const remaining = token === "" ? 0 : next.metadata.remainingItemCount;
      onProgress?.({ pages, items, ...(remaining !== undefined && { remaining }), restarts, inconsistent });
      page = next;
      return true;
    },
    stop() {
      link.abort(options.signal?.reason);
    },
  });
}

/** The items of pages, one by one. */
export function readItems<T>(pages: IdleIterator<List<T>>): IdleIterator<T> {
  let items: readonly T[] = [];
  let at = 0;
  return createIdleIterator({
    take() {
      return at < items.length ? items[at++] : undefined;
    },
    async fill() {
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
