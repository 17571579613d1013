import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import { concatBytes } from "../internal/bytes.js";
import type { PodTarget } from "./pod-target.js";
import type { ExecOptions } from "./remote-command.js";
import { exec } from "./remote-command.js";

/** Options of `runCommand`. */
export interface RunCommandOptions extends Omit<ExecOptions, "stdin" | "stdout" | "stderr" | "tty"> {
  /** What is written to its standard input. Default: nothing, and it has none. */
  readonly input?: Uint8Array | string;
  /** Most bytes of output that are kept, of each of the two. Default 16 MiB. */
  readonly maxOutputBytes?: number;
}

/** What a command left behind. */
export interface CommandResult {
  /** Its exit code. */
  readonly code: number;
  /** Its standard output. */
  readonly stdout: Uint8Array;
  /** Its standard error. */
  readonly stderr: Uint8Array;
}

/** Runs a command to its end and collects its output. Rejects with a `ProtocolError` for more output than is kept; an exit code other than 0 is no error. */
export async function runCommand(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  options: RunCommandOptions,
): Promise<CommandResult> {
  const { input, maxOutputBytes = 16 * 1024 * 1024, ...rest } = options;
  const session = await exec(client, pod, { ...rest, stdin: input !== undefined });
  try {
    if (input !== undefined && session.protocol === "v4.channel.k8s.io")
      throw new ProtocolError("the server cannot end the command's standard input: it speaks only v4.channel.k8s.io");
    const feeding = input === undefined ? Promise.resolve() : session.write(input).then(() => session.end());
    // A command that does not read its input to the end is not wrong: its exit code tells.
    feeding.catch(() => undefined);
    const [stdout, stderr, { code }] = await Promise.all([
      collect(session.stdout, maxOutputBytes),
      collect(session.stderr, maxOutputBytes),
      session.exited,
    ]);
    return { code, stdout, stderr };
  } finally {
    await session.close();
  }
}

async function collect(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > limit) throw new ProtocolError(`the command printed more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return concatBytes(chunks);
}
