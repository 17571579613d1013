import {
  fieldValue,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "../../meta/selectors.js";
import { metadataOf } from "./object-key.js";
import type { IndexFunction } from "./store-index.js";

/** Filter for objects of a store. All given conditions must hold. */
export interface StoreQuery {
  /** Namespace of the objects. */
  readonly namespace?: string | undefined;
  /** Label selector, such as `app=web,tier!=db`. */
  readonly labelSelector?: string | undefined;
  /** Field selector, such as `status.phase=Running`. Any path to a scalar value is supported. */
  readonly fieldSelector?: string | undefined;
}

/** An index and a value to look up in it. */
export interface IndexLookup<T> {
  /** Name of the index. */
  readonly name: string;
  /** The value. */
  readonly value: string;
  /** Function of the index, used to create it if the store doesn't have it. */
  readonly valuesOf: IndexFunction<T>;
}

/** A validated query. */
export interface CompiledQuery<T> {
  /** Returns true if an object matches the query. */
  readonly matches: (object: T) => boolean;
  /** Index lookups that each return a superset of the matching objects. */
  readonly lookups: readonly IndexLookup<T>[];
}

const namespaceOf: IndexFunction<unknown> = (object) => {
  const namespace = metadataOf(object)?.namespace;
  return namespace === undefined ? [] : [namespace];
};

/** Validates a query. Throws a `TypeError` for invalid selectors. */
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
