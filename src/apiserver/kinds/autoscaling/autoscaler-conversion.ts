import type { ApiObject } from "../../objects/api-object.js";
import { printGoObject } from "../../schema/go-decode.js";

type Fields = Record<string, unknown>;

interface Annotated {
  metadata?: { annotations?: Record<string, string> };
}

const PREFIX = "autoscaling.alpha.kubernetes.io/";
const METRICS = `${PREFIX}metrics`;
const CURRENT = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
/** Annotations of v1 that stand for fields of v2. */
export const FIELD_ANNOTATIONS: readonly string[] = [METRICS, BEHAVIOR, CONDITIONS, CURRENT];
const ROUND_TRIP: readonly string[] = [
  ...FIELD_ANNOTATIONS,
  `${PREFIX}scale-down-tolerance`,
  `${PREFIX}scale-up-tolerance`,
];
const V2 = "io.k8s.api.autoscaling.v2.";
const DEFAULT_UTILIZATION = 80;

interface Cpu {
  readonly type?: string;
  readonly resource?: {
    readonly name: string;
    readonly target?: { readonly averageUtilization?: number };
    readonly current?: { readonly averageUtilization?: number };
  };
}

const cpuMetric = (part: "target" | "current", averageUtilization: number): Fields => ({
  type: "Resource",
  resource: { name: "cpu", [part]: { ...(part === "target" ? { type: "Utilization" } : {}), averageUtilization } },
});
const isCpu = ({ type, resource }: Cpu): boolean => type === "Resource" && resource?.name === "cpu";

/**
 * Converts a HorizontalPodAutoscaler in place from v2 to v1, which has a field for CPU utilization and annotations for
 * the rest.
 */
export function autoscalerFromStorage(object: ApiObject): void {
  const { metrics: given, behavior, ...spec } = (object.spec ?? {}) as Fields;
  const { currentMetrics, conditions, ...status } = (object.status ?? {}) as Fields;
  const metrics = listOf(given) as Cpu[];
  const [current, states] = [listOf(currentMetrics) as Cpu[], listOf(conditions)];
  const wanted = metrics.filter((metric) => isCpu(metric) && metric.resource?.target?.averageUtilization !== undefined);
  const others = metrics.filter((metric) => !wanted.includes(metric));
  const use = wanted[0]?.resource?.target?.averageUtilization;
  const used = current.findLast((metric) => isCpu(metric) && metric.resource?.current?.averageUtilization !== undefined)
    ?.resource?.current?.averageUtilization;
  object.spec = { ...spec, ...(use === undefined ? {} : { targetCPUUtilizationPercentage: use }) };
  object.status = { ...status, ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }) };
  const kept = withoutRoundTrip(object);
  const added: Record<string, string> = {};
  if (others.length > 0) added[METRICS] = goJson(others.map((metric) => convertMetric(metric as Fields, oldSources)));
  if (current.length > 0) added[CURRENT] = goJson(current.map((metric) => convertMetric(metric as Fields, oldStates)));
  if (behavior !== undefined && behavior !== null) added[BEHAVIOR] = goJson(oldBehavior(behavior as Fields));
  if (states.length > 0)
    added[CONDITIONS] = goJson(states.map((state) => printGoObject(`${V2}HorizontalPodAutoscalerCondition`, state)));
  if (Object.keys(added).length > 0) (object.metadata ??= {}).annotations = { ...kept, ...added };
}

/** Converts a HorizontalPodAutoscaler in place from v1 to v2. */
export function autoscalerToStorage(object: ApiObject): void {
  const { targetCPUUtilizationPercentage: use, ...spec } = (object.spec ?? {}) as Fields & {
    targetCPUUtilizationPercentage?: number;
  };
  const { currentCPUUtilizationPercentage: used, ...status } = (object.status ?? {}) as Fields & {
    currentCPUUtilizationPercentage?: number;
  };
  const annotations = object.metadata?.annotations ?? {};
  const metrics = [
    ...(list(annotations[METRICS]) ?? []).map((metric) => convertMetric(metric, newSources)),
    ...(use === undefined ? [] : [cpuMetric("target", use)]),
  ];
  const behavior = newBehavior(parsed(annotations[BEHAVIOR]));
  const current =
    list(annotations[CURRENT])?.map((metric) => convertMetric(metric, newStates)) ??
    (used === undefined ? null : [cpuMetric("current", used)]);
  const conditions = list(annotations[CONDITIONS]);
  object.spec = {
    ...spec,
    metrics: metrics.length === 0 ? [cpuMetric("target", DEFAULT_UTILIZATION)] : metrics,
    ...(behavior === undefined ? {} : { behavior }),
  };
  object.status = { ...status, currentMetrics: current, ...(conditions === undefined ? {} : { conditions }) };
  withoutRoundTrip(object);
}

