import { goJsonText } from "../../internal/go-text.js";
import type { ApiObject } from "../../objects/api-object.js";
import { printGoObject } from "../../schema/go-decode.js";

type Fields = Record<string, unknown>;

interface Annotated {
  metadata?: { annotations?: Record<string, string> | undefined } | undefined;
}

const annotationPrefix = "autoscaling.alpha.kubernetes.io/";
const metricsAnnotation = `${annotationPrefix}metrics`;
const currentAnnotation = `${annotationPrefix}current-metrics`;
const conditionsAnnotation = `${annotationPrefix}conditions`;
const behaviorAnnotation = `${annotationPrefix}behavior`;
/** Annotations of v1 that stand for fields of v2. */
export const fieldAnnotations: readonly string[] = [
  metricsAnnotation,
  behaviorAnnotation,
  conditionsAnnotation,
  currentAnnotation,
];
const roundTripAnnotations: readonly string[] = [
  ...fieldAnnotations,
  `${annotationPrefix}scale-down-tolerance`,
  `${annotationPrefix}scale-up-tolerance`,
];
const v2Prefix = "io.k8s.api.autoscaling.v2.";
const defaultUtilization = 80;

interface Cpu {
  readonly type?: string | undefined;
  readonly resource?:
    | {
        readonly name: string;
        readonly target?: { readonly averageUtilization?: number | undefined } | undefined;
        readonly current?: { readonly averageUtilization?: number | undefined } | undefined;
      }
    | undefined;
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
  const chosen = new Set(wanted);
  const others = metrics.filter((metric) => !chosen.has(metric));
  const use = wanted[0]?.resource?.target?.averageUtilization;
  const used = current.findLast((metric) => isCpu(metric) && metric.resource?.current?.averageUtilization !== undefined)
    ?.resource?.current?.averageUtilization;
  object.spec = { ...spec, ...(use === undefined ? {} : { targetCPUUtilizationPercentage: use }) };
  object.status = { ...status, ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }) };
  const kept = withoutRoundTrip(object);
  const added: Record<string, string> = {};
  if (others.length > 0)
    added[metricsAnnotation] = goJsonText(others.map((metric) => convertMetric(metric as Fields, oldSource, "target")));
  if (current.length > 0)
    added[currentAnnotation] = goJsonText(
      current.map((metric) => convertMetric(metric as Fields, oldSource, "current")),
    );
  if (behavior !== undefined && behavior !== null)
    added[behaviorAnnotation] = goJsonText(oldBehavior(behavior as Fields));
  if (states.length > 0)
    added[conditionsAnnotation] = goJsonText(
      states.map((state) => printGoObject(`${v2Prefix}HorizontalPodAutoscalerCondition`, state)),
    );
  if (Object.keys(added).length > 0) (object.metadata ??= {}).annotations = { ...kept, ...added };
}

/** Converts a HorizontalPodAutoscaler in place from v1 to v2. */
export function autoscalerToStorage(object: ApiObject): void {
  const { targetCPUUtilizationPercentage: use, ...spec } = (object.spec ?? {}) as Fields & {
    targetCPUUtilizationPercentage?: number | undefined;
  };
  const { currentCPUUtilizationPercentage: used, ...status } = (object.status ?? {}) as Fields & {
    currentCPUUtilizationPercentage?: number | undefined;
  };
  const annotations = object.metadata?.annotations ?? {};
  const metrics = [
    ...(list(annotations[metricsAnnotation]) ?? []).map((metric) => convertMetric(metric, newSource, "target")),
    ...(use === undefined ? [] : [cpuMetric("target", use)]),
  ];
  const behavior = newBehavior(parsed(annotations[behaviorAnnotation]));
  const current =
    list(annotations[currentAnnotation])?.map((metric) => convertMetric(metric, newSource, "current")) ??
    (used === undefined ? null : [cpuMetric("current", used)]);
  const conditions = list(annotations[conditionsAnnotation]);
  object.spec = {
    ...spec,
    metrics: metrics.length === 0 ? [cpuMetric("target", defaultUtilization)] : metrics,
    ...(behavior === undefined ? {} : { behavior }),
  };
  object.status = { ...status, currentMetrics: current, ...(conditions === undefined ? {} : { conditions }) };
  withoutRoundTrip(object);
}

