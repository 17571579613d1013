import type { ListDecoder } from "../../codec/codec.js";
import { linkAbort } from "../../internal/abort.js";
import { createIdleIterator, type IdleIterator } from "../../internal/idle-iterator.js";
import type { List } from "../../meta/list.js";
import type { OpenResponse } from "../call/open-response.js";
import { withAction } from "../call/with-action.js";
import type { ListSlice } from "./collection.js";

/** What the slices of one list are read with. */
export interface SliceSource {
  /** What is attempted, for messages. */
  readonly action: string;
  /** Sends the request. */
  open(signal: AbortSignal): Promise<OpenResponse>;
  /** Picks the decoder by the response's type. */
  decoderOf(response: OpenResponse): ListDecoder;
  /** Throws for a list of another kind. */
  checkKind(kind: string | undefined): void;
  /** Makes an item what the caller expects; absent where it stays as it is. */
  readonly item?: (item: object) => object;
}

/** Reads one list as it arrives: each slice has the items that came since the last, the last the metadata. */
export function readSlices(source: SliceSource, signal: AbortSignal | undefined): IdleIterator<ListSlice<unknown>> {
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

  /** What is opened is noted in the same moment: `stop` may come in any. */
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
  const made = (items: readonly object[]): readonly object[] => (item === undefined ? items : items.map(item));
  const read = async (): Promise<ListSlice<unknown> | undefined> => {
    if (open === undefined) await begin();
    while (open !== undefined) {
      const { done, value } = await open.chunks.next();
      if (done === true) {
        const end = open.decoder.end();
        source.checkKind(end.kind);
        ended = true;
        open.response.close();
        return { items: made(end.items), metadata: end.metadata };
      }
      const items = open.decoder.push(value);
      if (items.length > 0) return { items: made(items) };
    }
    return undefined;
  };

  return iterateSlices(
    async () => {
      if (ended) return undefined;
      try {
        return await read();
      } catch (error) {
        throw withAction(error, action);
      }
    },
    () => {
      left = true;
      open?.response.close();
      link.abort(signal?.reason);
    },
  );
}

/** A list that is there as a whole or not at all, as one slice. */
export function readOneSlice(
  list: (signal: AbortSignal) => Promise<List<unknown>>,
  signal: AbortSignal | undefined,
): IdleIterator<ListSlice<unknown>> {
  const link = linkAbort(signal);
  let ended = false;
  return iterateSlices(
    async () => {
      if (ended) return undefined;
      const { items, metadata } = await list(link.signal);
      ended = true;
      return { items, metadata };
    },
    () => link.abort(signal?.reason),
  );
}

/** Slices from `next`, until it has none. */
function iterateSlices(
  next: () => Promise<ListSlice<unknown> | undefined>,
  stop: () => void,
): IdleIterator<ListSlice<unknown>> {
  let slice: ListSlice<unknown> | undefined;
  return createIdleIterator<ListSlice<unknown>>({
    take() {
      const taken = slice;
      slice = undefined;
      return taken;
    },
    async fill() {
      slice = await next();
      return slice !== undefined;
    },
    stop,
  });
}
