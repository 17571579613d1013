/**
 * Handles the rejection of a promise that a callback returned although its type doesn't allow one. Unhandled, it would end
 * the process. Default: the rejection is ignored.
 */
export function handleRejection(result: unknown, onError: (error: unknown) => void = () => undefined): void {
  if (result instanceof Promise) result.catch(onError);
}

/** Wraps an observer callback so that its exceptions and the rejections of promises it returns are swallowed. */
export function quietly<A extends readonly unknown[]>(
  call: ((...given: A) => void) | undefined,
): (...given: A) => void {
  return (...given) => {
    try {
      handleRejection(call?.(...given));
    } catch {
      // An observer must not break what it observes.
    }
  };
}