/** Copies the annotations of v1 that stand for the spec or the status from another object, in place. */
export function copyRoundTrip(part: "spec" | "status", object: Annotated, from: Annotated | undefined): void {
  for (const name of part === "spec" ? [METRICS, BEHAVIOR] : [CURRENT, CONDITIONS]) {
    const value = from?.metadata?.annotations?.[name];
    const { annotations } = object.metadata ?? {};
    if (value !== undefined) (object.metadata ??= {}).annotations = { ...annotations, [name]: value };
    else if (annotations?.[name] !== undefined)
      object.metadata!.annotations = Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== name));
  }
}

/** Removes the annotations that stand for fields. Returns the others. */
export function withoutRoundTrip(object: Annotated): Readonly<Record<string, string>> {
  const { annotations } = object.metadata ?? {};
  if (annotations === undefined || !ROUND_TRIP.some((name) => Object.hasOwn(annotations, name)))
    return annotations ?? {};
  const left = Object.fromEntries(Object.entries(annotations).filter(([name]) => !ROUND_TRIP.includes(name)));
  if (Object.keys(left).length > 0) object.metadata!.annotations = left;
  else delete object.metadata!.annotations;
  return left;
}

type Source = (source: Fields) => Fields;
type Sources = Readonly<Record<"object" | "pods" | "resource" | "containerResource" | "external", Source>>;

const inside = (source: Fields, key: string): Fields => (source[key] ?? {}) as Fields;
const identifier = (source: Fields): Fields => inside(source, "metric");
const reference = ({ kind, name, apiVersion }: Fields): Fields => without({ kind, name, apiVersion });

/** Conversions of metric specs from v2 to v1. */
const oldSources: Sources = {
  object: (source) => ({
    target: reference(inside(source, "describedObject")),
    metricName: identifier(source)["name"],
    targetValue: inside(source, "target")["value"] ?? "0",
    ...without({ selector: identifier(source)["selector"], averageValue: inside(source, "target")["averageValue"] }),
  }),
  pods: (source) => ({
    metricName: identifier(source)["name"],
    targetAverageValue: inside(source, "target")["averageValue"] ?? "0",
    ...without({ selector: identifier(source)["selector"] }),
  }),
  resource: (source) => ({
    name: source["name"],
    ...without({
      targetAverageUtilization: inside(source, "target")["averageUtilization"],
      targetAverageValue: inside(source, "target")["averageValue"],
    }),
  }),
  containerResource: (source) => ({ ...oldSources.resource(source), container: source["container"] }),
  external: (source) => ({
    metricName: identifier(source)["name"],
    ...without({
      metricSelector: identifier(source)["selector"],
      targetValue: inside(source, "target")["value"],
      targetAverageValue: inside(source, "target")["averageValue"],
    }),
  }),
};

/** Conversions of metric statuses from v2 to v1. */
const oldStates: Sources = {
  object: (source) => ({
    target: reference(inside(source, "describedObject")),
    metricName: identifier(source)["name"],
    currentValue: inside(source, "current")["value"] ?? "0",
    ...without({ selector: identifier(source)["selector"], averageValue: inside(source, "current")["averageValue"] }),
  }),
  pods: (source) => ({
    metricName: identifier(source)["name"],
    currentAverageValue: inside(source, "current")["averageValue"] ?? "0",
    ...without({ selector: identifier(source)["selector"] }),
  }),
  resource: (source) => ({
    name: source["name"],
    ...without({ currentAverageUtilization: inside(source, "current")["averageUtilization"] }),
    currentAverageValue: inside(source, "current")["averageValue"] ?? "0",
  }),
  containerResource: (source) => ({ ...oldStates.resource(source), container: source["container"] }),
  external: (source) => ({
    metricName: identifier(source)["name"],
    ...without({ metricSelector: identifier(source)["selector"] }),
    currentValue: inside(source, "current")["value"] ?? "0",
    ...without({ currentAverageValue: inside(source, "current")["averageValue"] }),
  }),
};

