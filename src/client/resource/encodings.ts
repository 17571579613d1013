import type { Codec } from "../../codec/codec.js";
import { encodeJson } from "../../codec/json/encode.js";
import { unknownFieldCount } from "../../codec/unknown-fields.js";
import { ProtocolError } from "../../errors/errors.js";
import { isNotAcceptable, isUnsupportedMediaType } from "../../errors/predicates.js";
import type { Kind } from "../../meta/kind.js";
import { codecFor, watchCodecFor } from "../call/media-types.js";
import type { OpenResponse } from "../call/open-response.js";
import type { Call, Shared } from "../call/requester.js";

const jsonType = "application/json";

/** Encodings available for the objects of one kind. */
export class Encodings {
  readonly #shared: Shared;
  /** Codecs for responses. */
  readonly #readable: readonly Codec[];
  readonly #supported: readonly Codec[];
  readonly #mediaTypes: readonly string[];
  readonly #name: string;

  /** `jsonOnly`: for subresources whose kind differs from the resource's. `bulk` is preferred to the client's codecs. */
  constructor(shared: Shared, kind: Kind, jsonOnly: boolean, bulk?: Codec) {
    this.#shared = shared;
    const withBulk = (codecs: readonly Codec[]): readonly Codec[] =>
      bulk === undefined ? codecs : [bulk, ...codecs.filter(({ mediaType }) => mediaType !== bulk.mediaType)];
    const codecs = withBulk(shared.codecs);
    this.#readable = withBulk(shared.readable);
    this.#supported = codecs.filter((codec) => (jsonOnly ? codec.mediaType === jsonType : codec.supports(kind)));
    this.#mediaTypes = this.#supported.map((codec) => codec.mediaType);
    this.#name = `${kind.group}/${kind.version}/${kind.plural}`;
  }

  /** Returns the codecs that this server hasn't refused for the kind, the preferred one first. */
  get usable(): readonly Codec[] {
    const { refused } = this.#shared;
    return refused.size === 0
      ? this.#supported
      : this.#supported.filter((codec) => !refused.has(`${this.#name} ${codec.mediaType}`));
  }

  /** Returns the media types of the usable codecs. */
  get mediaTypes(): readonly string[] {
    const { usable } = this;
    return usable === this.#supported ? this.#mediaTypes : usable.map((codec) => codec.mediaType);
  }

  /**
   * Calls `act` with the preferred encoding, and with the next one if the server refuses it (406, or 415 for an encoded
   * body). The server refuses before it starts, so a write can be repeated. The client remembers refused encodings for
   * its lifetime.
   */
  attempt<R>(act: (preferred: Codec) => Promise<R>, bodyIsEncoded: boolean): Promise<R> {
    const { usable } = this;
    return usable.length === 1 ? act(usable[0]!) : this.#attemptEach(act, bodyIsEncoded);
  }

  async #attemptEach<R>(act: (preferred: Codec) => Promise<R>, bodyIsEncoded: boolean): Promise<R> {
    for (;;) {
      const [preferred, ...others] = this.usable;
      try {
        return await act(preferred!);
      } catch (error) {
        if (others.length === 0 || !(isNotAcceptable(error) || (bodyIsEncoded && isUnsupportedMediaType(error))))
          throw error;
        this.#shared.refused.add(`${this.#name} ${preferred!.mediaType}`);
      }
    }
  }

  /** Returns the codec for a response's body. Throws a `ProtocolError` if none fits. */
  codecOf(response: OpenResponse): Codec {
    return this.#codec(codecFor, response, "");
  }

  /** Returns the codec for a watch stream. Throws a `ProtocolError` if none fits. */
  watchCodecOf(response: OpenResponse): Codec {
    return this.#codec(watchCodecFor, response, "a watch stream in ");
  }

  #codec(find: typeof codecFor, { info }: OpenResponse, form: string): Codec {
    const type = info.headers.get("content-type");
    const codec = find(this.#readable, type);
    if (codec) return codec;
    throw new ProtocolError(
      `expected ${form}${this.mediaTypes.join(" or ")}, got ${type === null || type === "" ? "no content type" : type}`,
    );
  }
}

/**
 * Encodes an object in the preferred encoding. Falls back to JSON if Protobuf can't carry a field, such as one that
 * only the caller and a newer server know. Throws a `ProtocolError` if JSON would lose fields that were read as
 * Protobuf.
 */
export function encodeBody(
  object: object,
  codec: Codec,
  contentType: string = codec.mediaType,
): NonNullable<Call["body"]> {
  const isProtobuf = codec.mediaType === protobufType;
  if (!isProtobuf && unknownFieldCount(object) > 0) {
    throw new ProtocolError(
      `the object was read as Protobuf and has fields that this version doesn't know; ${codec.mediaType} would drop them: write it with the Protobuf codec, or read it as JSON`,
    );
  }
  try {
    return { bytes: codec.encode(object), contentType };
  } catch (error) {
    if (!isProtobuf || unknownFieldCount(object) > 0 || !(error instanceof ProtocolError)) throw error;
    return { bytes: encodeJson(object), contentType: jsonType };
  }
}

const protobufType = "application/vnd.kubernetes.protobuf";
