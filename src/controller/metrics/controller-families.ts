import type { MetricFamily } from "../../internal/telemetry/metrics.js";
import type { Controller, ControllerMetrics } from "../reconcile/controller.js";
import { family, splitBy, toSeconds } from "./family.js";

/** Returns the metrics of controllers with controller-runtime's names, and some that it lacks. */
export function controllerFamilies(controllers: readonly Pick<Controller, "name" | "metrics">[]): MetricFamily[] {
  const all = controllers.map(({ name, metrics }) => ({ labels: { controller: name }, metrics }));
  const counter = (name: string, help: string, read: (metrics: ControllerMetrics) => number): MetricFamily =>
    family("counter", [name, help], all, read);
  const gauge = (name: string, help: string, read: (metrics: ControllerMetrics) => number): MetricFamily =>
    family("gauge", [name, help], all, read);
  return [
    family(
      "counter",
      ["controller_runtime_reconcile_total", "Reconciles by controller and result"],
      splitBy(all, "result", ({ reconciles }) => ({
        success: reconciles.success,
        requeue: 0,
        requeue_after: reconciles.requeueAfter,
        error: failures(reconciles),
        aborted: reconciles.aborted,
      })),
      (count) => count,
    ),
    counter("controller_runtime_reconcile_errors_total", "Reconciles that failed, by controller", ({ reconciles }) =>
      failures(reconciles),
    ),
    counter(
      "controller_runtime_terminal_reconcile_errors_total",
      "Reconciles that failed with a terminal error, by controller",
      ({ reconciles }) => reconciles.terminal,
    ),
    counter(
      "controller_runtime_reconcile_timeouts_total",
      "Reconciles that exceeded their time limit, by controller",
      ({ reconciles }) => reconciles.timeout,
    ),
    family(
      "histogram",
      ["controller_runtime_reconcile_time_seconds", "Duration of reconciles by controller"],
      all,
      ({ reconcileTime }) => toSeconds(reconcileTime),
    ),
    gauge(
      "controller_runtime_max_concurrent_reconciles",
      "Reconciles that may run at the same time, by controller",
      ({ concurrency }) => concurrency,
    ),
    gauge("controller_runtime_active_workers", "Reconciles that are running, by controller", ({ active }) => active),
    counter(
      "kubestream_controller_conflicts_total",
      "Reconciles that failed with a conflict, by controller",
      ({ conflicts }) => conflicts,
    ),
    counter(
      "kubestream_controller_handler_errors_total",
      "Errors of the handlers and predicates of sources, by controller",
      ({ handlerErrors }) => handlerErrors,
    ),
    counter(
      "kubestream_controller_source_failures_total",
      "Failed lists and watches of sources, by controller",
      ({ sourceFailures }) => sourceFailures,
    ),
  ];
}

/** Returns the number of failed reconciles. Those that a stop aborted don't count. */
function failures({ error, timeout, terminal }: ControllerMetrics["reconciles"]): number {
  return error + timeout + terminal;
}
