import type * as core from "../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { FieldError } from "../../errors/field-error.js";
import { labelValueErrors } from "../../objects/selectors.js";
import * as check from "./checks.js";
import { duplicate, forbidden, invalid, notSupported, required } from "./field-errors.js";
import { selectorErrors } from "./selectors.js";

export function validateAffinity(affinity: core.Affinity, at: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const errors: FieldError[] = [];
  const needed = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (needed !== undefined)
    errors.push(
      ...validateNodeSelector(
        needed.nodeSelectorTerms,
        `${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
      ),
    );
  (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach(({ weight, preference }, index) => {
    const path = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${String(index)}]`;
    errors.push(...weightErrors(weight, path), ...nodeSelectorTerm(preference, `${path}.preference`, false));
  });
  if (podAffinity !== undefined) errors.push(...podAffinityErrors(podAffinity, `${at}.podAffinity`));
  if (podAntiAffinity !== undefined) errors.push(...podAffinityErrors(podAntiAffinity, `${at}.podAntiAffinity`));
  return errors;
}

/** Validates the terms of a node selector. One of them must match a node. */
export function validateNodeSelector(terms: readonly core.NodeSelectorTerm[] | null, at: string): FieldError[] {
  if ((terms ?? []).length === 0) return [required(at, "must have at least one node selector term")];
  return (terms ?? []).flatMap((term, index) => nodeSelectorTerm(term, `${at}[${String(index)}]`, true));
}

function nodeSelectorTerm(
  { matchExpressions, matchFields }: core.NodeSelectorTerm,
  at: string,
  values: boolean,
): FieldError[] {
  return [
    ...(matchExpressions ?? []).flatMap((each, index) =>
      nodeRequirement(each, `${at}.matchExpressions[${String(index)}]`, values),
    ),
    ...(matchFields ?? []).flatMap((each, index) => fieldRequirement(each, `${at}.matchFields[${String(index)}]`)),
  ];
}

function nodeRequirement(
  { key, operator, values = [] }: core.NodeSelectorRequirement,
  at: string,
  checkValues: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      errors.push(forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1)
      errors.push(required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
  errors.push(...check.qualifiedName(`${at}.key`, key));
  if (checkValues)
    values.forEach((value, index) =>
      errors.push(...labelValueErrors(value).map((detail) => invalid(`${at}.values[${String(index)}]`, value, detail))),
    );
  return errors;
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
  else values.forEach((value, index) => errors.push(...check.dnsSubdomain(`${at}.values[${String(index)}]`, value)));
  return errors;
}

function weightErrors(weight: number, at: string): FieldError[] {
  return weight <= 0 || weight > 100 ? [invalid(`${at}.weight`, weight, "must be in the range 1-100")] : [];
}

function podAffinityErrors(affinity: core.PodAffinity, at: string): FieldError[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity;
  return [
    ...needed.flatMap((term, index) =>
      podAffinityTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${String(index)}]`),
    ),
    ...preferred.flatMap(({ weight, podAffinityTerm: term }, index) => {
      const path = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${String(index)}]`;
      return [...weightErrors(weight, path), ...podAffinityTerm(term, `${path}.podAffinityTerm`)];
    }),
  ];
}

function podAffinityTerm(term: core.PodAffinityTerm, at: string): FieldError[] {
  const errors = [
    ...selectorErrors(term.labelSelector, `${at}.labelSelector`),
    ...selectorErrors(term.namespaceSelector, `${at}.namespaceSelector`),
  ];
  for (const name of term.namespaces ?? []) errors.push(...check.dnsLabel(`${at}.namespace`, name));
  errors.push(...labelKeys(at, term.matchLabelKeys ?? [], term.mismatchLabelKeys ?? [], term.labelSelector));
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
    else keys.forEach((key, index) => errors.push(...check.qualifiedName(`${at}.${name}[${String(index)}]`, key)));
  }
  match.forEach((key, index) => {
    if (mismatch.includes(key))
      errors.push(
        invalid(`${at}.matchLabelKeys[${String(index)}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"),
      );
  });
  return errors;
}

/** Validates topology spread constraints. */
export function validateSpread(constraints: readonly core.TopologySpreadConstraint[], at: string): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const path = `${at}[${String(index)}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains, labelSelector } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(`${path}.maxSkew`, maxSkew, "must be greater than zero"));
    if (topologyKey === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
    if (whenUnsatisfiable !== "DoNotSchedule" && whenUnsatisfiable !== "ScheduleAnyway")
      errors.push(notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]));
    if (
      constraints
        .slice(index + 1)
        .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable)
    )
      errors.push(duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    if (minDomains !== undefined) {
      if (minDomains <= 0) errors.push(invalid(`${path}.minDomains`, minDomains, "must be greater than zero"));
      if (whenUnsatisfiable !== "DoNotSchedule")
        errors.push(
          invalid(
            `${path}.minDomains`,
            minDomains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
          ),
        );
    }
    for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy: string | undefined = constraint[name];
      if (policy !== undefined && policy !== "Honor" && policy !== "Ignore")
        errors.push(notSupported(`${path}.${name}`, policy, ["Honor", "Ignore"]));
    }
    return [
      ...errors,
      ...labelKeys(path, constraint.matchLabelKeys ?? [], [], labelSelector),
      ...selectorErrors(labelSelector, `${path}.labelSelector`),
    ];
  });
}
