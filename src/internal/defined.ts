/** Options with the defaults of the properties `K` filled in: these are neither absent nor `undefined`. */
export type Defaulted<T, K extends keyof T = keyof T> = Omit<T, K> & {
  readonly [P in K]-?: Exclude<T[P], undefined>;
};

/** An object without properties that are `undefined`. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Drops the properties that are `undefined`. Options accept `undefined` for "not set", so options that are spread over
 * others go through this first.
 */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Defined<T>;
}
