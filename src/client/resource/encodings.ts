import type { Codec } from "../../codec/codec.js";
import { unknownFieldCount } from "../../codec/unknown-fields.js";
import { ProtocolError } from "../../errors/errors.js";
import { isNotAcceptable, isUnsupportedMediaType } from "../../errors/predicates.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { Kind } from "../../meta/kind.js";
import { codecFor, watchCodecFor } from "../call/media-types.js";
import type { OpenResponse } from "../call/open-response.js";
import type { Call, Shared } from "../call/requester.js";

const jsonType = "application/json";

/** The encodings that the objects of one kind travel in. */
export class Encodings {
  readonly #shared: Shared;
  readonly #supported: readonly Codec[];
  readonly #mediaTypes: readonly string[];
  readonly #name: string;

  /** `jsonOnly` for what has another kind than its resource, as most subresources. */
  constructor(shared: Shared, kind: Kind, jsonOnly: boolean) {
    this.#shared = shared;
    this.#supported = shared.codecs.filter((codec) => (jsonOnly ? codec.mediaType === jsonType : codec.supports(kind)));
    this.#mediaTypes = this.#supported.map((codec) => codec.mediaType);
    this.#name = `${kind.group}/${kind.version}/${kind.plural}`;
  }

  /** Those that this server has not refused for the kind, the preferred one first. */
  get usable(): readonly Codec[] {
    const { refused } = this.#shared;
    return refused.size === 0
      ? this.#supported
      : this.#supported.filter((codec) => !refused.has(`${this.#name} ${codec.mediaType}`));
  }

  /** Their media types. */
  get mediaTypes(): readonly string[] {
    const { usable } = this;
    return usable === this.#supported ? this.#mediaTypes : usable.map((codec) => codec.mediaType);
  }

  /**
   * Does something in the preferred encoding, and where the server refuses that (406, or 415 for a body in it) again in
   * the next. It had not begun, so a write may be repeated. What was refused is remembered for the client's life.
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

  /** The codec of a response's body. */
  codecOf(response: OpenResponse): Codec {
    const type = response.info.headers.get("content-type");
    const codec = codecFor(this.#shared.codecs, type);
    if (codec) return codec;
    throw new ProtocolError(
      `expected ${this.mediaTypes.join(" or ")}, got ${type === null || type === "" ? "no content type" : type}`,
    );
  }

  /** The codec of a watch's stream. */
  watchCodecOf(response: OpenResponse): Codec {
    const type = response.info.headers.get("content-type");
    const codec = watchCodecFor(this.#shared.codecs, type);
    if (codec) return codec;
    throw new ProtocolError(
      `the server answered with a stream of ${type === null || type === "" ? "no type" : type}, which no codec of this client reads`,
    );
  }
}

/**
 * An object as a body in the preferred encoding; as JSON where that cannot carry it, as Protobuf a field that only the
 * user and a newer server know. Throws a `ProtocolError` where JSON would lose what was read as Protobuf.
 */
export function encodeBody(
  object: object,
  codec: Codec,
  contentType: string = codec.mediaType,
): NonNullable<Call["body"]> {
  const isProtobuf = codec.mediaType === protobufType;
  if (!isProtobuf && unknownFieldCount(object) > 0) {
    throw new ProtocolError(
      `the object was read as Protobuf and holds fields of a newer server that are not known here: ${codec.mediaType} cannot carry them back`,
    );
  }
  try {
    return { bytes: codec.encode(object), contentType };
  } catch (error) {
    if (!isProtobuf || unknownFieldCount(object) > 0 || !(error instanceof ProtocolError)) throw error;
    return { bytes: utf8Encode(JSON.stringify(object)), contentType: jsonType };
  }
}

const protobufType = "application/vnd.kubernetes.protobuf";
