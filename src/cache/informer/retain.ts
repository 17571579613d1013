import { deepFreeze } from "../../codec/freeze.js";
import { isDevelopment } from "./freeze.js";
import type { InformerOptions } from "./informer.js";
import type { MutableMetrics } from "./informer-metrics.js";

/**
 * Returns a function that converts an object from the server to its stored form. It returns `undefined` for objects of
 * other shards and for objects whose transform throws.
 */
export function createRetain<T, R>(
  options: Pick<InformerOptions<T, R>, "transform" | "freeze" | "shard">,
  metrics: MutableMetrics,
  report: (error: unknown) => void,
): (object: T) => R | undefined {
  const { transform, shard } = options;
  const freeze = freezes(options);
  return (object) => {
    if (shard?.matches(object) === false) return undefined;
    try {
      const kept = transform === undefined ? (object as unknown as R) : transform(object);
      if (typeof kept !== "object" || kept === null || kept instanceof Promise)
        throw new TypeError(`options.transform returned ${describe(kept)}: it must return the object`);
      return freeze ? deepFreeze(kept) : kept;
    } catch (error) {
      metrics.objectsDropped++;
      report(error);
      return undefined;
    }
  };
}

/** Returns true if retained objects are to be frozen. */
export function freezes(options: Pick<InformerOptions<never, never>, "freeze">): boolean {
  return options.freeze ?? isDevelopment();
}

function describe(value: unknown): string {
  if (value instanceof Promise) {
    value.catch(() => undefined);
    return "a promise";
  }
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
