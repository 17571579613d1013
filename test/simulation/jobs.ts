import { fork } from "node:child_process";

/** Range of seeds. */
export interface Range {
  /** First seed. */
  readonly from: number;
  /** Number of seeds. */
  readonly count: number;
}

/** A simulation over a range of seeds. */
export interface Simulation extends Range {
  /** Name of the npm script. */
  readonly command: string;
  /** Path of the script. */
  readonly script: string;
  /** Number of processes. */
  readonly jobs: number;
  /** Time in seconds after which no seed is started. */
  readonly seconds: number;
  /** Prints what happened in each seed. */
  readonly verbose: boolean;
  /** Plays one seed. */
  run(seed: number): Promise<{ readonly faults: readonly string[]; readonly story: readonly string[] }>;
}

interface Sum {
  readonly passed: number;
  readonly failed: number;
}

/** Plays the seeds of a simulation, prints those that failed and a summary, and returns the exit code. */
export async function simulate(simulation: Simulation): Promise<number> {
  const began = performance.now();
  const { passed, failed } = await (simulation.jobs > 1 ? playInProcesses(simulation) : playHere(simulation));
  const played = passed + failed;
  console.log(`${((performance.now() - began) / played).toFixed(1)} ms per seed`);
  if (played < simulation.count) console.log(`${String(played)} of ${String(simulation.count)} seeds were played`);
  console.log(`${String(passed)} passed, ${String(failed)} failed`);
  return failed > 0 ? 1 : 0;
}

async function playHere({ command, from, count, seconds, verbose, run }: Simulation): Promise<Sum> {
  const endsAt = performance.now() + seconds * 1_000;
  let passed = 0;
  let failed = 0;
  for (let seed = from; seed < from + count && performance.now() < endsAt; seed++) {
    const { faults, story } = await run(seed).catch((error: unknown) => ({
      faults: [String(error instanceof Error ? error.stack : error)],
      story: [],
    }));
    if (faults.length === 0) passed++;
    else {
      failed++;
      console.log(`seed ${seed} failed; npm run ${command} -- --from ${seed} --count 1 --verbose repeats it`);
      for (const fault of faults) console.log(`  ${fault}`);
    }
    if (verbose) for (const line of story) console.log(line);
  }
  return { passed, failed };
}

/** Divides a range into `jobs` parts of about the same size. */
function divide({ from, count }: Range, jobs: number): Range[] {
  const parts = Math.min(jobs, count);
  return Array.from({ length: parts }, (_, i) => {
    const begin = Math.floor((count * i) / parts);
    return { from: from + begin, count: Math.floor((count * (i + 1)) / parts) - begin };
  });
}

/**
 * Runs the script of a simulation once per part of its seeds, each in its own process. Prints their output for failed
 * seeds, without the summaries. All seeds of a crashed process count as failed.
 */
async function playInProcesses(simulation: Simulation): Promise<Sum> {
  const parts = divide(simulation, simulation.jobs);
  const sums = await Promise.all(parts.map((range) => playInProcess(simulation, range)));
  return {
    passed: sums.reduce((sum, { passed }) => sum + passed, 0),
    failed: sums.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function playInProcess({ script, seconds }: Simulation, { from, count }: Range): Promise<Sum> {
  return new Promise((resolve, reject) => {
    const options = { from, count, seconds, jobs: 1 };
    const child = fork(
      script,
      Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      { stdio: ["ignore", "pipe", "inherit", "ipc"] },
    );
    let text = "";
    child.stdout!.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const lines = text.trimEnd().split("\n");
      const sum = /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? "");
      const summary = /^[\d.]+ ms per seed$|^\d+ of \d+ seeds were played$|^\d+ passed, \d+ failed$/;
      for (const line of lines) if (line !== "" && !summary.test(line)) console.log(line);
      if (sum !== null) return resolve({ passed: Number(sum[1]), failed: Number(sum[2]) });
      const ended = String(signal ?? code);
      console.log(`seeds ${from} to ${from + count - 1}: their process exited with ${ended} before its summary`);
      resolve({ passed: 0, failed: count });
    });
  });
}
