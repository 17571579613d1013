import { pushAll } from "../../../internal/push-all.js";
import type * as core from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "./checks.js";
import { duplicate, forbidden, invalid, required } from "./field-errors.js";
import { selectorErrors, setOperatorErrors } from "./selectors.js";

export function validateAffinity(affinity: core.Affinity, at: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const errors: FieldError[] = [];
  const needed = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (needed !== undefined)
    pushAll(
      errors,
      validateNodeSelector(
        needed.nodeSelectorTerms,
        `${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
      ),
    );
  (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach(({ weight, preference }, index) => {
    const path = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${String(index)}]`;
    pushAll(errors, weightErrors(weight, path), nodeSelectorTerm(preference, `${path}.preference`, false));
  });
  if (podAffinity !== undefined) pushAll(errors, podAffinityErrors(podAffinity, `${at}.podAffinity`));
  if (podAntiAffinity !== undefined) pushAll(errors, podAffinityErrors(podAntiAffinity, `${at}.podAntiAffinity`));
  return errors;
}

/** Validates the terms of a node selector. One of them must match a node. */
export function validateNodeSelector(terms: readonly core.NodeSelectorTerm[] | null, at: string): FieldError[] {
  if ((terms ?? []).length === 0) return [required(at, "must have at least one node selector term")];
  return check.eachItem(terms, at, (term, path) => nodeSelectorTerm(term, path, true));
}

function nodeSelectorTerm(
  { matchExpressions, matchFields }: core.NodeSelectorTerm,
  at: string,
  values: boolean,
): FieldError[] {
  return [
    ...check.eachItem(matchExpressions, `${at}.matchExpressions`, (each, path) => nodeRequirement(each, path, values)),
    ...check.eachItem(matchFields, `${at}.matchFields`, fieldRequirement),
  ];
}

function nodeRequirement(
  { key, operator, values = [] }: core.NodeSelectorRequirement,
  at: string,
  checkValues: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "Gt" && operator !== "Lt") pushAll(errors, setOperatorErrors({ operator, values }, at));
  else if (values.length !== 1)
    errors.push(required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  pushAll(errors, check.qualifiedName(`${at}.key`, key));
  return checkValues
    ? [...errors, ...check.eachItem(values, `${at}.values`, (value, path) => check.labelValue(path, value))]
    : errors;
}

function fieldRequirement({ key, operator, values = [] }: core.NodeSelectorRequirement, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn")
    errors.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
  else if (values.length !== 1)
    errors.push(
      required(`${at}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  if (key !== "metadata.name") errors.push(invalid(`${at}.key`, key, "not a valid field selector key"));
  else
    pushAll(
      errors,
      check.eachItem(values, `${at}.values`, (value, path) => check.dnsSubdomain(path, value)),
    );
  return errors;
}

function weightErrors(weight: number, at: string): FieldError[] {
  return check.between(`${at}.weight`, weight, 1, 100);
}

function podAffinityErrors(affinity: core.PodAffinity, at: string): FieldError[] {
  const needed = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return [
    ...check.eachItem(affinity[needed], `${at}.${needed}`, podAffinityTerm),
    ...check.eachItem(affinity[preferred], `${at}.${preferred}`, ({ weight, podAffinityTerm: term }, path) => [
      ...weightErrors(weight, path),
      ...podAffinityTerm(term, `${path}.podAffinityTerm`),
    ]),
  ];
}

function podAffinityTerm(term: core.PodAffinityTerm, at: string): FieldError[] {
  const errors = [
    ...selectorErrors(term.labelSelector, `${at}.labelSelector`),
    ...selectorErrors(term.namespaceSelector, `${at}.namespaceSelector`),
  ];
  for (const name of term.namespaces ?? []) pushAll(errors, check.dnsLabel(`${at}.namespace`, name));
  pushAll(errors, labelKeys(at, term.matchLabelKeys ?? [], term.mismatchLabelKeys ?? [], term.labelSelector));
  if (term.topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
  return [...errors, ...check.qualifiedName(`${at}.topologyKey`, term.topologyKey)];
}

function labelKeys(
  at: string,
  match: readonly string[],
  mismatch: readonly string[],
  selector: LabelSelector | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, keys] of [
    ["matchLabelKeys", match],
    ["mismatchLabelKeys", mismatch],
  ] as const) {
    if (keys.length === 0) continue;
    if (selector === undefined)
      errors.push(forbidden(`${at}.${name}`, "must not be specified when labelSelector is not set"));
    else
      pushAll(
        errors,
        check.eachItem(keys, `${at}.${name}`, (key, path) => check.qualifiedName(path, key)),
      );
  }
  const other = new Set(mismatch);
  match.forEach((key, index) => {
    if (other.has(key))
      errors.push(
        invalid(`${at}.matchLabelKeys[${String(index)}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"),
      );
  });
  return errors;
}

/** Validates topology spread constraints. */
export function validateSpread(constraints: readonly core.TopologySpreadConstraint[], at: string): FieldError[] {
  const key = ({ topologyKey, whenUnsatisfiable }: core.TopologySpreadConstraint): string =>
    `{${topologyKey}, ${whenUnsatisfiable}}`;
  const lastIndexes = new Map(constraints.map((constraint, index) => [key(constraint), index]));
  return check.eachItem(constraints, at, (constraint, path, index) => {
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector } = constraint;
    const errors = [
      ...check.atLeast(`${path}.maxSkew`, maxSkew, 1),
      ...check.requiredText(`${path}.topologyKey`, topologyKey),
      ...check.oneOf(`${path}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]),
    ];
    if (lastIndexes.get(key(constraint)) !== index)
      errors.push(duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, key(constraint)));
    pushAll(errors, check.atLeast(`${path}.minDomains`, minDomains, 1));
    if (minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule")
      errors.push(invalid(`${path}.minDomains`, minDomains, "may only be set if whenUnsatisfiable is DoNotSchedule"));
    return [
      ...errors,
      ...(["nodeAffinityPolicy", "nodeTaintsPolicy"] as const).flatMap((name) =>
        check.optionalOneOf(`${path}.${name}`, constraint[name], ["Honor", "Ignore"]),
      ),
      ...labelKeys(path, constraint.matchLabelKeys ?? [], [], labelSelector),
      ...selectorErrors(labelSelector, `${path}.labelSelector`),
    ];
  });
}
