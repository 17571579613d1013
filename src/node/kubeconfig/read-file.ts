import { open } from "node:fs/promises";

/** Limit for configuration, token and certificate files: 16 MiB, many times more than they need. */
const MAX_BYTES = 16 * 1024 * 1024;
const PIECE = 64 * 1024;

/** Reads a configuration file. Rejects with the code `EFBIG` after 16 MiB, because a device or a pipe may never end. */
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
