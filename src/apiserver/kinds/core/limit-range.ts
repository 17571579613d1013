import type { LimitRange, LimitRangeItem } from "../../../kinds/core/v1.js";
import { compareQuantities, quantityToNumber } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { duplicate, forbidden, invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { containerResourceName, isNativeResource, resourceName } from "../shared/resource-names.js";

const limitTypes: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];

type Amounts = "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio";

function validate({ spec }: LimitRange): FieldError[] {
  const seen = new Set<string>();
  return check.eachItem(spec?.limits, "spec.limits", (limit, at) => {
    const errors = typeErrors(limit.type, `${at}.type`);
    if (seen.has(limit.type)) errors.push(duplicate(`${at}.type`, limit.type));
    seen.add(limit.type);
    return [...errors, ...limitErrors(limit, at)];
  });
}

function typeErrors(type: string, field: string): FieldError[] {
  const errors = check.qualifiedName(field, type);
  return errors.length > 0 || type.includes("/") || limitTypes.includes(type)
    ? errors
    : [invalid(field, type, "must be a standard limit type or fully qualified")];
}

function limitErrors(limit: LimitRangeItem, at: string): FieldError[] {
  const { type } = limit;
  const nameErrors = type === "Pod" || type === "Container" ? containerResourceName : resourceName;
  const names = (key: Amounts): string[] => Object.keys(limit[key] ?? {});
  const checked = (key: Amounts): FieldError[] =>
    check.eachItem(names(key), "", (name) => nameErrors(`${at}.${key}[${name}]`, name));
  const defaults = (["default", "defaultRequest"] as const).flatMap((key) => {
    if (type !== "Pod") return checked(key);
    return names(key).length === 0 ? [] : [forbidden(`${at}.${key}`, "may not be specified when `type` is 'Pod'")];
  });
  const unlimited =
    type === "PersistentVolumeClaim" && limit.min?.["storage"] === undefined && limit.max?.["storage"] === undefined;
  const compared: readonly Amounts[] =
    type === "Pod"
      ? ["max", "min", "maxLimitRequestRatio"]
      : ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
  return [
    ...checked("max"),
    ...checked("min"),
    ...defaults,
    ...(unlimited ? [required(`${at}.limits`, "a minimum or maximum of storage is required")] : []),
    ...checked("maxLimitRequestRatio"),
    ...check.eachItem([...new Set(compared.flatMap(names))], "", (name) => amountErrors(limit, name, at)),
  ];
}

function amountErrors(limit: LimitRangeItem, name: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const [min, max, ratio] = [limit.min?.[name], limit.max?.[name], limit.maxLimitRequestRatio?.[name]];
  const [usual, request] = limit.type === "Pod" ? [] : [limit.default?.[name], limit.defaultRequest?.[name]];
  const ordered = (key: Amounts, less: string | undefined, more: string | undefined): void => {
    if (less !== undefined && more !== undefined && compareQuantities(less, more) > 0)
      errors.push(invalid(`${at}.${key}[${name}]`, limit[key]?.[name], `${less} is greater than ${more}`));
  };
  ordered("min", min, max);
  ordered("defaultRequest", min, request);
  ordered("defaultRequest", request, max);
  ordered("defaultRequest", request, usual);
  ordered("default", min, usual);
  ordered("default", usual, max);
  if (ratio !== undefined) {
    const field = `${at}.maxLimitRequestRatio[${name}]`;
    if (compareQuantities(ratio, "1") < 0) errors.push(invalid(field, ratio, "must not be less than 1"));
    if (
      min !== undefined &&
      max !== undefined &&
      quantityToNumber(ratio) > quantityToNumber(max) / quantityToNumber(min)
    )
      errors.push(invalid(field, ratio, "must not be greater than max/min"));
  }
  const whole = !isNativeResource(name) || name.startsWith("hugepages-");
  if (whole && usual !== undefined && request !== undefined && compareQuantities(usual, request) !== 0)
    errors.push(invalid(`${at}.defaultRequest[${name}]`, request, "must be equal to `default`"));
  return errors;
}

export const limitRange: KindDefinition = defineBuiltin<LimitRange>({
  resource: "/limitranges",
  createOnUpdate: true,
  metadata: { checkedAsNew: "everywhere" },
  defaults: {
    "io.k8s.api.core.v1.LimitRangeItem": (item: LimitRangeItem) => {
      if (item.type !== "Container") return;
      item.default = { ...item.max, ...item.default };
      item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
    },
  },
  prepare: {
    create({ metadata }, { uuid }) {
      if (metadata !== undefined && (metadata.name ?? "") === "" && uuid !== undefined) metadata.name = uuid();
    },
  },
  validate: { create: validate },
});