const target = (type: string, value: Fields): Fields => ({ type, ...without(value) });
const metricOf = (name: unknown, selector: unknown): Fields => ({ name, ...without({ selector }) });
const isZero = (quantity: unknown): boolean =>
  quantity === undefined || /^0*(\.0*)?([a-zA-Z]|$)/.test(String(quantity));

/** Conversions of metric specs from v1 to v2. */
const newSources: Sources = {
  object: ({ target: about, metricName, targetValue, selector, averageValue }) => ({
    describedObject: about,
    metric: metricOf(metricName, selector),
    target:
      averageValue === undefined
        ? target("Value", { value: targetValue ?? "0" })
        : target("AverageValue", { value: isZero(targetValue) ? undefined : targetValue, averageValue }),
  }),
  pods: ({ metricName, targetAverageValue, selector }) => ({
    metric: metricOf(metricName, selector),
    target: target("AverageValue", { averageValue: targetAverageValue ?? "0" }),
  }),
  resource: ({ name, targetAverageUtilization: averageUtilization, targetAverageValue: averageValue }) => ({
    name,
    target: target(averageUtilization === undefined ? "AverageValue" : "Utilization", {
      averageValue,
      averageUtilization,
    }),
  }),
  containerResource: (source) => ({ ...newSources.resource(source), container: source["container"] }),
  external: ({ metricName, metricSelector, targetValue: value, targetAverageValue: averageValue }) => ({
    metric: metricOf(metricName, metricSelector),
    target: target(value === undefined ? "AverageValue" : "Value", { value, averageValue }),
  }),
};

/** Conversions of metric statuses from v1 to v2. */
const newStates: Sources = {
  object: ({ target: about, metricName, currentValue, selector, averageValue }) => ({
    describedObject: about,
    metric: metricOf(metricName, selector),
    current: { value: currentValue ?? "0", ...without({ averageValue }) },
  }),
  pods: ({ metricName, currentAverageValue, selector }) => ({
    metric: metricOf(metricName, selector),
    current: { averageValue: currentAverageValue ?? "0" },
  }),
  resource: ({ name, currentAverageUtilization: averageUtilization, currentAverageValue }) => ({
    name,
    current: { averageValue: currentAverageValue ?? "0", ...without({ averageUtilization }) },
  }),
  containerResource: (source) => ({ ...newStates.resource(source), container: source["container"] }),
  external: ({ metricName, metricSelector, currentValue, currentAverageValue: averageValue }) => ({
    metric: metricOf(metricName, metricSelector),
    current: { value: currentValue ?? "0", ...without({ averageValue }) },
  }),
};

const KINDS = ["object", "pods", "resource", "containerResource", "external"] as const;

function convertMetric(metric: Fields, sources: Sources): Fields {
  return {
    type: metric["type"] ?? "",
    ...Object.fromEntries(
      KINDS.flatMap((kind) =>
        metric[kind] === undefined || metric[kind] === null ? [] : [[kind, sources[kind](metric[kind] as Fields)]],
      ),
    ),
  };
}

/** Returns scaling rules in the annotation's form: Go's field names, with every field present. */
function oldBehavior({ scaleUp, scaleDown }: Fields): Fields {
  const rules = (given: unknown): Fields | null => {
    if (given === undefined || given === null) return null;
    const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = given as Fields;
    return {
      StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
      SelectPolicy: selectPolicy ?? null,
      Policies:
        (policies as Fields[] | undefined)?.map(({ type, value, periodSeconds }) => ({
          Type: type ?? "",
          Value: value ?? 0,
          PeriodSeconds: periodSeconds ?? 0,
        })) ?? null,
      Tolerance: tolerance ?? null,
    };
  };
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

/** Parses the scaling rules in the annotation; `undefined` if it has none. */
function newBehavior(value: unknown): Fields | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const behavior = lowerCase(value) as Fields;
  return Object.keys(without({ scaleUp: behavior["scaleUp"], scaleDown: behavior["scaleDown"] })).length === 0
    ? undefined
    : behavior;
}

function lowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([key, each]) => [key.charAt(0).toLowerCase() + key.slice(1), lowerCase(each)]),
  );
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Invalid JSON in a hand-written annotation counts as missing.
  }
}

function list(text: string | undefined): Fields[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? (value as Fields[]) : undefined;
}
