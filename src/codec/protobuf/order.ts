import { emptyObject, type MessageType } from "./table.js";

type Plain = Record<string, unknown>;

/** Returns the object of a message with its keys in JSON's order. */
export function sortKeys(object: Plain, type: MessageType, target: Plain = emptyObject(type)): Plain {
  const symbols = Object.getOwnPropertySymbols(object);
  if (symbols.length === 0) {
    for (const key of type.order) if (Object.hasOwn(object, key)) target[key] = object[key];
    return target;
  }
  // Deferred parts are accessors, and hidden properties belong to them.
  for (const key of [...type.order, ...symbols]) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property !== undefined) Object.defineProperty(target, key, property);
  }
  return target;
}

/** Returns the outermost object of a message with its keys in JSON's order, which is usually the same object. */
export function sortRoot(object: Plain, type: MessageType): Plain {
  const { ranks } = type;
  let last = -1;
  for (const key of Object.keys(object)) {
    const rank = ranks.get(key) ?? -1;
    if (rank < last) {
      const { kind, apiVersion } = object;
      return sortKeys(object, type, apiVersion === undefined ? { kind } : { kind, apiVersion });
    }
    last = rank;
  }
  return object;
}
