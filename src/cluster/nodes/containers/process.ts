import type { TerminalSize } from "../../../apiserver/kubelets/kubelet.js";
import { type Clock, sleep } from "../../../internal/clock.js";
import { createByteChannel } from "../../../internal/streams/byte-channel.js";
import type { Container, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseDuration } from "../../time/duration.js";
import type { ContainerOutput, ImageScript, ProcessContext } from "./images.js";

/** Description of a process in a simulated container. */
export interface ProcessOptions {
  readonly clock: Clock;
  readonly pod: DeepReadonly<Pod>;
  readonly container: DeepReadonly<Container>;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly restartCount: number;
  readonly stdout: ContainerOutput;
  readonly stderr: ContainerOutput;
  readonly signal: AbortSignal;
  readonly stdin: AsyncIterableIterator<Uint8Array>;
  readonly tty: boolean;
  readonly onResize: (callback: (size: TerminalSize) => void) => void;
}

/** Input of a process that no client is connected to. */
export function noInput(): Pick<ProcessOptions, "stdin" | "tty" | "onResize"> {
  const stdin = createByteChannel(1);
  stdin.end();
  return { stdin: stdin.bytes, tty: false, onResize: () => undefined };
}

/** Runs a process and resolves with its exit code. Never rejects. */
export async function runProcess(
  play: NonNullable<ImageScript["run"]>,
  { clock, ...rest }: ProcessOptions,
): Promise<number> {
  const context: ProcessContext = {
    ...rest,
    now: () => clock.now(),
    sleep: (duration) => sleep(typeof duration === "number" ? duration : parseDuration(duration), clock, rest.signal),
  };
  try {
    const code = (await play(context)) ?? 0;
    if (Number.isInteger(code) && code >= 0 && code <= 255) return code;
    rest.stderr.write(`the exit code must be an integer from 0 to 255, not ${code}\n`);
    return 1;
  } catch (error) {
    if (rest.signal.aborted) return 143;
    rest.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
    return 1;
  }
}

/** Returns the command line of a container. `$(NAME)` stands for a variable, and `$$` for a dollar sign. */
export function commandLine(
  { command = [], args = [] }: DeepReadonly<Container>,
  env: Readonly<Record<string, string>>,
): string[] {
  return [...command, ...args].map((text) => expand(text, env));
}

/** Replaces references to variables in a text. References to unknown variables stay. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return "$";
    return Object.hasOwn(env, name) ? env[name]! : match;
  });
}
