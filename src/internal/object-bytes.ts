/**
 * An object in the place of its JSON text, between a client and a server in one process. It has no bytes, so readers
 * check for it before they read bytes. The object is shared: neither side may modify it.
 */
export class ObjectBytes extends Uint8Array {
  readonly value: object;

  constructor(value: object) {
    super(0);
    this.value = value;
  }

  /** Parts of it are ordinary bytes. */
  static get [Symbol.species](): typeof Uint8Array {
    return Uint8Array;
  }
}
