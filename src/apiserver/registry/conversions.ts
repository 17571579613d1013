import { printGoObject } from "../schema/go-decode.js";
import type { ServedResource } from "./resources.js";
import type { ApiObject } from "./strategy.js";

type Conversion = Pick<ServedResource, "fromStorage" | "toStorage">;
type Fields = Record<string, unknown>;

/** Names of an Event's fields: in the core group, where Events are stored, and in `events.k8s.io`. */
const eventFields: readonly (readonly [string, string])[] = [
  ["reportingComponent", "reportingController"], ["involvedObject", "regarding"], ["message", "note"], ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"], ["lastTimestamp", "deprecatedLastTimestamp"], ["count", "deprecatedCount"],
];

function rename(object: Fields, pairs: readonly (readonly [string, string])[]): void {
  const values = pairs.map(([from]) => object[from]);
  for (const [from] of pairs) Reflect.deleteProperty(object, from);
  pairs.forEach(([, to], index) => {
    if (values[index] !== undefined) object[to] = values[index];
  });
}

/** Puts an object into the form of a definition, in place; its metadata stays the same object. */
function print(object: ApiObject, definition: string): void {
  const printed = printGoObject(definition, object);
  const { metadata } = object;
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  Object.assign(object, printed);
  if (metadata !== undefined) object.metadata = metadata;
}

const events: Conversion = {
  fromStorage(object) {
    rename(object, eventFields);
    print(object, "io.k8s.api.events.v1.Event");
  },
  toStorage(object) {
    rename(object, eventFields.map(([core, own]) => [own, core] as const));
    print(object, "io.k8s.api.core.v1.Event");
  },
};

const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

interface Metric {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target: { readonly type: string; readonly averageUtilization?: number } };
}

/** HorizontalPodAutoscalers are stored as v2; v1 knows the use of CPU alone and keeps the rest in annotations. */
const autoscalers: Conversion = {
  fromStorage(object) {
    const { metrics, behavior, ...spec } = (object.spec ?? {}) as Fields & { metrics?: Metric[] };
    const isCpu = (metric: Metric): boolean => metric.type === "Resource" && metric.resource?.name === "cpu" && metric.resource.target.type === "Utilization";
    const cpu = metrics?.find(isCpu)?.resource?.target.averageUtilization;
    const others = metrics?.filter((metric) => !isCpu(metric)) ?? [];
    object.spec = { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) };
    const annotations = (object.metadata ??= {}).annotations;
    const added = { ...(others.length === 0 ? {} : { [metricsAnnotation]: JSON.stringify(others) }), ...(behavior === undefined ? {} : { [behaviorAnnotation]: JSON.stringify(behavior) }) };
    if (Object.keys(added).length > 0) object.metadata.annotations = { ...annotations, ...added };
    const { currentMetrics, conditions: _conditions, ...status } = (object.status ?? {}) as Fields & { currentMetrics?: { resource?: { name: string; current: { averageUtilization?: number } } }[] };
    const current = currentMetrics?.find((metric) => metric.resource?.name === "cpu")?.resource?.current.averageUtilization;
    object.status = { ...status, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) };
  },
  toStorage(object) {
    const { targetCPUUtilizationPercentage: cpu, ...spec } = (object.spec ?? {}) as Fields;
    const meta = (object.metadata ??= {});
    const { [metricsAnnotation]: others, [behaviorAnnotation]: behavior, ...annotations } = meta.annotations ?? {};
    const metrics: unknown[] = [...parseList(others), ...(cpu === undefined ? [] : [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: cpu } } }])];
    object.spec = { ...spec, ...(metrics.length === 0 ? {} : { metrics }), ...(behavior === undefined ? {} : { behavior: parse(behavior) }) };
    if (others !== undefined || behavior !== undefined) meta.annotations = annotations;
    const { currentCPUUtilizationPercentage: current, ...status } = (object.status ?? {}) as Fields;
    object.status = { ...status, currentMetrics: current === undefined ? null : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }] };
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A hand-written annotation that is no JSON says nothing.
  }
}

function parseList(text: string | undefined): unknown[] {
  const value = text === undefined ? undefined : parse(text);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

const exactFields = ["deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity"];

function eachRequest(object: ApiObject, change: (request: Fields) => void): void {
  const spec = object.spec as { devices?: { requests?: Fields[] }; spec?: { devices?: { requests?: Fields[] } } } | undefined;
  for (const request of [...(spec?.devices?.requests ?? []), ...(spec?.spec?.devices?.requests ?? [])]) change(request);
}

/** Device requests of `resource.k8s.io/v1beta1` have no `exactly` around their fields. */
const claims: Conversion = {
  fromStorage: (object) => eachRequest(object, (request) => {
    if (typeof request.exactly === "object" && request.exactly !== null) Object.assign(request, request.exactly);
    delete request.exactly;
  }),
  toStorage: (object) => eachRequest(object, (request) => {
    const exactly: Fields = {};
    for (const field of exactFields) {
      if (request[field] === undefined) continue;
      exactly[field] = request[field];
      Reflect.deleteProperty(request, field);
    }
    if (Object.keys(exactly).length > 0) request.exactly = exactly;
  }),
};

/** Devices of `resource.k8s.io/v1beta1` have a `basic` around their fields. */
const slices: Conversion = {
  fromStorage(object) {
    const spec = object.spec as { devices?: Fields[] } | undefined;
    if (spec?.devices !== undefined) spec.devices = spec.devices.map(({ name, ...basic }) => ({ name, basic }));
  },
  toStorage(object) {
    const spec = object.spec as { devices?: Fields[] } | undefined;
    if (spec?.devices !== undefined) spec.devices = spec.devices.map(({ name, basic }) => ({ name, ...(basic as Fields | undefined) }));
  },
};

const conversions: Readonly<Record<string, Conversion>> = {
  "events.k8s.io/v1/events": events,
  "autoscaling/v1/horizontalpodautoscalers": autoscalers,
  "resource.k8s.io/v1beta1/resourceclaims": claims,
  "resource.k8s.io/v1beta1/resourceclaimtemplates": claims,
  "resource.k8s.io/v1beta1/resourceslices": slices,
};

/** How a version of a built-in kind differs from the stored one; `undefined` if only its name does. */
export function conversionOf(group: string, version: string, resource: string): Conversion | undefined {
  const key = `${group}/${version}/${resource}`;
  return Object.hasOwn(conversions, key) ? conversions[key] : undefined;
}
