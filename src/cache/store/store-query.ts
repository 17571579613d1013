import {
  fieldValue,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "../../meta/selectors.js";
import { metadataOf } from "./object-key.js";
import type { IndexFunction } from "./store-index.js";

/** Which objects of a store are asked for. All that is given must hold. */
export interface StoreQuery {
  /** Only objects of this namespace. */
  readonly namespace?: string;
  /** Only objects whose labels match, as `app=web,tier!=db`. */
  readonly labelSelector?: string;
  /** Only objects whose fields match, as `status.phase=Running`; any path to a single value will do. */
  readonly fieldSelector?: string;
}

/** An index and a value in it. */
export interface IndexLookup<T> {
  /** Name of the index. */
  readonly name: string;
  /** The value. */
  readonly value: string;
  /** Function of the index, for a store that does not have it yet. */
  readonly valuesOf: IndexFunction<T>;
}

/** A query made ready. */
export interface CompiledQuery<T> {
  /** Whether an object is asked for. */
  readonly matches: (object: T) => boolean;
  /** Indexes that narrow it down, one of which is enough. */
  readonly lookups: readonly IndexLookup<T>[];
}

const namespaceOf: IndexFunction<unknown> = (object) => {
  const namespace = metadataOf(object)?.namespace;
  return namespace === undefined ? [] : [namespace];
};

/** Makes a query ready. Throws a `TypeError` for selectors that are none. */
export function compileQuery<T>(query: StoreQuery): CompiledQuery<T> {
  const { namespace } = query;
  const labels = parseLabelSelector(query.labelSelector ?? "");
  const fields = parseFieldSelector(query.fieldSelector ?? "");
  const lookups: IndexLookup<T>[] = [];
  for (const { key, operator, values } of labels) {
    if (operator === "in" && values.length === 1)
      lookups.push({ name: `label ${key}`, value: values[0]!, valuesOf: labelIndex(key) });
  }
  for (const { path, operator, value } of fields) {
    if (operator === "=")
      lookups.push({ name: `field ${path}`, value, valuesOf: (object) => [fieldValue(object, path)] });
  }
  if (namespace !== undefined) lookups.push({ name: "namespace", value: namespace, valuesOf: namespaceOf });
  return {
    lookups,
    matches(object) {
      const metadata = metadataOf(object);
      if (namespace !== undefined && metadata?.namespace !== namespace) return false;
      return matchesLabels(labels, metadata?.labels) && matchesFields(fields, object);
    },
  };
}

function labelIndex(key: string): IndexFunction<unknown> {
  return (object) => {
    const labels = metadataOf(object)?.labels;
    return labels !== undefined && Object.hasOwn(labels, key) ? [labels[key]!] : [];
  };
}
