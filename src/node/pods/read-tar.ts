import { ProtocolError } from "../../errors/errors.js";
import type { TarHeader } from "./tar-header.js";
import { blockSize, decodePax, decodeTarHeader, paddingOf } from "./tar-header.js";

const maxExtraBytes = 1024 * 1024;

/** Takes the entries of an archive, in order. */
export interface TarSink {
  /** Called for each entry; answers with who takes a file's bytes, or nothing if they are not wanted. */
  entry(header: TarHeader): Promise<((chunk: Uint8Array) => Promise<void>) | undefined>;
  /** Called when an entry has ended. */
  ended(header: TarHeader): Promise<void>;
}

/** Reads a tar archive (ustar, pax, GNU long names) as it arrives. Rejects with a `ProtocolError` if it is broken or ends too early. */
export async function readTar(bytes: AsyncIterable<Uint8Array>, sink: TarSink): Promise<void> {
  const source = createByteSource(bytes);
  let extra = new Map<string, string>();
  for (;;) {
    const header = decodeTarHeader(await source.exactly(blockSize));
    if (!header) break;
    if (["x", "g", "L", "K"].includes(header.letter)) {
      if (header.size > maxExtraBytes)
        throw new ProtocolError("the tar archive is broken: a header of headers is too long");
      const content = await source.exactly(header.size);
      await source.exactly(paddingOf(header.size));
      if (header.letter === "x") extra = new Map([...extra, ...decodePax(content)]);
      if (header.letter === "L") extra.set("path", Buffer.from(content).toString("utf8").replace(/\0+$/, ""));
      continue;
    }
    const size = Number(extra.get("size") ?? header.size);
    if (!Number.isSafeInteger(size) || size < 0)
      throw new ProtocolError("the tar archive is broken: a size is no number");
    const type = header.letter === "0" || header.letter === "7" ? "file" : header.letter === "5" ? "folder" : "other";
    const entry: TarHeader = {
      path: (extra.get("path") ?? header.path).replace(/\/+$/, ""),
      type,
      mode: header.mode,
      mtime: Number(extra.get("mtime") ?? header.mtime),
      size: type === "file" ? size : 0,
    };
    extra = new Map();
    const take = await sink.entry(entry);
    await source.pass(size, async (chunk) => take?.(chunk));
    await source.exactly(paddingOf(size));
    await sink.ended(entry);
  }
  // Whoever wrote it may still be filling up its last record.
  await source.rest();
}

function createByteSource(bytes: AsyncIterable<Uint8Array>) {
  const chunks = bytes[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();

  async function more(): Promise<void> {
    const result = await chunks.next();
    if (result.done) throw new ProtocolError("the tar archive ends too early");
    held = held.length === 0 ? result.value : Buffer.concat([held, result.value]);
  }

  function take(length: number): Uint8Array {
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  }

  return {
    async exactly(length: number): Promise<Uint8Array> {
      while (held.length < length) await more();
      return take(length);
    },
    async pass(length: number, to: (chunk: Uint8Array) => Promise<void>): Promise<void> {
      for (let left = length; left > 0; ) {
        if (held.length === 0) await more();
        const chunk = take(Math.min(left, held.length));
        left -= chunk.length;
        await to(chunk);
      }
    },
    async rest(): Promise<void> {
      while (!(await chunks.next()).done);
    },
  };
}
