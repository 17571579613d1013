// Controllers

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
} from "./controller.js";
export { CacheSyncError, LeadershipLostError, TerminalError } from "./controller-errors.js";
export type { Log, LogEntry } from "./controller-log.js";
export { logToConsole } from "./controller-log.js";
export { createController } from "./create-controller.js";
// Events
export { createEventRecorder } from "./create-event-recorder.js";
// Several of them
export { createLeaderElector } from "./create-leader-elector.js";
export { createManager } from "./create-manager.js";
export type { Durations } from "./durations.js";
export type { EnqueueForOwnerOptions, EventHandler } from "./enqueue.js";
// What concerns whom
export { enqueueForObject, enqueueForOwner, enqueueMapped } from "./enqueue.js";
export type { EventDetails, EventRecorder, EventRecorderMetrics, EventRecorderOptions } from "./event-recorder.js";
export type {
  LeaderCallbacks,
  LeaderElectionOptions,
  LeaderElector,
  LeaderMetrics,
  LeaderStatus,
  Leadership,
} from "./leader-elector.js";
export type { HealthCheck, HealthReport, Manager, ManagerOptions, ManagerStatus, Runnable } from "./manager.js";
export type { Predicate } from "./predicates.js";
export {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  labelsMatch,
  not,
  or,
  resourceVersionChanged,
} from "./predicates.js";
export type {
  BucketRateLimiterOptions,
  ExponentialRateLimiterOptions,
  FastSlowRateLimiterOptions,
  RateLimiter,
} from "./rate-limiters.js";
// Work queue
export {
  bucketRateLimiter,
  defaultControllerRateLimiter,
  exponentialRateLimiter,
  fastSlowRateLimiter,
  maxOfRateLimiters,
} from "./rate-limiters.js";
export type { Request } from "./request.js";
export { requestKey, requestOfKey } from "./request.js";
export type { KindSourceOptions, RunningSource, Source, SourceContext, Watchable } from "./source.js";
export { kindSource } from "./source.js";
export type { WithLeadershipOptions } from "./with-leadership.js";
export { withLeadership } from "./with-leadership.js";
export type { AddOptions, WorkItem, WorkQueue, WorkQueueMetrics, WorkQueueOptions } from "./work-queue.js";
export { createWorkQueue, lowPriority } from "./work-queue.js";
