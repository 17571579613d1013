// Checks the package as published: its shape (publint, attw) and the duration of its imports.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pack, root, run } from "./pack.js";

const rounds = 15;

/** Milliseconds in which the reference machine imports undici. The budgets scale with slower machines. */
const undiciOnReference = 50;
const packed = pack();

/**
 * Measures one import in a fresh process in milliseconds, as the smaller of wall-clock and CPU time. Wall-clock time
 * includes other load on the machine; CPU time includes parallel threads.
 */
function importTime(path: string): number {
  const source = `const begin = performance.now(); const start = process.cpuUsage(); await import(${JSON.stringify(path)}); const { user, system } = process.cpuUsage(start); console.log(Math.min(performance.now() - begin, (user + system) / 1000));`;
  return Number(run(process.execPath, ["--input-type=module", "--eval", source], packed.app));
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1]!;
}

function budgets(): string[] {
  // Interleaved, so that load on the machine affects all alike. The first round only warms the disk cache.
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
    `import "kubestream": ${core.toFixed(1)} ms (at most ${limit.toFixed(1)}, if undici takes ${undici.toFixed(1)} ms)`,
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
    console.log(`${name}: no problems`);
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
