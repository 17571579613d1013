import { utf8Encode } from "../../../internal/bytes.js";
import { pushAll } from "../../../internal/push-all.js";
import type { FieldError } from "../../errors/field-error.js";
import { equalJson, isJsonObject } from "../../internal/json-value.js";
import { nameErrors as labelProblems } from "../../objects/validate-metadata.js";
import { type FieldPath, joinFieldPath, readFieldPath } from "../../schema/field-path.js";
import * as check from "../shared/checks.js";
import { duplicate, forbidden, invalid, required, tooMany } from "../shared/field-errors.js";
import { clientErrors, reviewErrors } from "../shared/webhook-client.js";
import type {
  Definition,
  DefinitionColumn,
  DefinitionConversion,
  DefinitionNames,
  DefinitionVersion,
} from "./definition.js";
import { isTrue } from "./definition.js";
import { validateSchema } from "./validate-schema.js";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const mostSelectable = 8;

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
  return [...errors, ...versionErrors(versions), ...nameErrors(spec.names), ...conversionErrors(spec.conversion, open)];
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

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function warningProblems(text: string, isDeprecated: boolean): string[] {
  if (!isDeprecated) return ["can only be set for deprecated versions"];
  return [
    ...(utf8Encode(text).length > 256 ? ["must be <= 256 characters long"] : []),
    ...(text === "" ? ["must not be an empty string"] : []),
    ...(unprintable.test(text) ? ["must only contain printable UTF-8 characters"] : []),
  ];
}

/** Returns the versions, which can be null in a body. */
function versionsOf(spec: Definition["spec"]): readonly DefinitionVersion[] {
  return spec.versions ?? [];
}

