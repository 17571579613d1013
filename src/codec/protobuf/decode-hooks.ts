import type { Field } from "./table.js";

/** Policy for `managedFields` in a decoding. */
export type ManagedFields = "keep" | "drop" | "lazy";

/** Callbacks for the parts that the decoder leaves to its user. */
export interface DecodeHooks {
  /** Keeps the bytes of `managedFields` for later. */
  readonly keepManagedFields: (metadata: object, bytes: Uint8Array, start: number, end: number, field: Field) => void;
  /** Decodes a complete object nested inside another one. */
  readonly decodeNested: (bytes: Uint8Array, start: number, end: number) => object;
}
