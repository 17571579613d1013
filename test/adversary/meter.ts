import { readFileSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** Resources that a run used. */
export interface Usage {
  /** CPU time of the process in milliseconds, garbage collection included. */
  readonly cpuMs: number;
  /** Growth of the resident memory up to its peak, in bytes. */
  readonly memory: number;
}

/** Runs a function and measures the process. Rejects with the function's error, after storing the usage in `into`. */
export async function measure(run: () => unknown, into: (usage: Usage) => void): Promise<void> {
  // Buffers are freed by another thread, after a collection.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await setImmediate();
  }
  const peak = startPeak();
  const cpu = process.cpuUsage();
  try {
    await run();
  } finally {
    const { user, system } = process.cpuUsage(cpu);
    into({ cpuMs: (user + system) / 1_000, memory: peak() });
  }
}

/** Starts to track the peak of resident memory. Linux can reset its mark; elsewhere only a new maximum counts. */
function startPeak(): () => number {
  const before = process.memoryUsage.rss();
  try {
    writeFileSync("/proc/self/clear_refs", "5");
    return () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))![1]) * 1024 - before;
  } catch {
    const highest = process.resourceUsage().maxRSS;
    return () => Math.max(0, process.resourceUsage().maxRSS - highest) * 1024;
  }
}

/** Returns the CPU time that `JSON.parse` takes for a byte of ordinary objects, in milliseconds. */
export function parseCostPerByte(): number {
  const item = (at: number): object => ({
    metadata: { name: `pod-${String(at)}`, namespace: "default", labels: { app: "web", tier: "front" } },
    spec: { containers: [{ name: "main", image: "registry.example/web:1", ports: [{ containerPort: 80 }] }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  const text = JSON.stringify(Array.from({ length: 4_000 }, (_, at) => item(at)));
  let best = Infinity;
  for (let round = 0; round < 7; round++) {
    const cpu = process.cpuUsage();
    JSON.parse(text);
    const { user, system } = process.cpuUsage(cpu);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best / text.length;
}
