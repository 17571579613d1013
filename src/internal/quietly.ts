import { handleRejection } from "./handle-rejection.js";

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
