import type { DecodeOptions } from "../../meta/options.js";

/** A member that is an object or an array. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Structure that the objects of one pool share when they're decoded from JSON. */
export interface JsonSharing {
  /** Starts an object. */
  begin(size: number): void;
  /** Defers the managed fields of the object's metadata. Returns false if the object is too long. */
  add(metadata: object, bytes: Uint8Array, start: number, end: number): boolean;
  /**
   * Defers these members of the object, and replaces equal parts of its metadata by those of earlier objects. Returns
   * false if the object is too long or the members can't be stored together with managed fields.
   */
  finish(object: object, metadata: Record<string, unknown>, bytes: Uint8Array, members: readonly Member[]): boolean;
}

/** Decode options with the structure that objects of their pool share. */
export interface SharingOptions extends DecodeOptions {
  /** Set only for objects whose deferred members are stored together. */
  readonly sharing?: JsonSharing | undefined;
}
