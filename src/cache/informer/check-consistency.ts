import type { ListWatch } from "../../client/resource/collection.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import type { SelectorOptions } from "../../meta/options.js";
import { metadataOf, objectKey } from "../store/object-key.js";
import type { Informer, WaitOptions } from "./informer.js";

/** Options for `checkConsistency`. */
export interface CheckConsistencyOptions extends WaitOptions, SelectorOptions {}

/** An object that a store and the server do not agree on. */
export interface Difference {
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** Version that the store shows; absent where it has no such object. */
  readonly cached: string | undefined;
  /** Version that the server had; absent where it had no such object. */
  readonly listed: string | undefined;
}

/**
 * Compares what an informer shows with what the server says of exactly that version: whoever doubts a server, a proxy or
 * this library can ask. It waits for the informer to be synced, lists in pages, and answers with the differences: none if all is
 * well. `source` and the selectors must be the informer's. Rejects as `synced` does, as a list does, with a `StatusError` of 410 where
 * the server holds that version no more, and with a `KubestreamError` for a store without a version.
 */
export async function checkConsistency<T>(
  informer: Informer<unknown>,
  source: ListWatch<T>,
  options: CheckConsistencyOptions = {},
): Promise<readonly Difference[]> {
  const { timeoutMs, signal, ...selectors } = options;
  await informer.synced(options);
  const { store } = informer;
  const { resourceVersion } = store;
  if (resourceVersion === undefined)
    throw new KubestreamError(`compare ${informer.description}: the store has no version`);
  // Taken at once, for the store goes on while the server answers.
  const cached = new Map(Array.from(store.keys(), (key) => [key, metadataOf(store.get(key))?.resourceVersion]));
  const differences: Difference[] = [];
  const pages = source.pages({
    ...selectors,
    resourceVersion,
    resourceVersionMatch: "Exact",
    decode: { lazy: true },
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  for await (const { items } of pages) {
    for (const item of items) {
      const key = objectKey(item);
      const listed = metadataOf(item)?.resourceVersion;
      if (!cached.has(key) || cached.get(key) !== listed) differences.push({ key, cached: cached.get(key), listed });
      cached.delete(key);
    }
  }
  for (const [key, version] of cached) differences.push({ key, cached: version, listed: undefined });
  return differences;
}
