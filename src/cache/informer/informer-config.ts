import type { ReflectorConfig } from "../reflector/reflector-config.js";
import { reflectorConfig } from "../reflector/reflector-config.js";
import type { StoreReader } from "../store/store.js";
import type { InformerOptions } from "./informer.js";
import { stripManagedFields } from "./transform.js";

/** Derives the reflector's configuration. With `shareStructure` the codec reuses unchanged parts of stored objects. */
export function informerConfig<T, R>(options: InformerOptions<T, R>, store: StoreReader<R>): ReflectorConfig {
  const previous = (namespace: string | undefined, name: string): object | undefined =>
    store.get(namespace === undefined ? name : `${namespace}/${name}`) as object | undefined;
  return reflectorConfig({
    ...options,
    shardSelector: options.shard?.shardSelector ?? options.shardSelector,
    decode: {
      ...options.decode,
      managedFields: options.decode?.managedFields ?? managedFieldsFor(options),
      previous: options.shareStructure === true && options.transform === undefined ? previous : undefined,
      pool: options.transform === undefined && options.freeze !== false ? store : undefined,
    },
  });
}

/**
 * Parsing managed fields takes as long as parsing the rest of an object, so they are parsed on demand unless a
 * transform may read them.
 */
function managedFieldsFor<T, R>({ transform }: InformerOptions<T, R>): "keep" | "drop" | "lazy" {
  if (transform === undefined) return "lazy";
  return (transform as unknown) === stripManagedFields ? "drop" : "keep";
}
