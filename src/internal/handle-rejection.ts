/**
 * Handles the rejection of a promise that a callback returned although its type doesn't allow one. Unhandled, it would end
 * the process. Default: the rejection is ignored.
 */
export function handleRejection(result: unknown, onError: (error: unknown) => void = () => undefined): void {
  if (result instanceof Promise) result.catch(onError);
}
