import type { ListMeta } from "../meta/list.js";
import type { DecodeOptions } from "../meta/options.js";
import type { RawWatchEvent } from "../meta/watch-event.js";

/** Takes the bytes of one list as they arrive and gives its items as soon as they are whole. */
export interface ListDecoder {
  /** Takes any piece of the body; answers with the items completed by it. Throws a `ProtocolError` on bytes that make no list. */
  push(chunk: Uint8Array): readonly object[];
  /** Ends the body: gives the remaining items and all else there was. Throws a `ProtocolError` on a list that is not whole. */
  end(): {
    readonly items: readonly object[];
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata: ListMeta;
  };
}

/** Takes the bytes of a watch as they arrive and gives its events as soon as they are whole. */
export interface WatchDecoder {
  /** Takes any piece of the stream; answers with the events completed by it. Throws a `ProtocolError` on a broken frame. */
  push(chunk: Uint8Array): readonly RawWatchEvent[];
  /** Ends the stream. Throws a `ProtocolError` if it ends inside a frame. */
  end(): void;
}

/** What a codec is told of the resource whose bytes it handles. */
export interface CodecTarget {
  /** API group. */
  readonly group: string;
  /** API version. */
  readonly version: string;
  /** Kind. */
  readonly kind: string;
  /** True for kinds served from a CustomResourceDefinition. */
  readonly custom?: boolean;
}

/** One encoding of API objects: bytes on one side, the plain objects of the JSON API on the other. */
export interface Codec {
  /** Media type of single objects and lists, as `application/json`. */
  readonly mediaType: string;
  /** Media type that a watch's response carries, as `application/cbor-seq`. */
  readonly watchMediaType: string;
  /** Whether this codec can carry objects of the kind. */
  supports(target: CodecTarget): boolean;
  /** Encodes one object. Throws a `ProtocolError` for what the encoding cannot carry. */
  encode(object: object): Uint8Array;
  /** Decodes one object. Throws a `ProtocolError` naming the offset. */
  decode(bytes: Uint8Array, options?: DecodeOptions): object;
  /** Decodes a list as it arrives. */
  createListDecoder(options?: DecodeOptions): ListDecoder;
  /** Decodes a watch as it arrives. Frames longer than `maxFrameBytes` (default 64 MiB) are a `ProtocolError`. */
  createWatchDecoder(options?: DecodeOptions & { readonly maxFrameBytes?: number }): WatchDecoder;
}
