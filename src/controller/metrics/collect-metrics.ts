import type { MetricFamily, MetricSource } from "../../internal/telemetry/metrics.js";
import type { LeaderElector } from "../leader-election/leader-elector.js";
import type { Manager } from "../manager/manager.js";
import type { WorkQueue } from "../queue/work-queue.js";
import type { Controller } from "../reconcile/controller.js";
import { controllerFamilies } from "./controller-families.js";
import { informerFamilies, type MeasuredInformer } from "./informer-families.js";
import { leaderFamilies } from "./leader-families.js";
import { queueFamilies } from "./queue-families.js";

/** Parts of a program whose metrics are collected. */
export interface MetricParts {
  /** Manager: its controllers with their work queues, its informers and its leader elector. */
  readonly manager?: Pick<Manager, "controllers" | "informers" | "elector"> | undefined;
  /** Controllers outside the manager. */
  readonly controllers?: readonly Pick<Controller, "name" | "metrics">[] | undefined;
  /** Work queues outside controllers, by name. */
  readonly workQueues?: Readonly<Record<string, Pick<WorkQueue<never>, "metrics">>> | undefined;
  /** Informers outside the manager. Informers of the same collection are numbered in the order given. */
  readonly informers?: readonly MeasuredInformer[] | undefined;
  /** Leader electors outside the manager. */
  readonly electors?: readonly LeaderElector[] | undefined;
  /** Other metrics, such as `createRequestMetrics()` or your own. */
  readonly sources?: readonly MetricSource[] | undefined;
}

/**
 * Returns the current metrics of a program's parts, with the names and labels that controller-runtime and client-go
 * export, so that dashboards and alerts for them work. `formatMetrics` turns them into text for Prometheus.
 *
 * @example
 * ```ts
 * import { collectMetrics, createController, formatMetrics } from "kubestream/controller";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const controller = createController({ name: "sync", for: client.resource(ConfigMap), reconcile: () => undefined });
 * controller.start();
 * console.log(formatMetrics(collectMetrics({ controllers: [controller] })));
 * ```
 */
export function collectMetrics(parts: MetricParts): MetricFamily[] {
  const { manager, workQueues = {}, sources = [] } = parts;
  const controllers = [...(manager?.controllers ?? []), ...(parts.controllers ?? [])];
  const informers = [...(manager?.informers?.informers ?? []), ...(parts.informers ?? [])];
  const electors = [...(manager?.elector ? [manager.elector] : []), ...(parts.electors ?? [])];
  return [
    ...controllerFamilies(controllers),
    ...queueFamilies([
      ...controllers.map(({ name, metrics }) => [name, metrics.queue] as const),
      ...Object.entries(workQueues).map(([name, { metrics }]) => [name, metrics] as const),
    ]),
    ...informerFamilies(informers),
    ...leaderFamilies(electors),
    ...sources.flatMap((source) => source.collect()),
  ];
}
