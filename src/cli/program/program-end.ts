import { readFileSync } from "node:fs";
import type { Timer } from "../../internal/clock.js";
import { systemClock } from "../../internal/clock.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const pollEveryMs = 250;

/**
 * Resolves on SIGINT, SIGTERM and SIGHUP. Under npx and npm scripts it also resolves when npm has ended, which doesn't
 * pass every signal on. `before`: the result of `ancestors` at the start of the program. `followsParent`: true to
 * resolve when any parent has ended.
 */
export function programEnd(before: string, followsParent = false): Promise<void> {
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const stop = (): void => {
      timer?.cancel();
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    const underNpm = process.env["npm_lifecycle_event"] !== undefined || process.env["npm_command"] === "exec";
    // Not further up: a program may go on after the shell that started it.
    const ended = (): boolean =>
      (followsParent && !before.startsWith(`${process.ppid} `)) || (underNpm && ancestors() !== before);
    const watch = (): void => {
      if (ended()) stop();
      else timer = systemClock.setTimer(watch, pollEveryMs);
    };
    for (const signal of signals) process.once(signal, stop);
    if (followsParent || underNpm) watch();
  });
}

/** Returns the process ids of the parent and, on Linux, of its parent: npm runs programs in a shell that outlives it. */
export function ancestors(): string {
  return `${process.ppid} ${parentOf(process.ppid)}`;
}

/** Returns the parent of a process, an empty text if the platform doesn't say. */
function parentOf(pid: number): string {
  try {
    // The name of the program, in parentheses, can contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? "";
  } catch {
    return "";
  }
}
