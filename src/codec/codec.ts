import type { ListMeta } from "../meta/list.js";
import type { DecodeOptions } from "../meta/options.js";
import type { RawWatchEvent } from "../meta/watch-event.js";

/** Incremental decoder for a list. Returns items as soon as their bytes are complete. */
export interface ListDecoder {
  /**
   * Decodes a chunk of the body and returns the items it completes. Throws a `ProtocolError` if the bytes aren't a
   * valid list.
   */
  push(chunk: Uint8Array): readonly object[];
  /**
   * Ends the body and returns the remaining items and the other fields of the list. Throws a `ProtocolError` if the
   * list is incomplete.
   */
  end(): {
    readonly items: readonly object[];
    readonly apiVersion?: string | undefined;
    readonly kind?: string | undefined;
    readonly metadata: ListMeta;
  };
}

/** Incremental decoder for a watch. Returns events as soon as their bytes are complete. */
export interface WatchDecoder {
  /**
   * Decodes a chunk of the stream and returns the events it completes. Throws a `ProtocolError` on a malformed frame.
   */
  push(chunk: Uint8Array): readonly RawWatchEvent[];
  /** Ends the stream. Throws a `ProtocolError` if it ends inside a frame. */
  end(): void;
}

/** Kind of the objects that a codec handles. */
export interface CodecTarget {
  /** API group; `""` for the core group. */
  readonly group: string;
  /** API version, such as `v1`. */
  readonly version: string;
  /** Name of the kind. */
  readonly kind: string;
  /** True for kinds served from a CustomResourceDefinition. */
  readonly custom?: boolean | undefined;
}

/**
 * Encoding of API objects. It converts between bytes and the plain objects of the JSON API.
 *
 * @example
 * ```ts
 * import type { Codec } from "kubestream/codec";
 * import { json } from "kubestream/codec";
 *
 * export function roundTrip(object: object, codec: Codec = json()): object {
 *   return codec.decode(codec.encode(object));
 * }
 * ```
 */
export interface Codec {
  /** Media type of single objects and lists, such as `application/json`. */
  readonly mediaType: string;
  /** Media type of a watch response, such as `application/cbor-seq`. */
  readonly watchMediaType: string;
  /** Returns true if the codec can encode objects of the kind. */
  supports(target: CodecTarget): boolean;
  /** Encodes one object. Throws a `ProtocolError` if the encoding can't represent it. */
  encode(object: object): Uint8Array;
  /** Decodes one object. Throws a `ProtocolError` that contains the offset. */
  decode(bytes: Uint8Array, options?: DecodeOptions): object;
  /** Creates an incremental decoder for a list. */
  createListDecoder(options?: DecodeOptions): ListDecoder;
  /**
   * Creates an incremental decoder for a watch. Frames longer than `maxFrameBytes` (default 64 MiB) throw a
   * `ProtocolError`.
   */
  createWatchDecoder(options?: DecodeOptions & { readonly maxFrameBytes?: number | undefined }): WatchDecoder;
}
