import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import { concatBytes } from "../internal/bytes.js";
import type { PodTarget } from "./pod-target.js";
import type { ExecOptions } from "./remote-command.js";
import { exec } from "./remote-command.js";

/** Options for `runCommand`. */
export interface RunCommandOptions extends Omit<ExecOptions, "stdin" | "stdout" | "stderr" | "tty"> {
  /** Standard input of the command. Default: standard input is closed. */
  readonly input?: Uint8Array | string | undefined;
  /** Maximum size of standard output and of standard error, in bytes each. Default 16 MiB. */
  readonly maxOutputBytes?: number | undefined;
}

/** Result of `runCommand`. */
export interface CommandResult {
  /** Exit code. */
  readonly code: number;
  /** Content of standard output. */
  readonly stdout: Uint8Array;
  /** Content of standard error. */
  readonly stderr: Uint8Array;
}

/**
 * Runs a command in a container to its end and returns its output and exit code. A nonzero exit code is not an error.
 * Rejects with a `ProtocolError` if the output exceeds `maxOutputBytes`, and with a `StatusError` if the server
 * refuses.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { runCommand } from "kubestream/streams";
 *
 * const client = await connect();
 * const pod = { namespace: "web", name: "web-0" };
 * const { code, stdout } = await runCommand(client, pod, { command: ["wc", "-c"], input: "hello" });
 * console.log(code, new TextDecoder().decode(stdout)); // 0 5
 * await client.close();
 * ```
 */
export async function runCommand(
  client: Pick<Client, "openWebSocket">,
  pod: PodTarget,
  options: RunCommandOptions,
): Promise<CommandResult> {
  const { input, maxOutputBytes = 16 * 1024 * 1024, ...rest } = options;
  const session = await exec(client, pod, { ...rest, stdin: input !== undefined });
  try {
    if (input !== undefined && session.protocol === "v4.channel.k8s.io")
      throw new ProtocolError(
        "the server only supports v4.channel.k8s.io, which cannot close the command's standard input",
      );
    const feeding = input === undefined ? Promise.resolve() : session.write(input).then(() => session.end());
    // A command may exit without reading all its input. Its exit code says if that was an error.
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
