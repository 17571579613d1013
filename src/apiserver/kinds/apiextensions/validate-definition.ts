import { pushAll } from "../../../internal/push-all.js";
import type { FieldError } from "../../errors/field-error.js";
import { equalJson, isJsonObject } from "../../internal/json-value.js";
import { nameErrors as labelProblems } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, required } from "../shared/field-errors.js";
import { clientErrors, reviewErrors } from "../shared/webhook-client.js";
import type { Definition, DefinitionConversion, DefinitionNames, DefinitionVersion } from "./definition.js";
import { isTrue } from "./definition.js";
import { validateLabel, validateVersions } from "./validate-versions.js";

/** Returns the errors of a new definition. */
export function validateDefinition(definition: Definition): FieldError[] {
  const { spec } = definition;
  const names = (["generateName", "name"] as const).flatMap((key) => {
    const name = definition.metadata?.[key] ?? "";
    return name === "" || name === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid(`metadata.${key}`, name, 'must be spec.names.plural+"."+spec.group')];
  });
  return [
    ...names,
    ...specErrors(definition),
    ...validateStoredVersions(definition),
    ...approvalErrors(definition),
    ...preserveErrors(definition),
  ];
}

function preserveErrors({ spec }: Definition): FieldError[] {
  return spec.preserveUnknownFields === true
    ? [invalid("spec.preserveUnknownFields", true, "use x-kubernetes-preserve-unknown-fields in the schema instead")]
    : [];
}

/** Returns the errors of a changed definition. The names that objects are stored under are immutable. */
export function validateDefinitionUpdate(definition: Definition, old: Definition): FieldError[] {
  const established = isTrue(old, "Established");
  return [
    ...specErrors(definition),
    ...(established ? check.immutable("spec.scope", definition.spec.scope, old.spec.scope) : []),
    ...(established ? check.immutable("spec.names.kind", definition.spec.names.kind, old.spec.names.kind) : []),
    ...check.immutable("spec.group", definition.spec.group, old.spec.group),
    ...check.immutable("spec.names.plural", definition.spec.names.plural, old.spec.names.plural),
    ...validateStoredVersions(definition),
    ...(equalJson(definition.metadata?.annotations?.[approval] ?? null, old.metadata?.annotations?.[approval] ?? null)
      ? []
      : approvalErrors(definition)),
    ...preserveErrors(definition),
    ...(established && !isBadBundle(old) && isBadBundle(definition)
      ? [invalid("spec.conversion.webhookClientConfig.caBundle", bundleOf(definition), "must hold a PEM certificate")]
      : []),
  ];
}

function bundleOf({ spec }: Definition): string {
  return spec.conversion?.strategy === "Webhook" ? (spec.conversion.webhook?.clientConfig?.caBundle ?? "") : "";
}

/** True if a bundle contains no certificate. */
function isBadBundle(definition: Definition): boolean {
  const bundle = bundleOf(definition);
  return bundle !== "" && !atob(bundle).includes("-----BEGIN CERTIFICATE-----");
}

/** Validates `status.storedVersions`: versions of stored objects must stay in the spec. */
export function validateStoredVersions(definition: Definition): FieldError[] {
  const field = "status.storedVersions";
  const stored = definition.status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const versions = versionsOf(definition.spec);
  // Among versions with the same name, only the first counts.
  const repeatedVersions = check.repeats(versions.map(({ name }) => name));
  const names = new Set(versions.map(({ name }) => name));
  const storedNames = new Set(stored);
  const errors = versions
    .filter(({ name, storage }, at) => storage && (!storedNames.has(name) || repeatedVersions.has(at)))
    .map((version) => invalid(field, stored, `must have the storage version ${version.name}`));
  stored.forEach((name, at) => {
    if (!names.has(name)) {
      errors.push(
        invalid(`${field}[${at}]`, name, "missing from spec.versions, although objects may be stored in this version"),
      );
    }
  });
  return errors;
}

const approval = "api-approved.kubernetes.io";
const wrongApproval = "protected groups need a URL or a reason starting with 'unapproved' here";

function approvalErrors(definition: Definition): FieldError[] {
  const { group } = definition.spec;
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group) && !group.endsWith(".k8s.io") && !group.endsWith(".kubernetes.io"))
    return [];
  const value = definition.metadata?.annotations?.[approval];
  const field = `metadata.annotations[${approval}]`;
  if (value === undefined || value === "") return [required(field, wrongApproval)];
  if (value.startsWith("unapproved") || /^https?:\/\/[^/]+/.test(value)) return [];
  return [invalid(field, value, wrongApproval)];
}

