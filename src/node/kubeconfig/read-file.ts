import { open } from "node:fs/promises";

/** Longest file that is read as configuration, token or certificates: 16 MiB. Many times what any of them needs. */
const MAX_BYTES = 16 * 1024 * 1024;
const PIECE = 64 * 1024;

/** All of a file of configuration. A device or a pipe may have no end: rejects with the code `EFBIG` after 16 MiB. */
export async function readConfigFile(file: string): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const pieces: Buffer[] = [];
    for (let length = 0; ; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE), 0, PIECE, null);
      if (bytesRead === 0) return Buffer.concat(pieces);
      length += bytesRead;
      if (length > MAX_BYTES)
        throw Object.assign(new Error(`${file} is longer than ${MAX_BYTES} bytes`), { code: "EFBIG" });
      pieces.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
