import type { ListDecoder } from "./codec.js";

/** Bytes of a stream, joined for a reader; `ChunkBuffer` is one. */
interface ChunkStream {
  push(chunk: Uint8Array): void;
  more(): boolean;
  settle(): void;
}

/** The part that incremental list decoders share: feeds chunks to the `step` of a format until nothing more can be taken. */
export abstract class SteppedListDecoder implements ListDecoder {
  protected abstract readonly stream: ChunkStream;

  /** Takes the next part of the list, such as an item, which goes to `items`. Returns `false` if it has not arrived completely. */
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

/** Builds the result of `end` from what surrounds the items; fields of a wrong type are left out. */
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
