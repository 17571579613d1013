/** An object and a configuration that can't be merged; the message contains the reason. */
export class MergeError extends Error {
  /** Name of the class. */
  override readonly name = "MergeError";
}
