export type {
  MetricFamily,
  MetricFormat,
  MetricHistogram,
  MetricSample,
  MetricSource,
} from "../internal/telemetry/metrics.js";
export type {
  Span,
  SpanAttributes,
  SpanContext,
  SpanOptions,
  Tracer,
  TraceState,
} from "../internal/telemetry/tracing.js";
export { createEventRecorder } from "./events/create-event-recorder.js";
export type {
  EventDetails,
  EventRecorder,
  EventRecorderMetrics,
  EventRecorderOptions,
} from "./events/event-recorder.js";
export { createLeaderElector } from "./leader-election/create-leader-elector.js";
export type {
  LeaderCallbacks,
  LeaderElectionOptions,
  LeaderElector,
  LeaderMetrics,
  LeaderStatus,
  Leadership,
} from "./leader-election/leader-elector.js";
export type { WithLeadershipOptions } from "./leader-election/with-leadership.js";
export { withLeadership } from "./leader-election/with-leadership.js";
export { createManager } from "./manager/create-manager.js";
export type {
  HealthCheck,
  HealthOptions,
  HealthReport,
  Manager,
  ManagerOptions,
  ManagerStatus,
  Runnable,
} from "./manager/manager.js";
export type { MetricParts } from "./metrics/collect-metrics.js";
export { collectMetrics } from "./metrics/collect-metrics.js";
export type { FormatMetricsOptions } from "./metrics/format-metrics.js";
export { formatMetrics } from "./metrics/format-metrics.js";
export type { MeasuredInformer } from "./metrics/informer-families.js";
export type { DurationBucket, DurationStats } from "./queue/duration-stats.js";
export type { WorkItem, WorkQueueMetrics } from "./queue/queued-items.js";
export type {
  BucketRateLimiterOptions,
  ExponentialRateLimiterOptions,
  FastSlowRateLimiterOptions,
  RateLimiter,
} from "./queue/rate-limiters.js";
export {
  bucketRateLimiter,
  defaultControllerRateLimiter,
  exponentialRateLimiter,
  fastSlowRateLimiter,
  maxOfRateLimiters,
} from "./queue/rate-limiters.js";
export type { AddOptions, WorkQueue, WorkQueueOptions } from "./queue/work-queue.js";
export { createWorkQueue, lowPriority } from "./queue/work-queue.js";
export type {
  Controller,
  ControllerMetrics,
  ControllerOptions,
  ControllerStatus,
  Reconcile,
  ReconcileContext,
  ReconcileOutcome,
  ReconcileResult,
  RunOptions,
  SourceRegistration,
} from "./reconcile/controller.js";
export { CacheSyncError, LeadershipLostError, TerminalError } from "./reconcile/controller-errors.js";
export type { ConsoleLogOptions, Log, LogEntry } from "./reconcile/controller-log.js";
export { createConsoleLog, logToConsole } from "./reconcile/controller-log.js";
export { createController } from "./reconcile/create-controller.js";
export type { EnqueueForOwnerOptions, EventHandler } from "./reconcile/enqueue.js";
export { enqueueForObject, enqueueForOwner, enqueueMapped } from "./reconcile/enqueue.js";
export type { KindSourceOptions } from "./reconcile/kind-source.js";
export { kindSource } from "./reconcile/kind-source.js";
export type { Predicate } from "./reconcile/predicates.js";
export {
  allOf,
  annotationChanged,
  anyOf,
  generationChanged,
  labelChanged,
  labelsMatch,
  not,
  resourceVersionChanged,
} from "./reconcile/predicates.js";
export type { EnqueueOptions, NamespacedRequest, ReconcileRequest, RequestOf } from "./reconcile/reconcile-request.js";
export { parseRequestKey, requestKey } from "./reconcile/reconcile-request.js";
export type {
  RunningSource,
  Source,
  SourceContext,
  SourceDefinition,
  Watchable,
} from "./reconcile/source.js";
export type { ControllerSource, SourceOutage, SourceStatus } from "./reconcile/source-monitor.js";
export type { StructuredLogger } from "./reconcile/structured-log.js";
export { logToPino } from "./reconcile/structured-log.js";
