/** Tells of an error, and stops at what the telling throws: there is nobody left to tell. */
export function quietly(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error);
    } catch {
      // See above.
    }
  };
}
