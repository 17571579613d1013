/** Wraps an observer callback so that its exceptions are swallowed. */
export function quietly<A extends readonly unknown[]>(
  call: ((...given: A) => void) | undefined,
): (...given: A) => void {
  return (...given) => {
    try {
      call?.(...given);
    } catch {
      // An observer must not break what it observes.
    }
  };
}
