import { fork } from "node:child_process";

/** Range of seeds. */
export interface Range {
  /** First seed. */
  readonly from: number;
  /** Number of seeds. */
  readonly count: number;
}

/** Divides a range into `jobs` parts of about the same size. */
export function divide({ from, count }: Range, jobs: number): Range[] {
  const parts = Math.min(jobs, count);
  return Array.from({ length: parts }, (_, i) => {
    const begin = Math.floor((count * i) / parts);
    return { from: from + begin, count: Math.floor((count * (i + 1)) / parts) - begin };
  });
}

/**
 * Runs a script once per range, each in its own process with `--from`, `--count` and `--jobs 1`. Prints their output
 * for failed seeds, without the summaries. Returns the number of failed seeds; all seeds of a crashed process count as
 * failed.
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
          `seeds ${String(from)} to ${String(from + count - 1)}: their process exited with ${String(signal ?? code)} before its summary`,
        );
      resolve(sum === null ? count : Number(sum[1]));
    });
  });
}
