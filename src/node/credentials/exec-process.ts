import type { ChildProcess, StdioOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { ConfigError } from "../../errors/errors.js";
import type { Clock, Timer } from "../../internal/clock.js";

/** Options for `runExecProcess`. */
export interface ExecProcessOptions {
  /** File and field that configure the program, for errors. */
  readonly where: string;
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Complete environment of the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the program may use the terminal. */
  readonly interactive: boolean;
  /** True to pass its standard error through. It may contain secrets, so it's never stored. */
  readonly showStderr: boolean;
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Stops the program. */
  readonly signal: AbortSignal;
  /** Clock for the timeout. */
  readonly clock: Clock;
  /** Hint for a user who hasn't installed the program. */
  readonly installHint?: string | undefined;
}

const maxOutputBytes = 1024 * 1024;
const killAfterMs = 2_000;
const closeAfterMs = 1_000;

/**
 * Runs a program and resolves with its output. Rejects with a `ConfigError` if it can't be started, fails, times out or
 * prints more than 1 MiB. A program that is stopped gets SIGTERM, and SIGKILL two seconds later, and so do its children
 * unless it may use the terminal. The promise settles after the program has ended.
 */
export function runExecProcess(options: ExecProcessOptions): Promise<string> {
  const { where, clock, signal } = options;
  const name = `${where}: plugin ${JSON.stringify(options.command)}`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    let child: ChildProcess;
    // In a process group of its own, the program can be killed with its children. Only the terminal's group may read from
    // the terminal, and Windows has no groups.
    const grouped = !options.interactive && process.platform !== "win32";
    try {
      child = spawn(options.command, [...options.args], {
        env: { ...options.env },
        stdio: stdioOf(options),
        windowsHide: true,
        detached: grouped,
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
      // A grandchild may keep the pipe open: don't wait for it.
      child.stdout?.destroy();
      // Children that ignored SIGTERM.
      if (failure) kill("SIGKILL");
      action();
    };
    const kill = (by: NodeJS.Signals): void => {
      if (grouped) killGroup(child, by);
      else child.kill(by);
    };
    const stop = (error: Error): void => {
      if (failure) return;
      failure = error;
      kill("SIGTERM");
      after(killAfterMs, () => kill("SIGKILL"));
    };
    const onAbort = (): void => stop(signal.reason as Error);
    const finish = (code: number | null, killer: NodeJS.Signals | null): void =>
      settle(() => {
        if (failure) reject(failure);
        else if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
        else
          reject(
            new ConfigError(
              `${name} ${code === null ? `was killed by ${killer ?? "a signal"}` : `failed with exit code ${code}`}${options.showStderr ? "" : '; execStderr: "inherit" shows its messages'}`,
            ),
          );
      });

    signal.addEventListener("abort", onAbort);
    after(options.timeoutMs, () => stop(new ConfigError(`${name} did not finish within ${options.timeoutMs} ms`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxOutputBytes) stop(new ConfigError(`${name} printed more than ${maxOutputBytes} bytes`));
      else chunks.push(chunk);
    });
    child.on("error", (error: NodeJS.ErrnoException) =>
      settle(() => reject(new ConfigError(startFailure(name, error, options.installHint)))),
    );
    child.on("exit", (code, killer) => after(closeAfterMs, () => finish(code, killer)));
    child.on("close", finish);
  });
}

/** Sends a signal to every process of the child's group, also after the child has ended. */
function killGroup({ pid }: ChildProcess, by: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, by);
  } catch {
    // No process is left in the group.
  }
}

function stdioOf(options: ExecProcessOptions): StdioOptions {
  return [options.interactive ? "inherit" : "ignore", "pipe", options.showStderr ? "inherit" : "ignore"];
}

function startFailure(name: string, error: NodeJS.ErrnoException, hint: string | undefined): string {
  const reason = error.code === "ENOENT" ? "was not found" : `cannot be started (${error.code ?? "unknown"})`;
  return `${name} ${reason}${hint === undefined ? "" : `: ${printable(hint)}`}`;
}

/** Replaces control characters, which could manipulate a terminal. */
function printable(text: string): string {
  return text.replace(
    /[^\t\n\v\f\r\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}]/gu,
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
}