function versionErrors(versions: readonly DefinitionVersion[]): FieldError[] {
  const names = versions.map(({ name }) => name);
  const errors = [
    ...check.eachItem(versions, "spec.versions", ({ schema }, at) =>
      schema?.openAPIV3Schema === undefined ? [required(`${at}.schema.openAPIV3Schema`)] : [],
    ),
    ...check.eachItem(versions, "spec.versions", ({ name, deprecated, deprecationWarning }, at) => [
      ...versionNameErrors(`${at}.name`, name),
      ...(deprecationWarning == null
        ? []
        : warningProblems(deprecationWarning, deprecated === true).map((problem) =>
            invalid(`${at}.deprecationWarning`, deprecationWarning, problem),
          )),
    ]),
    ...check.optionalText("spec.version", names[0], versionNameErrors),
  ];
  if (new Set(names).size < names.length)
    errors.push(invalid("spec.versions", names, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid("spec.versions", names, "must have exactly one version marked as storage version"));
  const shared = sharedMembers(versions);
  return [...errors, ...versions.flatMap((_, at) => memberErrors(versions, at, shared))];
}

function versionNameErrors(field: string, name: string): FieldError[] {
  const problems = labelProblems(name, "label1035");
  return problems.length > 0 ? [invalid(field, name, problems.join(","))] : [];
}

/** Fields of the whole definition that report errors of a member that all versions share. */
const sharedPlaces = {
  schema: "spec.validation",
  subresources: "spec.subresources",
  additionalPrinterColumns: "spec.additionalPrinterColumns",
  selectableFields: "spec.selectableFields",
} as const;

type VersionMember = keyof typeof sharedPlaces;
const versionMembers = Object.keys(sharedPlaces) as VersionMember[];

/** Returns the members that are the same in all versions. */
function sharedMembers(versions: readonly DefinitionVersion[]): ReadonlySet<VersionMember> {
  return new Set(
    versionMembers.filter((key) => versions.every((each) => equalJson(each[key] ?? null, versions[0]?.[key] ?? null))),
  );
}

/** Returns the errors of a version's members. Errors of shared members are reported only for the first version. */
function memberErrors(
  versions: readonly DefinitionVersion[],
  at: number,
  shared: ReadonlySet<VersionMember>,
): FieldError[] {
  const version = versions[at]!;
  const errors: FieldError[] = [];
  for (const key of versionMembers) {
    const isShared = shared.has(key);
    if (isShared && at > 0) continue;
    const place = isShared ? sharedPlaces[key] : `spec.versions[${at}].${key}`;
    if (key === "schema") pushAll(errors, schemaErrors(isShared ? versions : [version], `${place}.openAPIV3Schema`));
    else if (key === "selectableFields")
      pushAll(errors, selectableErrors(version, place, isShared === shared.has("schema")));
    else if (key === "additionalPrinterColumns") pushAll(errors, check.eachItem(version[key], place, columnErrors));
    else if (version.subresources?.scale !== undefined)
      pushAll(errors, scaleErrors(version.subresources.scale, `${place}.scale`));
  }
  return errors;
}

/** Validates the schema that these versions share. */
function schemaErrors(versions: readonly DefinitionVersion[], field: string): FieldError[] {
  const schema = versions[0]?.schema?.openAPIV3Schema;
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return schema === undefined ? [] : validateSchema(schema, field, hasStatus);
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
    versionNameErrors(field, name.toLowerCase()).map((error) => ({ ...error, value: name }));
  const { kind, listKind, plural, singular, shortNames, categories } = names;
  return [
    ...check.optionalText(`${at}.plural`, plural, versionNameErrors),
    ...check.optionalText(`${at}.singular`, singular, versionNameErrors),
    ...check.optionalText(`${at}.kind`, kind, mixedCase),
    ...check.optionalText(`${at}.listKind`, listKind, mixedCase),
    ...check.eachItem(shortNames, `${at}.shortNames`, (name, field) => versionNameErrors(field, name)),
    ...check.optionalText(`${at}.listKind`, listKind, (field, name) =>
      name === kind ? [invalid(field, name, "kind and listKind may not be the same")] : [],
    ),
    ...check.eachItem(categories, `${at}.categories`, (name, field) => versionNameErrors(field, name)),
  ];
}

/** Validates a written status. */
export function validateDefinitionStatus(definition: Definition): FieldError[] {
  return labelErrors(definition.status?.acceptedNames ?? {}, "status.acceptedNames");
}

function columnErrors({ name, type, format, jsonPath }: DefinitionColumn, at: string): FieldError[] {
  const oneOf = (known: readonly string[]) => (field: string, value: string) =>
    known.includes(value) ? [] : [invalid(field, value, `must be one of ${known.join(",")}`)];
  return [
    ...check.requiredText(`${at}.name`, name),
    ...check.requiredText(`${at}.type`, type, oneOf(columnTypes)),
    ...check.optionalText(`${at}.format`, format, oneOf(columnFormats)),
    ...check.requiredText(`${at}.JSONPath`, jsonPath, pathBelow(["."])),
  ];
}

/** Returns a check that requires a JSON path below one of the roots. */
function pathBelow(roots: readonly string[]): (field: string, path: string) => FieldError[] {
  return (field, path) =>
    roots.some((root) => path.startsWith(root))
      ? []
      : [invalid(field, path, `must be a simple JSON path that starts with ${roots.join(" or ")}`)];
}

type Scale = NonNullable<NonNullable<DefinitionVersion["subresources"]>["scale"]>;

function scaleErrors({ specReplicasPath, statusReplicasPath, labelSelectorPath }: Scale, at: string): FieldError[] {
  return [
    ...check.requiredText(`${at}.specReplicasPath`, specReplicasPath, pathBelow([".spec."])),
    ...check.requiredText(`${at}.statusReplicasPath`, statusReplicasPath, pathBelow([".status."])),
    ...check.optionalText(`${at}.labelSelectorPath`, labelSelectorPath, pathBelow([".spec.", ".status."])),
  ];
}

function selectableErrors(version: DefinitionVersion, field: string, besideSchema: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  // kube-apiserver moves what all versions share to the definition, and validates the fields with a schema there.
  const root = besideSchema ? version.schema?.openAPIV3Schema : undefined;
  if (root === undefined)
    return (version.selectableFields ?? []).length > 0
      ? [invalid(field, "", "may only be set when `version.schema.openAPIV3Schema` is not included")]
      : [];
  version.selectableFields?.forEach(({ jsonPath }, at) => {
    const place = `${field}[${at}].jsonPath`;
    if (jsonPath === "") {
      errors.push(required(place));
      return;
    }
    let path: FieldPath;
    try {
      path = readFieldPath(jsonPath, root, false);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      errors.push(invalid(place, jsonPath, `is an invalid path: ${error.message}`));
      return;
    }
    if (path.steps[0] === "metadata") errors.push(invalid(place, jsonPath, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(path.schema?.type ?? ""))
      errors.push(invalid(place, jsonPath, "must point to a field of type string, boolean or integer"));
    const text = joinFieldPath("", path);
    if (seen.has(text)) errors.push(duplicate(place, jsonPath));
    seen.add(text);
  });
  if (seen.size > mostSelectable) errors.push(tooMany(field, seen.size, mostSelectable));
  return errors;
}
