import type { Query } from "../../../client/call/query.js";
import type { Client } from "../../../client/client.js";
import { isNotFound } from "../../../errors/predicates.js";
import { StatusError } from "../../../errors/status-error.js";
import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
} from "../../../kinds/autoscaling/v2.js";
import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatQuantity } from "../../../meta/quantity.js";
import { formatLabelSelector } from "../../../objects/label-selectors.js";
import { isReady } from "../shared/pods.js";
import { serverMessage } from "../shared/server-message.js";
import { isWithin, NoMetricsError, proposeReplicas, type Tolerances, thousandths } from "./measure.js";
import { type MetricFailure, metricFailure, printSelector, UnreadMetricError, unservedApi } from "./metric-failure.js";

/** Dependencies of `measureCustom`, and the state of the target. */
export interface CustomMetricOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Returns the resource of a kind, such as `ingresses.networking.k8s.io`; `undefined` if it isn't served. */
  resourceOf(apiVersion: string, kind: string): Promise<string | undefined>;
  readonly namespace: string;
  /** Label selector of the target's pods. */
  readonly selector: string;
  readonly pods: readonly DeepReadonly<Pod>[];
  /** Wanted number of replicas. */
  readonly current: number;
  /** Number of replicas that exist. */
  readonly existing: number;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

/** Number of replicas that a metric proposes, its name in messages, and its status. */
export interface CustomReading {
  readonly replicas: number;
  readonly name: string;
  readonly status: MetricStatus;
}

/** Value of a metric in a list of the APIs for custom and external metrics. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly value: string;
}

const group = "custom.metrics.k8s.io";
const versions = ["v1beta2", "v1beta1"];

/** Reads a metric from the APIs for custom and external metrics, and computes the number of replicas that it proposes. */
export async function measureCustom(
  { type, pods, object, external }: DeepReadonly<MetricSpec>,
  options: CustomMetricOptions,
): Promise<CustomReading | MetricFailure> {
  try {
    if (pods !== undefined) return await measurePods(pods, options);
    if (object !== undefined) {
      const { metric, describedObject, target } = object;
      const total = await readObject(describedObject, metric, options);
      const { replicas, current } = proposeForTotal(total, target, options);
      const isAverage = target.averageValue !== undefined;
      const name = isAverage ? externalName(metric) : `${describedObject.kind} metric ${metric.name}`;
      return { replicas, name, status: { type, object: { metric, describedObject, current } } as MetricStatus };
    }
    const { metric, target } = external!;
    const { replicas, current } = proposeForTotal(await readExternal(metric, options), target, options);
    return { replicas, name: externalName(metric), status: { type, external: { metric, current } } as MetricStatus };
  } catch (error) {
    if (error instanceof NoMetricsError)
      return metricFailure({ type, pods, object, external }, options.namespace, error);
    throw error;
  }
}

/** Upstream names metrics of objects with an average like external ones. */
function externalName({ name, selector }: DeepReadonly<MetricIdentifier>): string {
  return `external metric ${name}(${printSelector(selector)})`;
}

async function measurePods(
  { metric, target }: NonNullable<DeepReadonly<MetricSpec>["pods"]>,
  options: CustomMetricOptions,
): Promise<CustomReading> {
  const { namespace, selector, pods, current, tolerances, nowMs } = options;
  const path = `namespaces/${namespace}/pods/*/${encodeURIComponent(metric.name)}`;
  const items = await readCustom(path, metric, options, { labelSelector: selector });
  if (items.length === 0) throw new UnreadMetricError("no metrics returned from custom metrics API");
  if (pods.length === 0) throw new NoMetricsError(noPods);
  const measured = items.map(({ describedObject, value }) => ({
    metadata: { name: describedObject?.name ?? "" },
    timestamp: "",
    window: "",
    containers: [{ name: "", usage: { value } }],
  }));
  const aim = { average: thousandths(target.averageValue ?? "0") };
  const proposal = { resource: "value", container: undefined, target: aim, current, tolerances, nowMs };
  const { replicas, average } = proposeReplicas(pods, measured, proposal);
  const status = { type: "Pods", pods: { metric, current: { averageValue: decimal(average) } } } as MetricStatus;
  return { replicas, name: `pods metric ${metric.name}`, status };
}

const noPods = "no pods returned by selector while calculating replica count";

