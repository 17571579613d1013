import { readFileSync } from "node:fs";
import type { Timer } from "../internal/clock.js";
import { systemClock } from "../internal/clock.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const pollEveryMs = 250;

/**
 * Resolves on SIGINT, SIGTERM and SIGHUP. Under npx and npm scripts it also resolves when npm has ended, which doesn't
 * pass every signal on. `before`: the result of `ancestors` at the start of the program.
 */
export function programEnd(before: string): Promise<void> {
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const stop = (): void => {
      timer?.cancel();
      for (const signal of signals) process.off(signal, stop);
      resolve();
    };
    const watch = (): void => {
      if (ancestors() !== before) stop();
      else timer = systemClock.setTimer(watch, pollEveryMs);
    };
    for (const signal of signals) process.once(signal, stop);
    if (process.env["npm_lifecycle_event"] !== undefined || process.env["npm_command"] === "exec") watch();
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
