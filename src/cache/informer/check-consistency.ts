import type { ListWatch } from "../../client/resource/collection.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import type { SelectorOptions } from "../../meta/options.js";
import { metadataOf, objectKey } from "../store/object-key.js";
import type { Informer, WaitOptions } from "./informer.js";

/** Options for `checkConsistency`. */
export interface CheckConsistencyOptions extends WaitOptions, SelectorOptions {}

/** An object whose version differs between the store and the server. */
export interface Difference {
  /** Key of the object, `namespace/name`. */
  readonly key: string;
  /** Version in the store; `undefined` if the store doesn't have the object. */
  readonly cached: string | undefined;
  /** Version on the server; `undefined` if the server doesn't have the object. */
  readonly listed: string | undefined;
}

/**
 * Compares an informer's store with a list from the server at exactly the store's version and returns the differences;
 * an empty array if they agree. Use it to verify a server, a proxy or this library. It waits until the informer is
 * synced and lists in pages. `source` and the selectors must be those of the informer.
 *
 * Rejects with the errors of `synced` and of a list, with a `StatusError` (410) if the server no longer has that
 * version, and with a `KubestreamError` if the store has no version.
 *
 * @example
 * ```ts
 * import { checkConsistency, createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const pods = client.resource(Pod);
 * const informer = createInformer(pods);
 * for (const { key, cached, listed } of await checkConsistency(informer, pods)) {
 *   console.error(`${key}: cached ${cached}, server ${listed}`);
 * }
 * ```
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
    throw new KubestreamError(`cannot check ${informer.description}: the store has no resourceVersion`);
  // Copied up front because the store keeps changing while the server responds.
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
