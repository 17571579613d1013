import { pushAll } from "../../../internal/push-all.js";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../../../kinds/autoscaling/v1.js";
import type * as autoscaling from "../../../kinds/autoscaling/v2.js";
import { compareQuantities } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import type { ApiObject } from "../../objects/api-object.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../shared/field-errors.js";
import { containerResourceName } from "../shared/resource-names.js";
import { autoscalerToStorage } from "./autoscaler-conversion.js";

type Autoscaler = autoscaling.HorizontalPodAutoscaler & Pick<AutoscalerV1, "apiVersion">;
type Spec = NonNullable<Autoscaler["spec"]>;

const mostPeriodSeconds = 1800;
const mostWindowSeconds = 3600;

export function validateAutoscaler(object: Autoscaler): FieldError[] {
  const spec = specOf(object);
  return spec === undefined ? [] : specErrors(spec, undefined);
}

/** Validates a changed HorizontalPodAutoscaler. Invalid API versions in references may stay. */
export function validateAutoscalerUpdate(object: Autoscaler, old: Autoscaler): FieldError[] {
  const spec = specOf(object);
  return spec === undefined ? [] : specErrors(spec, specOf(old));
}

/** Returns the spec in the form of v2. */
function specOf(object: Autoscaler): Spec | undefined {
  if (object.apiVersion !== "autoscaling/v1") return object.spec;
  const copy = structuredClone(object);
  autoscalerToStorage(copy as unknown as ApiObject);
  return copy.spec;
}

function specErrors(spec: Spec, old: Spec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { minReplicas, maxReplicas, scaleTargetRef: target } = spec;
  const least = old?.minReplicas === 0 ? 0 : 1;
  pushAll(errors, check.atLeast("spec.minReplicas", minReplicas, least));
  if (maxReplicas === 0) errors.push(required("spec.maxReplicas", "must be set and greater than 0"));
  else pushAll(errors, check.atLeast("spec.maxReplicas", maxReplicas, 1));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  const kept =
    old !== undefined && old.scaleTargetRef.apiVersion === target.apiVersion && old.scaleTargetRef.kind === target.kind;
  pushAll(
    errors,
    referenceErrors(
      target,
      "spec.scaleTargetRef",
      kept ? "any" : target.kind === "ReplicationController" ? "noGroup" : "group",
    ),
  );
  const wrongBefore = (old?.metrics ?? []).some(
    (metric) =>
      metric.type === "Object" &&
      metric.object !== undefined &&
      !isApiVersion(metric.object.describedObject.apiVersion, "noGroup"),
  );
  const metrics = spec.metrics ?? [];
  const versions = wrongBefore ? "any" : "noGroup";
  pushAll(
    errors,
    check.eachItem(metrics, "spec.metrics", (metric, at) => metricErrors(metric, at, versions)),
  );
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External"))
    errors.push(
      forbidden(
        "spec.metrics",
        "must specify at least one Object or External metric to support scaling to zero replicas",
      ),
    );
  for (const key of ["scaleUp", "scaleDown"] as const)
    pushAll(errors, rulesErrors(spec.behavior?.[key], `spec.behavior.${key}`));
  return errors;
}

type Versions = "any" | "noGroup" | "group";

function isApiVersion(version = "", allowed: Versions): boolean {
  const slashes = version.split("/").length - 1;
  return allowed === "any" || (slashes <= 1 && (allowed === "noGroup" || version.indexOf("/") > 0));
}

function referenceErrors(
  reference: autoscaling.CrossVersionObjectReference,
  at: string,
  allowed: Versions,
): FieldError[] {
  return [
    ...(["kind", "name"] as const).flatMap((key) =>
      check.requiredText(`${at}.${key}`, reference[key], check.pathSegment),
    ),
    ...(isApiVersion(reference.apiVersion, allowed)
      ? []
      : [invalid(`${at}.apiVersion`, reference.apiVersion ?? "", "must be an API version of the expected form")]),
  ];
}

const metricSources = {
  object: "Object",
  external: "External",
  pods: "Pods",
  resource: "Resource",
  containerResource: "ContainerResource",
} as const;
const metricTypes = Object.values(metricSources).sort();