/** Copies the annotations of v1 that stand for the spec or the status from another object, in place. */
export function copyRoundTrip(part: "spec" | "status", object: Annotated, from: Annotated | undefined): void {
  for (const name of part === "spec"
    ? [metricsAnnotation, behaviorAnnotation]
    : [currentAnnotation, conditionsAnnotation]) {
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
  if (annotations === undefined || !roundTripAnnotations.some((name) => Object.hasOwn(annotations, name)))
    return annotations ?? {};
  const left = Object.fromEntries(Object.entries(annotations).filter(([name]) => !roundTripAnnotations.includes(name)));
  if (Object.keys(left).length > 0) object.metadata!.annotations = left;
  else delete object.metadata!.annotations;
  return left;
}

type Kind = "object" | "pods" | "resource" | "containerResource" | "external";
type Part = "target" | "current";

const resourceFields = {
  name: "name",
  targetAverageUtilization: "target.averageUtilization",
  targetAverageValue: "target.averageValue",
};

/** Fields of metric specs in v1, in order, and their paths in v2. Metric statuses have `current` instead of `target`. */
const sourceFields: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  object: {
    target: "describedObject",
    metricName: "metric.name",
    targetValue: "target.value",
    selector: "metric.selector",
    averageValue: "target.averageValue",
  },
  pods: { metricName: "metric.name", targetAverageValue: "target.averageValue", selector: "metric.selector" },
  resource: resourceFields,
  containerResource: { ...resourceFields, container: "container" },
  external: {
    metricName: "metric.name",
    metricSelector: "metric.selector",
    targetValue: "target.value",
    targetAverageValue: "target.averageValue",
  },
};
const sourceKinds = Object.keys(sourceFields) as Kind[];

/** Fields of v1 that are `"0"` if missing. */
const requiredFields: Readonly<Record<Part, Readonly<Partial<Record<Kind, string>>>>> = {
  target: { object: "targetValue", pods: "targetAverageValue" },
  current: {
    object: "currentValue",
    pods: "currentAverageValue",
    resource: "currentAverageValue",
    containerResource: "currentAverageValue",
    external: "currentValue",
  },
};

interface FieldPair {
  /** Name in v1. */
  readonly old: string;
  /** Path in v2; `key` is missing for a field of the metric itself. */
  readonly parent: string;
  readonly key: string | undefined;
  /** Value of a missing field. */
  readonly missing: "0" | undefined;
}

function fieldPairs(kind: Kind, part: Part): FieldPair[] {
  return Object.entries(sourceFields[kind]).map(([name, path]) => {
    const old = name.replace(/^target(?=[A-Z])/, part);
    const [parent = "", key] = path.replace("target.", `${part}.`).split(".");
    return { old, parent, key, missing: requiredFields[part][kind] === old ? "0" : undefined };
  });
}

type ConvertSource = (source: Fields, kind: Kind, part: Part) => Fields;

/** Converts a metric's source from v2 to v1. */
const oldSource: ConvertSource = (source, kind, part) => {
  const result: Fields = {};
  for (const { old, parent, key, missing } of fieldPairs(kind, part)) {
    const value = key === undefined ? source[parent] : (source[parent] as Fields | undefined)?.[key];
    result[old] = parent === "describedObject" ? reference(value as Fields | undefined) : (value ?? missing);
  }
  return without(result);
};

const reference = ({ kind, name, apiVersion }: Fields = {}): Fields => without({ kind, name, apiVersion });

/** Converts a metric's source from v1 to v2. */
const newSource: ConvertSource = (source, kind, part) => {
  const result: Fields = {};
  for (const { old, parent, key, missing } of fieldPairs(kind, part)) {
    const value = source[old] ?? missing;
    result[parent] = key === undefined ? value : { ...(result[parent] as Fields), ...without({ [key]: value }) };
  }
  if (part === "target") result["target"] = typedTarget(kind, result["target"] as Fields);
  return result;
};

/** Adds the type to a target, which v1 doesn't have. */
function typedTarget(kind: Kind, target: Fields): Fields {
  const { value, averageValue, averageUtilization } = target;
  if (averageUtilization !== undefined) return { type: "Utilization", ...target };
  if (kind === "object" && averageValue !== undefined)
    return { type: "AverageValue", ...(isZero(value) ? { averageValue } : target) };
  return { type: value === undefined ? "AverageValue" : "Value", ...target };
}

const isZero = (quantity: unknown): boolean => /^0*(\.0*)?([a-zA-Z]|$)/.test(String(quantity));

function convertMetric(metric: Fields, convert: ConvertSource, part: Part): Fields {
  const result: Fields = { type: metric["type"] ?? "" };
  for (const kind of sourceKinds) {
    const source = metric[kind] as Fields | null | undefined;
    if (source !== undefined && source !== null) result[kind] = convert(source, kind, part);
  }
  return result;
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
