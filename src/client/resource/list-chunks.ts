import type { ListDecoder } from "../../codec/codec.js";
import { linkAbort } from "../../internal/abort.js";
import { createIdleIterator, type IdleIterator } from "../../internal/streams/idle-iterator.js";
import type { List } from "../../meta/list.js";
import type { OpenResponse } from "../call/open-response.js";
import { type Redact, redactError } from "../call/redact-error.js";
import { withAction } from "../call/with-action.js";
import type { ListChunk } from "./collection.js";

/** Source of a list read in chunks. */
export interface ListChunkSource {
  /** Description of the list for messages. */
  readonly action: string;
  /** Replaces credentials in a text. */
  readonly redact: Redact;
  /** Sends the request. */
  open(signal: AbortSignal): Promise<OpenResponse>;
  /** Picks the decoder for the response's content type. */
  decoderOf(response: OpenResponse): ListDecoder;
  /** Throws for a list of another kind. */
  checkKind(kind: string | undefined): void;
  /** Converts an item to the handle's view. Absent if items need no conversion. */
  readonly item?: (item: object) => object;
}

/**
 * Reads a list as it arrives. Each chunk has the items received since the previous one; the last chunk has the
 * metadata.
 */
export function readListChunks(
  source: ListChunkSource,
  signal: AbortSignal | undefined,
): IdleIterator<ListChunk<unknown>> {
  const { action, item } = source;
  const link = linkAbort(signal);
  let open:
    | {
        readonly response: OpenResponse;
        readonly chunks: AsyncIterator<Uint8Array, undefined>;
        readonly decoder: ListDecoder;
      }
    | undefined;
  let ended = false;
  let left = false;

  /** `stop` may run at any await, so `open` is set in the same tick in which the response arrives. */
  const begin = async (): Promise<void> => {
    const response = await source.open(link.signal);
    try {
      if (left) response.close();
      else
        open = {
          response,
          chunks: response.body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>,
          decoder: source.decoderOf(response),
        };
    } catch (error) {
      response.close();
      throw error;
    }
  };
  const convert = (items: readonly object[]): readonly object[] => (item === undefined ? items : items.map(item));
  const read = async (): Promise<ListChunk<unknown> | undefined> => {
    if (open === undefined) await begin();
    while (open !== undefined) {
      const { done, value } = await open.chunks.next();
      if (done === true) {
        const end = open.decoder.end();
        source.checkKind(end.kind);
        ended = true;
        open.response.close();
        return { items: convert(end.items), metadata: end.metadata };
      }
      const items = open.decoder.push(value);
      if (items.length > 0) return { items: convert(items) };
    }
    return undefined;
  };

  return iterateChunks(
    async () => {
      if (ended) return undefined;
      try {
        return await read();
      } catch (error) {
        throw link.aborted ? error : redactError(withAction(error, action), source.redact);
      }
    },
    () => {
      left = true;
      open?.response.close();
      link.abort(signal?.reason);
    },
  );
}

/** Yields a list that arrives as a whole as a single chunk. */
export function readOneListChunk(
  list: (signal: AbortSignal) => Promise<List<unknown>>,
  signal: AbortSignal | undefined,
): IdleIterator<ListChunk<unknown>> {
  const link = linkAbort(signal);
  let ended = false;
  return iterateChunks(
    async () => {
      if (ended) return undefined;
      const { items, metadata } = await list(link.signal);
      ended = true;
      return { items, metadata };
    },
    () => link.abort(signal?.reason),
  );
}

/** Iterates over the chunks that `next` returns until it returns `undefined`. */
function iterateChunks(
  next: () => Promise<ListChunk<unknown> | undefined>,
  stop: () => void,
): IdleIterator<ListChunk<unknown>> {
  let chunk: ListChunk<unknown> | undefined;
  return createIdleIterator<ListChunk<unknown>>({
    take() {
      const taken = chunk;
      chunk = undefined;
      return taken;
    },
    async fill() {
      chunk = await next();
      return chunk !== undefined;
    },
    stop,
  });
}