/** Computes the number of replicas for a metric that all replicas share. */
function proposeForTotal(
  total: number,
  { value, averageValue }: { readonly value?: string | undefined; readonly averageValue?: string | undefined },
  { pods, current, existing, tolerances }: CustomMetricOptions,
): { readonly replicas: number; readonly current: { readonly value?: string; readonly averageValue?: string } } {
  if (averageValue !== undefined) {
    const average = thousandths(averageValue);
    const isClose = isWithin(tolerances, total / (average * existing));
    const replicas = isClose ? existing : Math.ceil(total / average);
    return { replicas, current: { averageValue: decimal(Math.ceil(total / Math.max(existing, 1))) } };
  }
  const ratio = total / thousandths(value ?? "0");
  const reached = { value: decimal(total) };
  if (isWithin(tolerances, ratio)) return { replicas: current, current: reached };
  if (pods.length === 0) throw new NoMetricsError(`unable to calculate ready pods: ${noPods}`);
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod)).length;
  return { replicas: Math.ceil(ratio * ready), current: reached };
}

/** Formats a number of thousandths. */
export function decimal(milli: number): string {
  return formatQuantity({ digits: BigInt(milli), exponent: -3, format: "DecimalSI" });
}

/** Reads a metric of one object, in thousandths. */
async function readObject(
  { apiVersion = "v1", kind, name }: DeepReadonly<CrossVersionObjectReference>,
  metric: DeepReadonly<MetricIdentifier>,
  options: CustomMetricOptions,
): Promise<number> {
  const metricName = encodeURIComponent(metric.name);
  let place = `metrics/${metricName}`;
  if (kind !== "Namespace" || apiVersion !== "v1") {
    const resource = await options.resourceOf(apiVersion, kind);
    if (resource === undefined) throw new UnreadMetricError(`${unreadCustom}unable to map kind ${kind} to resource`);
    place = `${resource}/${encodeURIComponent(name)}/${metricName}`;
  }
  const items = await readCustom(`namespaces/${options.namespace}/${place}`, metric, options, {});
  if (items.length === 1) return thousandths(items[0]!.value);
  const count = `returned ${items.length} results when we asked for exactly one`;
  throw new UnreadMetricError(`${unreadCustom}the custom metrics API server ${count}`);
}

const unreadCustom = "unable to fetch metrics from custom metrics API: ";

/** Reads a list of the API for custom metrics, in the version that it prefers. */
async function readCustom(
  path: string,
  { selector }: DeepReadonly<MetricIdentifier>,
  options: CustomMetricOptions,
  query: Query,
): Promise<readonly MetricValue[]> {
  const found = await options.client
    .request({ path: `/apis/${group}`, signal: options.signal })
    .then((response) => response.json())
    .catch((error: unknown) => {
      if (isNotFound(error)) throw new UnreadMetricError(`${unreadCustom}no custom metrics API (${group}) registered`);
      throw error;
    });
  const { preferredVersion, versions: served = [] } = found as {
    readonly preferredVersion?: { readonly version: string };
    readonly versions?: readonly { readonly version: string }[];
  };
  const all = [preferredVersion, ...served].flatMap((each) => each?.version ?? []);
  const version = all.find((each) => versions.includes(each));
  if (version === undefined) throw new UnreadMetricError(`${unreadCustom}no known available metric versions found`);
  const metricLabelSelector = selector && formatLabelSelector(selector);
  return await readItems(`/apis/${group}/${version}/${path}`, { ...query, metricLabelSelector }, options).catch(
    (error: unknown) => {
      if (error instanceof StatusError) throw new UnreadMetricError(unreadCustom + serverMessage(error));
      throw error;
    },
  );
}

/** Reads the sum of an external metric, in thousandths. */
async function readExternal(
  { name, selector }: DeepReadonly<MetricIdentifier>,
  options: CustomMetricOptions,
): Promise<number> {
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${options.namespace}/${encodeURIComponent(name)}`;
  const labelSelector = selector && formatLabelSelector(selector);
  const items = await readItems(path, { labelSelector }, options).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
    // The answer of a server that doesn't serve the path names no object.
    const isUnserved = isNotFound(error) && error.status.details?.name === undefined;
    const problem = isUnserved ? `${unservedApi} (get ${name}.external.metrics.k8s.io)` : serverMessage(error);
    throw new UnreadMetricError(`unable to fetch metrics from external metrics API: ${problem}`);
  });
  if (items.length === 0) throw new UnreadMetricError("no metrics returned from external metrics API");
  return items.reduce((sum, { value }) => sum + thousandths(value), 0);
}

async function readItems(
  path: string,
  query: Query,
  { client, signal }: CustomMetricOptions,
): Promise<readonly MetricValue[]> {
  const response = await client.request({ path, query, signal });
  const { items = [] } = (await response.json()) as { readonly items?: readonly MetricValue[] };
  return items;
}
