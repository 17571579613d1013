import type { CelValue } from "../../values/values.js";

/** Methods of a type by name; the second parameter is the first argument of the call. */
export type Methods<T> = Readonly<Record<string, (self: T, other: CelValue | undefined) => CelValue | undefined>>;

/** Calls a method of a type; returns `undefined` for an unknown one. */
export function callOwn<T>(
  methods: Methods<T>,
  name: string,
  self: T,
  [other]: readonly CelValue[],
): CelValue | undefined {
  return Object.hasOwn(methods, name) ? methods[name]!(self, other) : undefined;
}
