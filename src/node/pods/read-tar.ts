import { ProtocolError } from "../../errors/errors.js";
import { concatBytes } from "../../internal/bytes.js";
import { trimEnd } from "../../internal/trim-end.js";
import { loadPackage } from "../transport/load-package.js";

const blockBytes = 512;

/** Entry of a tar archive. */
export interface TarEntry {
  /** Path with `/` as the separator, without a trailing one. */
  readonly path: string;
  /** Type of the entry. Links, devices and pipes are `other`. */
  readonly type: "file" | "folder" | "other";
  /** Permission bits. */
  readonly mode: number;
  /** Modification time. */
  readonly mtime: Date;
  /** Content of a file. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Loads the package that reads and writes tar archives. */
export function loadTar(): Promise<typeof import("modern-tar")> {
  return loadPackage("modern-tar", () => import("modern-tar"));
}

/**
 * Reads a tar archive (ustar, pax, GNU long names) from a stream. Skips the rest of a body that the caller doesn't
 * read. Throws a `ProtocolError` if the archive is broken or truncated, and rethrows errors of the source.
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void, undefined> {
  const { createTarDecoder } = await loadTar();
  const { readable, writable } = createTarDecoder({ strict: true });
  let sourceFailure: { readonly error: unknown } | undefined;
  const asFailure = (error: unknown): unknown =>
    sourceFailure ? sourceFailure.error : new ProtocolError(`the tar archive is broken: ${(error as Error).message}`);

  async function* source(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* bytes;
    } catch (error) {
      sourceFailure = { error };
      throw error;
    }
  }

  async function* guarded<T>(values: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* values;
    } catch (error) {
      throw asFailure(error);
    }
  }

  // The reader sees the error.
  void feed(source(), writable).catch(() => undefined);
  for await (const { header, body } of guarded(readable)) {
    yield {
      path: trimEnd(header.name, "/"),
      type: header.type === "file" ? "file" : header.type === "directory" ? "folder" : "other",
      mode: header.mode ?? 0,
      mtime: header.mtime ?? new Date(0),
      body: guarded(body),
    };
    await body.cancel();
  }
}

async function feed(bytes: AsyncIterable<Uint8Array>, writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  // The decoder handles whole blocks, so smaller chunks wait for the rest of theirs.
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const write = async (): Promise<void> => {
    const piece = concatBytes(held);
    held = [];
    heldBytes = 0;
    await writer.write(piece);
  };
  try {
    for await (const chunk of bytes) {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes >= blockBytes) await write();
    }
    if (heldBytes > 0) await write();
    await writer.close();
  } catch (error) {
    await writer.abort(error);
  }
}
