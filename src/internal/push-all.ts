/**
 * Appends all values of some lists to a list. `list.push(...values)` passes each value as an argument, which overflows
 * the stack with about 100,000 of them.
 */
export function pushAll<T>(list: T[], ...sources: readonly Iterable<T>[]): void {
  for (const source of sources) for (const value of source) list.push(value);
}
