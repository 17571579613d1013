import { readdirSync, readFileSync } from "node:fs";
import type { MetricFamily, MetricSource } from "../../internal/telemetry/metrics.js";

/**
 * Creates a source of metrics of this process, with the names of Prometheus' own libraries: `process_cpu_seconds_total`,
 * `process_resident_memory_bytes`, `process_start_time_seconds`, and on Linux `process_virtual_memory_bytes`,
 * `process_open_fds` and `process_max_fds`; sizes of the heap as `nodejs_heap_size_…_bytes` and
 * `nodejs_external_memory_bytes`, and `nodejs_version_info`.
 *
 * @example
 * ```ts
 * import { collectMetrics, formatMetrics } from "kubestream/controller";
 * import { createProcessMetrics } from "kubestream/node";
 *
 * console.log(formatMetrics(collectMetrics({ sources: [createProcessMetrics()] })));
 * ```
 */
export function createProcessMetrics(): MetricSource {
  const startedAt = (Date.now() - process.uptime() * 1_000) / 1_000;
  return { collect: () => readProcess(startedAt) };
}

function readProcess(startedAt: number): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const linux = readLinux();
  return [
    number("counter", "process_cpu_seconds_total", "CPU time of the process", (user + system) / 1e6),
    number("gauge", "process_resident_memory_bytes", "Resident memory of the process", rss),
    number("gauge", "process_virtual_memory_bytes", "Virtual memory of the process", linux.virtualBytes),
    number("gauge", "process_start_time_seconds", "Start of the process since the epoch", startedAt),
    number("gauge", "process_open_fds", "Open file descriptors", linux.openFiles),
    number("gauge", "process_max_fds", "Maximum number of open file descriptors", linux.maxFiles),
    number("gauge", "nodejs_heap_size_total_bytes", "Size of V8's heap", heapTotal),
    number("gauge", "nodejs_heap_size_used_bytes", "Part of V8's heap that is in use", heapUsed),
    number("gauge", "nodejs_external_memory_bytes", "Memory outside of V8's heap that its objects hold", external),
    {
      type: "gauge",
      name: "nodejs_version_info",
      help: "Version of Node as a label",
      samples: [{ labels: { version: process.version }, value: 1 }],
    },
  ];
}

function number(type: "counter" | "gauge", name: string, help: string, value: number | undefined): MetricFamily {
  return { type, name, help, samples: value === undefined ? [] : [{ labels: {}, value }] };
}

/** Reads what only Linux reports. Each part is absent elsewhere, or if `/proc` isn't readable. */
function readLinux(): { readonly virtualBytes?: number; readonly openFiles?: number; readonly maxFiles?: number } {
  if (process.platform !== "linux") return {};
  try {
    const virtual = /^VmSize:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    return {
      openFiles: readdirSync("/proc/self/fd").length,
      ...(virtual !== undefined && { virtualBytes: Number(virtual) * 1_024 }),
      ...(limit !== undefined && { maxFiles: Number(limit) }),
    };
  } catch {
    return {};
  }
}