function metricErrors(metric: autoscaling.MetricSpec, at: string, allowed: Versions): FieldError[] {
  const errors: FieldError[] = [];
  const type: string = metric.type;
  const present = (Object.keys(metricSources) as (keyof typeof metricSources)[]).filter(
    (key) => metric[key] !== undefined,
  );
  const expected = (Object.keys(metricSources) as (keyof typeof metricSources)[]).find(
    (key) => metricSources[key] === type,
  );
  if (type === "") errors.push(required(`${at}.type`, "must specify a metric source type"));
  if (expected === undefined) errors.push(notSupported(`${at}.type`, type, metricTypes));
  const [first] = present;
  if (first !== undefined) pushAll(errors, sourceErrors(metric, first, `${at}.${first}`, allowed));
  if (expected === undefined) errors.push(notSupported(`${at}.type`, type, metricTypes));
  else if (metric[expected] === undefined)
    errors.push(required(`${at}.${expected}`, "must populate information for the given metric source"));
  if (present.length !== 1)
    for (const extra of present)
      if (extra !== expected) errors.push(forbidden(`${at}.${extra}`, "must populate the given metric source only"));
  return errors;
}

function sourceErrors(
  metric: autoscaling.MetricSpec,
  kind: keyof typeof metricSources,
  at: string,
  allowed: Versions,
): FieldError[] {
  const errors: FieldError[] = [];
  const source = metric[kind] as {
    readonly metric: autoscaling.MetricIdentifier;
    readonly name: string;
    readonly container: string;
    readonly target: autoscaling.MetricTarget;
  };
  if (kind === "object")
    pushAll(errors, referenceErrors(metric.object!.describedObject, `${at}.describedObject`, allowed));
  if (kind === "resource" || kind === "containerResource") {
    if (source.name === "") errors.push(required(`${at}.name`, "must specify a resource name"));
    else if (kind === "containerResource") pushAll(errors, containerResourceName(`${at}.name`, source.name));
    if (kind === "containerResource")
      pushAll(errors, check.requiredText(`${at}.container`, source.container, check.dnsLabel));
  } else pushAll(errors, check.requiredText(`${at}.metric.name`, source.metric.name, check.pathSegment));
  return [
    ...errors,
    ...targetErrors(source.target, `${at}.target`),
    ...amountErrors(kind, source.target, `${at}.target`),
  ];
}

/** Validates the amounts of a target: those required by the source, and those that exclude each other. */
function amountErrors(
  kind: keyof typeof metricSources,
  { value, averageValue, averageUtilization }: autoscaling.MetricTarget,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (kind === "pods")
    return averageValue === undefined
      ? [required(`${at}.averageValue`, "must specify a positive target averageValue")]
      : [];
  if (kind === "object" || kind === "external") {
    if (value === undefined && averageValue === undefined)
      errors.push(required(`${at}.averageValue`, "must set either a target value or averageValue"));
    if (kind === "external" && value !== undefined && averageValue !== undefined)
      errors.push(forbidden(`${at}.value`, "may not set both a target value for metric and a per-pod target"));
    return errors;
  }
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(required(`${at}.averageUtilization`, "must set either a target raw value or a target utilization"));
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbidden(`${at}.averageValue`, "may not set both a target raw value and a target utilization"));
  return errors;
}

function targetErrors(target: autoscaling.MetricTarget, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const type: string = target.type;
  if (type === "") errors.push(required(`${at}.type`, "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type))
    errors.push(invalid(`${at}.type`, type, "must be either Utilization, Value, or AverageValue"));
  for (const key of ["value", "averageValue"] as const) {
    const quantity = target[key];
    if (quantity !== undefined && compareQuantities(quantity, "0") <= 0)
      errors.push(invalid(`${at}.${key}`, quantity, "must be positive"));
  }
  return [...errors, ...check.atLeast(`${at}.averageUtilization`, target.averageUtilization, 1)];
}

function rulesErrors(rules: autoscaling.HPAScalingRules | undefined, at: string): FieldError[] {
  if (rules === undefined) return [];
  const errors: FieldError[] = [];
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules;
  pushAll(errors, check.between(`${at}.stabilizationWindowSeconds`, window, 0, mostWindowSeconds));
  if (selectPolicy !== undefined)
    pushAll(errors, check.oneOf(`${at}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]));
  if (policies.length === 0) errors.push(required(`${at}.policies`, "must specify at least one Policy"));
  pushAll(
    errors,
    check.eachItem(policies, `${at}.policies`, ({ type, value, periodSeconds }, path) => [
      ...check.oneOf(`${path}.type`, type, ["Percent", "Pods"]),
      ...check.atLeast(`${path}.value`, value, 1),
      ...check.between(`${path}.periodSeconds`, periodSeconds, 1, mostPeriodSeconds),
    ]),
  );
  if (rules.tolerance !== undefined) pushAll(errors, check.nonNegativeQuantity(`${at}.tolerance`, rules.tolerance));
  return errors;
}
