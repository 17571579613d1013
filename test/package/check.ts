// Checks of the package as it would be published: its shape (publint, attw) and how long its imports take.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pack, root, run } from "./pack.js";

const rounds = 15;

/** The budgets in milliseconds hold on a machine that imports undici in this time; a slower one gets as much more as it is slower. */
const undiciOnReference = 50;
const packed = pack();

/**
 * Milliseconds that one import takes in a fresh process, by the clock or of processor time, whichever is less: the clock also
 * counts what else runs on the machine, processor time also what threads do side by side.
 */
function importTime(path: string): number {
  const source = `const begin = performance.now(); const start = process.cpuUsage(); await import(${JSON.stringify(path)}); const { user, system } = process.cpuUsage(start); console.log(Math.min(performance.now() - begin, (user + system) / 1000));`;
  return Number(run(process.execPath, ["--input-type=module", "--eval", source], packed.app));
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1]!;
}

function budgets(): string[] {
  // Taken in turns, so that whatever slows the machine slows all alike; the first round only warms the disk cache.
  const rows = Array.from({ length: rounds + 1 }, () => ({
    undici: importTime("undici"),
    node: importTime("kubestream/node"),
    core: importTime("kubestream"),
  })).slice(1);
  const ratio = median(rows.map((row) => row.node / row.undici));
  const core = Math.min(...rows.map((row) => row.core));
  const undici = Math.min(...rows.map((row) => row.undici));
  const limit = 30 * Math.max(1, undici / undiciOnReference);
  console.log(
    `import "kubestream/node": ${median(rows.map((row) => row.node)).toFixed(1)} ms, ${ratio.toFixed(2)} × undici alone (at most 0.8)`,
  );
  console.log(
    `import "kubestream": ${core.toFixed(1)} ms (at most ${limit.toFixed(1)}, where undici takes ${undici.toFixed(1)} ms)`,
  );
  return [
    ...(ratio > 0.8 ? [`import "kubestream/node" takes ${ratio.toFixed(2)} times as long as undici`] : []),
    ...(core > limit ? [`import "kubestream" takes ${core.toFixed(1)} ms`] : []),
  ];
}

const failures: string[] = [];
function tool(name: string, words: readonly string[]): void {
  try {
    run(join(root, "node_modules/.bin", name), words, root);
    console.log(`${name}: nothing wrong`);
  } catch (error) {
    failures.push((error as Error).message);
  }
}

try {
  tool("publint", ["--strict", packed.folder]);
  tool("attw", [packed.tarball, "--profile", "esm-only", "--no-color", "--no-emoji", "--format", "ascii"]);
  failures.push(...budgets());
} finally {
  rmSync(dirname(packed.app), { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