function specErrors({ spec }: Definition): FieldError[] {
  const versions = versionsOf(spec);
  const open = spec.preserveUnknownFields === true;
  const errors = check.requiredText("spec.group", spec.group, groupErrors);
  pushAll(errors, check.requiredOneOf("spec.scope", spec.scope, ["Cluster", "Namespaced"]));
  if (open && versions.some(({ schema }) => hasDefault(schema?.openAPIV3Schema)))
    errors.push(invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
  return [
    ...errors,
    ...validateVersions(versions),
    ...nameErrors(spec.names),
    ...conversionErrors(spec.conversion, open),
  ];
}

function groupErrors(field: string, group: string): FieldError[] {
  if (labelProblems(group, "subdomain").length > 0) return [invalid(field, group, "must be a DNS subdomain")];
  return group.includes(".") ? [] : [invalid(field, group, "should be a domain with at least one dot")];
}

/** True if a schema or a part of it has a default. */
function hasDefault(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasDefault);
  if (!isJsonObject(schema)) return false;
  return (
    schema["default"] !== undefined ||
    hasDefault([
      schema["items"],
      schema["not"],
      schema["additionalProperties"],
      ...["allOf", "anyOf", "oneOf"].map((key) => schema[key]),
      ...(Object.values(schema["properties"] ?? {}) as unknown[]),
    ])
  );
}

function conversionErrors(conversion: DefinitionConversion | undefined, open: boolean): FieldError[] {
  const field = "spec.conversion";
  const { strategy = "", webhook } = conversion ?? {};
  const client = webhook?.clientConfig;
  const reviewVersions = webhook?.conversionReviewVersions ?? [];
  const errors: FieldError[] = [];
  pushAll(errors, check.requiredOneOf(`${field}.strategy`, strategy, ["None", "Webhook"]));
  if (strategy !== "None" && open)
    errors.push(invalid(`${field}.strategy`, strategy, "must be None if spec.preserveUnknownFields is true"));
  if (strategy === "Webhook") {
    if (client === undefined)
      errors.push(required(`${field}.webhookClientConfig`, "required when strategy is set to Webhook"));
    else pushAll(errors, clientErrors(client, `${field}.webhookClientConfig`));
    return [...errors, ...reviewErrors(reviewVersions, true, `${field}.conversionReviewVersions`)];
  }
  const detail = "should not be set when strategy is not set to Webhook";
  if (client !== undefined) errors.push(forbidden(`${field}.webhookClientConfig`, detail));
  if (reviewVersions.length > 0) errors.push(forbidden(`${field}.conversionReviewVersions`, detail));
  return errors;
}

/** Returns the versions, which can be null in a body. */
function versionsOf(spec: Definition["spec"]): readonly DefinitionVersion[] {
  return spec.versions ?? [];
}

function nameErrors(names: DefinitionNames): FieldError[] {
  const keys = ["plural", "singular", "kind", "listKind"] as const;
  return [
    ...keys.flatMap((key) => check.requiredText(`spec.names.${key}`, names[key])),
    ...labelErrors(names, "spec.names"),
  ];
}

/** Validates the given names. */
function labelErrors(names: Partial<DefinitionNames>, at: string): FieldError[] {
  const mixedCase = (field: string, name: string): FieldError[] =>
    validateLabel(field, name.toLowerCase()).map((error) => ({ ...error, value: name }));
  const { kind, listKind, plural, singular, shortNames, categories } = names;
  return [
    ...check.optionalText(`${at}.plural`, plural, validateLabel),
    ...check.optionalText(`${at}.singular`, singular, validateLabel),
    ...check.optionalText(`${at}.kind`, kind, mixedCase),
    ...check.optionalText(`${at}.listKind`, listKind, mixedCase),
    ...check.eachItem(shortNames, `${at}.shortNames`, (name, field) => validateLabel(field, name)),
    ...check.optionalText(`${at}.listKind`, listKind, (field, name) =>
      name === kind ? [invalid(field, name, "kind and listKind may not be the same")] : [],
    ),
    ...check.eachItem(categories, `${at}.categories`, (name, field) => validateLabel(field, name)),
  ];
}

/** Validates a written status. */
export function validateDefinitionStatus(definition: Definition): FieldError[] {
  return labelErrors(definition.status?.acceptedNames ?? {}, "status.acceptedNames");
}
