import type { ChildProcess, StdioOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { ConfigError } from "../../errors/errors.js";
import type { Clock, Timer } from "../../internal/clock.js";

/** How a program is run. */
export interface ExecProcessOptions {
  /** File and field that names it, for errors. */
  readonly where: string;
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether it may use the terminal. */
  readonly interactive: boolean;
  /** Whether its standard error goes where ours goes. What it prints there may hold secrets, so it is never kept. */
  readonly showStderr: boolean;
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Where time comes from. */
  readonly clock: Clock;
  /** What to tell whoever has not installed it. */
  readonly installHint?: string | undefined;
}

const maxOutputBytes = 1024 * 1024;
const killAfterMs = 2_000;
const closeAfterMs = 1_000;

/** Runs a program and resolves with what it prints. Rejects with a `ConfigError` if it cannot be started, fails, takes too long or prints more than 1 MiB. */
export function runExecProcess(options: ExecProcessOptions): Promise<string> {
  const { where, clock, signal } = options;
  const name = `${where}: plugin ${JSON.stringify(options.command)}`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    let child: ChildProcess;
    try {
      child = spawn(options.command, [...options.args], {
        env: { ...options.env },
        stdio: stdioOf(options),
        windowsHide: true,
      });
    } catch (error) {
      reject(new ConfigError(`${name} cannot be started (${(error as NodeJS.ErrnoException).code ?? "unknown"})`));
      return;
    }
    const timers = new Set<Timer>();
    const after = (delayMs: number, action: () => void): void => void timers.add(clock.setTimer(action, delayMs));
    const chunks: Buffer[] = [];
    let length = 0;
    let failure: Error | undefined;
    let settled = false;

    const settle = (action: () => void): void => {
      if (settled) return;
      settled = true;
      for (const timer of timers) timer.cancel();
      signal.removeEventListener("abort", onAbort);
      // A grandchild may hold the pipe open: nobody waits for it.
      child.stdout?.destroy();
      action();
    };
    const stop = (error: Error): void => {
      failure ??= error;
      child.kill("SIGTERM");
      after(killAfterMs, () => child.kill("SIGKILL"));
    };
    const onAbort = (): void => stop(signal.reason as Error);
    const finish = (code: number | null, killer: NodeJS.Signals | null): void =>
      settle(() => {
        if (failure) reject(failure);
        else if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
        else
          reject(
            new ConfigError(
              `${name} ${code === null ? `was ended by ${killer ?? "a signal"}` : `failed with exit code ${code}`}`,
            ),
          );
      });

    signal.addEventListener("abort", onAbort);
    after(options.timeoutMs, () => stop(new ConfigError(`${name} did not end within ${options.timeoutMs} ms`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxOutputBytes) stop(new ConfigError(`${name} prints more than ${maxOutputBytes} bytes`));
      else chunks.push(chunk);
    });
    child.on("error", (error: NodeJS.ErrnoException) =>
      settle(() => reject(new ConfigError(startFailure(name, error, options.installHint)))),
    );
    child.on("exit", (code, killer) => after(closeAfterMs, () => finish(code, killer)));
    child.on("close", finish);
  });
}

function stdioOf(options: ExecProcessOptions): StdioOptions {
  return [options.interactive ? "inherit" : "ignore", "pipe", options.showStderr ? "inherit" : "ignore"];
}

function startFailure(name: string, error: NodeJS.ErrnoException, hint: string | undefined): string {
  const reason = error.code === "ENOENT" ? "was not found" : `cannot be started (${error.code ?? "unknown"})`;
  return `${name} ${reason}${hint === undefined ? "" : `: ${printable(hint)}`}`;
}

/** Text without what could drive a terminal. */
function printable(text: string): string {
  return text.replace(
    /[^\t\n\v\f\r\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}]/gu,
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
}
