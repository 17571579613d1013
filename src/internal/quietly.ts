/** Makes a call of what only looks on: what it throws is dropped, for there is nobody left to tell. */
export function quietly<A extends readonly unknown[]>(
  call: ((...given: A) => void) | undefined,
): (...given: A) => void {
  return (...given) => {
    try {
      call?.(...given);
    } catch {
      // See above.
    }
  };
}
