import { fork } from "node:child_process";

/** A range of seeds. */
export interface Range {
  /** The first. */
  readonly from: number;
  /** How many. */
  readonly count: number;
}

/** Divides a range among so many jobs, as evenly as can be. */
export function divide({ from, count }: Range, jobs: number): Range[] {
  const parts = Math.min(jobs, count);
  return Array.from({ length: parts }, (_, i) => {
    const begin = Math.floor((count * i) / parts);
    return { from: from + begin, count: Math.floor((count * (i + 1)) / parts) - begin };
  });
}

/**
 * Runs a script once for each range, each in a process of its own with `--from`, `--count` and `--jobs 1`. What they print of
 * failed seeds is printed, their sums are not. Answers with how many seeds failed; those of a process that died count as failed.
 */
export async function playInProcesses(script: string, ranges: readonly Range[]): Promise<number> {
  const failures = await Promise.all(ranges.map((range) => playInProcess(script, range)));
  return failures.reduce((sum, failed) => sum + failed, 0);
}

function playInProcess(script: string, { from, count }: Range): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(script, ["--from", String(from), "--count", String(count), "--jobs", "1"], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    let text = "";
    child.stdout!.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const lines = text.trimEnd().split("\n");
      const sum = /^\d+ passed, (\d+) failed$/.exec(lines.at(-1) ?? "");
      const told = sum === null ? lines : lines.slice(0, -2);
      for (const line of told) if (line !== "") console.log(line);
      if (sum === null)
        console.log(
          `seeds ${String(from)} to ${String(from + count - 1)}: their process ended with ${String(signal ?? code)} before its sum`,
        );
      resolve(sum === null ? count : Number(sum[1]));
    });
  });
}
