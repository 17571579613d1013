import { pushAll } from "../../../internal/push-all.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { duplicate, invalid, notSupported, required, tooLong, tooMany } from "../shared/field-errors.js";

const longestDriver = 63;
const longestId = 32;
const longestPool = 253;
const mostConditions = 4;
const taintEffects = ["NoExecute", "NoSchedule", "None"];
const wrongIdentifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** Validates the name of a driver. */
export function driverErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  return [
    ...(name.length > longestDriver ? [tooLong(field, longestDriver)] : []),
    ...nameErrors(name.toLowerCase(), "subdomain").map((detail) => invalid(field, name, detail)),
  ];
}

/** Validates the name of a pool. */
export function poolErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  return [
    ...(name.length > longestPool ? [tooLong(field, longestPool)] : []),
    ...name.split("/").flatMap((part) => check.dnsSubdomain(field, part)),
  ];
}

/** Validates the name of an attribute or capacity: an identifier, with a domain if it isn't the driver's own. */
export function attributeNameErrors(field: string, name: string): FieldError[] {
  const parts = name.split("/");
  if (parts.length === 1) return identifierErrors(field, name);
  if (parts.length > 2) return [];
  const [domain = "", id = ""] = parts;
  return [
    ...(domain === "" ? [invalid(field, "", "the domain must not be empty")] : driverErrors(field, domain)),
    ...(id === "" ? [invalid(field, "", "the name must not be empty")] : identifierErrors(field, id)),
  ];
}

/** Validates the name of an attribute that must have a domain. */
export function fullAttributeNameErrors(field: string, name: string): FieldError[] {
  return [
    ...attributeNameErrors(field, name),
    ...(name.includes("/")
      ? []
      : [invalid(field, name, "a fully qualified name must be a domain and a name separated by a slash")]),
  ];
}

function identifierErrors(field: string, id: string): FieldError[] {
  return [
    ...(id.length > longestId ? [tooLong(field, longestId)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? [] : [invalid(field, id, wrongIdentifier)]),
  ];
}

/** A taint of a device. */
export interface DeviceTaint {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

/** Validates a taint; an unchanged effect isn't checked again. */
export function taintErrors(
  { key = "", value = "", effect = "" }: DeviceTaint,
  old: DeviceTaint | undefined,
  at: string,
): FieldError[] {
  const errors = [...check.qualifiedName(`${at}.key`, key), ...check.labelValue(`${at}.value`, value)];
  if (old?.effect === effect) return errors;
  if (effect === "") return [...errors, required(`${at}.effect`)];
  return taintEffects.includes(effect) ? errors : [...errors, notSupported(`${at}.effect`, effect, taintEffects)];
}

/** A toleration of taints. */
export interface DeviceToleration extends DeviceTaint {
  readonly operator?: string | undefined;
}

export function tolerationErrors(
  { key = "", operator = "", value = "", effect = "" }: DeviceToleration,
  at: string,
): FieldError[] {
  const errors = key === "" ? [] : check.qualifiedName(`${at}.key`, key);
  if (operator === "Exists") {
    if (value !== "") errors.push(invalid(`${at}.value`, value, "must be empty for operator `Exists`"));
  } else if (operator === "Equal") pushAll(errors, check.labelValue(`${at}.value`, value));
  else
    errors.push(
      operator === "" ? required(`${at}.operator`) : notSupported(`${at}.operator`, operator, ["Equal", "Exists"]),
    );
  if (effect !== "" && !taintEffects.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, taintEffects));
  return errors;
}

/** Rules for a list. */
export interface ListRules<T> {
  readonly most: number;
  /** Returns the part of an item that must be unique. */
  keyOf?(item: T): string | object;
}

/** Returns the error of a list that is too long, or the errors of its items and of duplicate keys. */
export function setErrors<T>(
  items: readonly T[] | undefined,
  { most, keyOf }: ListRules<T>,
  at: string,
  itemErrors: (item: T, at: string) => FieldError[],
): FieldError[] {
  const list = items ?? [];
  if (list.length > most) return [tooMany(at, list.length, most)];
  const errors = list.flatMap((item, index) => itemErrors(item, `${at}[${String(index)}]`));
  const keys = keyOf === undefined ? [] : list.map(keyOf);
  const repeated = check.repeats(keys.map((key) => JSON.stringify(key)));
  return [
    ...errors,
    ...keys.flatMap((key, index) => (repeated.has(index) ? [duplicate(`${at}[${String(index)}]`, key)] : [])),
  ];
}

/** Conditions that must, or must not, hold before a pod with a device is bound. */
export interface BindingConditions {
  readonly bindingConditions?: readonly string[] | undefined;
  readonly bindingFailureConditions?: readonly string[] | undefined;
}

/** Validates binding conditions. */
export function bindingErrors(
  { bindingConditions = [], bindingFailureConditions = [] }: BindingConditions,
  at: string,
): FieldError[] {
  const lists = [
    ["bindingConditions", bindingConditions],
    ["bindingFailureConditions", bindingFailureConditions],
  ] as const;
  const errors = lists.flatMap(([field, list]) =>
    setErrors(list, { most: mostConditions }, `${at}.${field}`, (condition, place) =>
      check.qualifiedName(place, condition),
    ),
  );
  const known = new Set(bindingConditions);
  for (const [field, list] of lists) {
    const repeated = check.repeats(list);
    list.forEach((condition, index) => {
      const place = `${at}.${field}[${String(index)}]`;
      if (repeated.has(index)) errors.push(duplicate(place, condition));
      if (field === "bindingFailureConditions" && known.has(condition))
        errors.push(invalid(place, condition, "bindingFailureConditions must not overlap with bindingConditions"));
    });
  }
  const [missing, ...others] = lists.filter(([, list]) => list.length === 0).map(([field]) => `${at}.${field}`);
  if (missing !== undefined && others.length === 0)
    errors.push(invalid(missing, null, "bindingConditions and bindingFailureConditions require each other"));
  return errors;
}
