import type { ListerWatcher } from "../../client/resource/collection.js";
import type { DecodeOptions, SelectorOptions } from "../../meta/options.js";
import type { Shard } from "./shard.js";

/** Options that decide which informers are equal. */
interface KeyOptions extends SelectorOptions {
  readonly shard?: Shard | undefined;
  readonly projection?: string | undefined;
  readonly decode?: DecodeOptions | undefined;
}

/** Returns a function that maps a collection and its options to a string; equal collections have equal strings. */
export function createCollectionKeys(): (source: ListerWatcher<unknown>, options: KeyOptions) => string {
  // Weak, so that scopes can be garbage-collected along with their collections.
  const scopes = new WeakMap<object, number>();
  let scopesSeen = 0;
  return (source, options) => {
    // A collection without a `cacheScope` is only equal to itself.
    const scope = source.cacheScope ?? source;
    if (!scopes.has(scope)) scopes.set(scope, scopesSeen++);
    const { labelSelector, fieldSelector, shardSelector, projection, shard, decode } = options;
    return JSON.stringify([
      scopes.get(scope),
      source.cacheKey ?? source.description,
      labelSelector ?? "",
      fieldSelector ?? "",
      shardSelector ?? "",
      shard ?? null,
      projection ?? "",
      decode?.managedFields ?? "keep",
    ]);
  };
}
