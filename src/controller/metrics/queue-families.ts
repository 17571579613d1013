import type { MetricFamily } from "../../internal/telemetry/metrics.js";
import type { WorkQueueMetrics } from "../queue/queued-items.js";
import { lowPriority } from "../queue/work-queue.js";
import { family, splitBy, toSeconds } from "./family.js";

/** Returns the metrics of work queues by name, with client-go's names and controller-runtime's labels. */
export function queueFamilies(queues: readonly (readonly [name: string, metrics: WorkQueueMetrics])[]): MetricFamily[] {
  const all = queues.map(([name, metrics]) => ({ labels: { name, controller: name }, metrics }));
  const counter = (name: string, help: string, read: (metrics: WorkQueueMetrics) => number): MetricFamily =>
    family("counter", [name, help], all, read);
  const gauge = (name: string, help: string, read: (metrics: WorkQueueMetrics) => number): MetricFamily =>
    family("gauge", [name, help], all, read);
  return [
    family(
      "gauge",
      ["workqueue_depth", "Items that are ready, by work queue and priority"],
      // The usual priorities are always present, so that an empty queue shows 0 instead of a gap.
      splitBy(all, "priority", ({ depthByPriority }) => ({ 0: 0, [lowPriority]: 0, ...depthByPriority })),
      (depth) => depth,
    ),
    counter("workqueue_adds_total", "Items added, by work queue", ({ adds }) => adds),
    family(
      "histogram",
      ["workqueue_queue_duration_seconds", "Time that items were ready before they were handed out, by work queue"],
      all,
      ({ latency }) => toSeconds(latency),
    ),
    family(
      "histogram",
      ["workqueue_work_duration_seconds", "Time that items were processed, by work queue"],
      all,
      ({ workDuration }) => toSeconds(workDuration),
    ),
    gauge(
      "workqueue_unfinished_work_seconds",
      "Sum of the processing times of running items, by work queue",
      ({ unfinishedWorkMs }) => unfinishedWorkMs / 1_000,
    ),
    gauge(
      "workqueue_longest_running_processor_seconds",
      "Processing time of the oldest running item, by work queue",
      ({ longestRunningMs }) => longestRunningMs / 1_000,
    ),
    counter("workqueue_retries_total", "Items added again after a failure, by work queue", ({ retries }) => retries),
  ];
}
