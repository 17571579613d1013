/** An object and a configuration that do not go together; the message tells why. */
export class MergeError extends Error {
  /** Name of the class. */
  override readonly name = "MergeError";
}
