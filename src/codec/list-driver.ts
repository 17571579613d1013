import type { ListDecoder } from "./codec.js";

/** Buffer that joins the chunks of a stream, such as `ChunkBuffer`. */
interface ChunkStream {
  push(chunk: Uint8Array): void;
  more(): boolean;
  settle(): void;
}

/** Base class of incremental list decoders. Feeds chunks to the format's `step` until nothing more can be decoded. */
export abstract class SteppedListDecoder implements ListDecoder {
  protected abstract readonly stream: ChunkStream;

  /** Decodes the next part of the list and adds an item to `items`. Returns false if the part is incomplete. */
  protected abstract step(items: object[]): boolean;

  abstract end(): ReturnType<ListDecoder["end"]>;

  push(chunk: Uint8Array): readonly object[] {
    const { stream } = this;
    const items: object[] = [];
    stream.push(chunk);
    while (this.step(items) || stream.more());
    stream.settle();
    return items;
  }
}

/** Builds the result of `end` from the fields around the items. Drops fields of the wrong type. */
export function listEnd(
  list: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly metadata?: unknown },
  items: readonly object[] = [],
): ReturnType<ListDecoder["end"]> {
  const { metadata, apiVersion, kind } = list;
  return {
    items,
    metadata: metadata ?? {},
    ...(typeof apiVersion === "string" ? { apiVersion } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
  };
}
