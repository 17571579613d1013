import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Limit for configuration, token and certificate files: 16 MiB, many times more than they need. */
const maxBytes = 16 * 1024 * 1024;
const pieceBytes = 64 * 1024;

/** A file that isn't read although the system would allow it. The message is the reason. */
class UnreadableError extends Error {}

/**
 * Reads a configuration file of at most 16 MiB. Rejects for anything but a regular file: reading a pipe can wait for
 * ever, and a device may never end.
 */
export async function readConfigFile(file: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe waits for its writer. Windows doesn't define the flag.
  const handle = await open(file, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
  try {
    if (!(await handle.stat()).isFile()) throw new UnreadableError("is not a regular file");
    const pieces: Buffer[] = [];
    for (let length = 0; ; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
      if (bytesRead === 0) return Buffer.concat(pieces);
      length += bytesRead;
      if (length > maxBytes) throw new UnreadableError(`is longer than ${maxBytes} bytes`);
      pieces.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** Describes an error of `readConfigFile` for a message that ends with it: `cannot be read (ENOENT)`. */
export function readFailure(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  return `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
}
