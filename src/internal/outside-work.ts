/** Number of operations outside the event loop. */
let outside = 0;

/**
 * Returns true while an operation runs outside the event loop: the import of a module, or cryptography. That takes real
 * time, for which a virtual clock has to wait.
 */
export function isWorkingOutside(): boolean {
  return outside > 0;
}

/** Counts an operation outside the event loop until it ends. Returns its result. */
export async function workOutside<T>(work: Promise<T>): Promise<T> {
  outside++;
  try {
    return await work;
  } finally {
    outside--;
  }
}
