import { utf8Encode } from "../../../internal/bytes.js";
import type { FieldError } from "../../errors/field-error.js";
import { equalJson, isJsonObject } from "../../internal/json-value.js";
import { nameErrors as labelProblems } from "../../objects/validate-metadata.js";
import { type FieldPath, joinFieldPath, readFieldPath } from "../../schema/field-path.js";
import { duplicate, forbidden, immutable, invalid, required, requiredOneOf, tooMany } from "../shared/field-errors.js";
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
  const name = definition.metadata?.name ?? "";
  return [
    ...(name === "" || name === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(definition),
    ...validateStoredVersions(definition),
    ...approvalErrors(definition),
    ...preserveErrors(definition),
  ];
}

function preserveErrors({ spec }: Definition): FieldError[] {
  return spec.preserveUnknownFields === true
    ? [
        invalid(
          "spec.preserveUnknownFields",
          true,
          "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ),
      ]
    : [];
}

/** Returns the errors of a changed definition. The names that objects are stored under are immutable. */
export function validateDefinitionUpdate(definition: Definition, old: Definition): FieldError[] {
  const established = isTrue(old, "Established");
  return [
    ...specErrors(definition),
    ...(established ? immutable("spec.scope", definition.spec.scope, old.spec.scope) : []),
    ...(established ? immutable("spec.names.kind", definition.spec.names.kind, old.spec.names.kind) : []),
    ...immutable("spec.group", definition.spec.group, old.spec.group),
    ...immutable("spec.names.plural", definition.spec.names.plural, old.spec.names.plural),
    ...validateStoredVersions(definition),
    ...(equalJson(definition.metadata?.annotations?.[approval] ?? null, old.metadata?.annotations?.[approval] ?? null)
      ? []
      : approvalErrors(definition)),
    ...preserveErrors(definition),
    ...(established && !isBadBundle(old) && isBadBundle(definition)
      ? [
          invalid(
            "spec.conversion.webhookClientConfig.caBundle",
            bundleOf(definition),
            "unable to load root certificates: unable to parse bytes as PEM block",
          ),
        ]
      : []),
  ];
}

function bundleOf({ spec }: Definition): string {
  return spec.conversion?.strategy === "Webhook" ? (spec.conversion.webhook?.clientConfig?.caBundle ?? "") : "";
}

/** Whether a bundle contains no certificate. */
function isBadBundle(definition: Definition): boolean {
  const bundle = bundleOf(definition);
  return bundle !== "" && !atob(bundle).includes("-----BEGIN CERTIFICATE-----");
}

/** Returns the errors of `status.storedVersions`: versions of stored objects must stay in the spec. */
export function validateStoredVersions(definition: Definition): FieldError[] {
  const field = "status.storedVersions";
  const stored = definition.status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(field, null, "must have at least one stored version")];
  const versions = versionsOf(definition.spec) ?? [];
  // Of versions with the same name, only the first counts.
  const errors = versions
    .filter(
      ({ name, storage }, at) =>
        storage && (!stored.includes(name) || versions.findIndex((one) => one.name === name) < at),
    )
    .map((version) => invalid(field, stored, `must have the storage version ${version.name}`));
  stored.forEach((name, at) => {
    if (!versions.some((version) => version.name === name)) {
      errors.push(
        invalid(`${field}[${at}]`, name, "missing from spec.versions, although objects may be stored in this version"),
      );
    }
  });
  return errors;
}

const approval = "api-approved.kubernetes.io";
const APPROVAL = "protected groups need a URL or a reason starting with 'unapproved' here";

function approvalErrors(definition: Definition): FieldError[] {
  const { group } = definition.spec;
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group) && !group.endsWith(".k8s.io") && !group.endsWith(".kubernetes.io"))
    return [];
  const value = definition.metadata?.annotations?.[approval];
  const field = `metadata.annotations[${approval}]`;
  if (value === undefined || value === "") return [required(field, APPROVAL)];
  if (value.startsWith("unapproved") || /^https?:\/\/[^/]+/.test(value)) return [];
  return [invalid(field, value, APPROVAL)];
}

function specErrors(definition: Definition): FieldError[] {
  const { spec } = definition;
  const errors: FieldError[] = [];
  if (spec.group === "") errors.push(required("spec.group"));
  else if (labelProblems(spec.group, "subdomain").length > 0)
    errors.push(invalid("spec.group", spec.group, "must be a DNS subdomain"));
  else if (!spec.group.includes("."))
    errors.push(invalid("spec.group", spec.group, "should be a domain with at least one dot"));
  const scope = spec.scope as string;
  errors.push(...requiredOneOf("spec.scope", scope, ["Cluster", "Namespaced"]));
  if (
    spec.preserveUnknownFields === true &&
    (versionsOf(spec) ?? []).some(({ schema }) => hasDefault(schema?.openAPIV3Schema))
  )
    errors.push(invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
  errors.push(...versionErrors(versionsOf(spec)));
  errors.push(...nameErrors(spec.names));
  errors.push(...conversionErrors(spec.conversion, spec.preserveUnknownFields === true));
  return errors;
}

/** Whether a schema has a default anywhere. */
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
  errors.push(...requiredOneOf(`${field}.strategy`, strategy, ["None", "Webhook"]));
  if (strategy !== "None" && open)
    errors.push(invalid(`${field}.strategy`, strategy, "must be None if spec.preserveUnknownFields is true"));
  if (strategy === "Webhook") {
    if (client === undefined)
      errors.push(required(`${field}.webhookClientConfig`, "required when strategy is set to Webhook"));
    else errors.push(...clientErrors(client, `${field}.webhookClientConfig`));
    return [...errors, ...reviewErrors(reviewVersions, true, `${field}.conversionReviewVersions`)];
  }
  const detail = "should not be set when strategy is not set to Webhook";
  if (client !== undefined) errors.push(forbidden(`${field}.webhookClientConfig`, detail));
  if (reviewVersions.length > 0) errors.push(forbidden(`${field}.conversionReviewVersions`, detail));
  return errors;
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function warningProblems(text: string): string[] {
  return [
    ...(utf8Encode(text).length > 256 ? ["must be <= 256 characters long"] : []),
    ...(text === "" ? ["must not be an empty string"] : []),
    ...(unprintable.test(text) ? ["must only contain printable UTF-8 characters"] : []),
  ];
}

/** The versions; null where there is no such list. */
function versionsOf(spec: Definition["spec"]): readonly DefinitionVersion[] | null {
  return spec.versions;
}

function versionErrors(given: readonly DefinitionVersion[] | null): FieldError[] {
  const versions = given ?? [];
  const errors: FieldError[] = [];
  versions.forEach((version, at) => {
    if (version.schema?.openAPIV3Schema === undefined)
      errors.push(required(`spec.versions[${at}].schema.openAPIV3Schema`));
  });
  versions.forEach((version, at) => {
    const problems = labelProblems(version.name, "label1035").join(",");
    if (problems !== "") errors.push(invalid(`spec.versions[${at}].name`, version.name, problems));
    if (version.deprecationWarning != null && version.deprecated !== true)
      errors.push(
        invalid(
          `spec.versions[${at}].deprecationWarning`,
          version.deprecationWarning,
          "can only be set for deprecated versions",
        ),
      );
    else if (version.deprecationWarning != null)
      for (const problem of warningProblems(version.deprecationWarning))
        errors.push(invalid(`spec.versions[${at}].deprecationWarning`, version.deprecationWarning, problem));
  });
  const first = labelProblems(versions[0]?.name ?? "", "label1035").join(",");
  if ((versions[0]?.name ?? "") !== "" && first !== "") errors.push(invalid("spec.version", versions[0]!.name, first));
  if (new Set(versions.map((version) => version.name)).size < versions.length)
    errors.push(
      invalid(
        "spec.versions",
        versions.map(({ name }) => name),
        "must contain unique version names",
      ),
    );
  if (versions.filter((version) => version.storage).length !== 1)
    errors.push(
      invalid(
        "spec.versions",
        versions.map(({ name }) => name),
        "must have exactly one version marked as storage version",
      ),
    );
  const place = (
    key: "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields",
    top: string,
    at: number,
  ): string => (shared(versions, key) ? `spec.${top}` : `spec.versions[${at}].${key}`);
  versions.forEach((version, at) => {
    const once = (key: "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields"): boolean =>
      at === 0 || !shared(versions, key);
    const schema = version.schema?.openAPIV3Schema;
    if (schema !== undefined && once("schema"))
      errors.push(
        ...validateSchema(
          schema,
          `${place("schema", "validation", at)}.openAPIV3Schema`,
          (shared(versions, "schema") ? versions : [version]).some((one) => one.subresources?.status !== undefined),
        ),
      );
    if (version.subresources?.scale !== undefined && once("subresources"))
      errors.push(...scaleErrors(version.subresources.scale, `${place("subresources", "subresources", at)}.scale`));
    if (once("additionalPrinterColumns"))
      version.additionalPrinterColumns?.forEach((column, index) =>
        errors.push(
          ...columnErrors(column, `${place("additionalPrinterColumns", "additionalPrinterColumns", at)}[${index}]`),
        ),
      );
    if (once("selectableFields"))
      errors.push(...selectableErrors(version, place("selectableFields", "selectableFields", at)));
  });
  return errors;
}

/** Whether all versions have the same value, whose errors are then reported on the definition as a whole. */
function shared(
  versions: readonly DefinitionVersion[],
  key: "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields",
): boolean {
  return versions.every((version) => equalJson(version[key] ?? null, versions[0]?.[key] ?? null));
}

function nameErrors(names: DefinitionNames): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["plural", "singular", "kind", "listKind"] as const)
    if ((names[key] ?? "") === "") errors.push(required(`spec.names.${key}`));
  errors.push(...labelErrors(names, "spec.names"));
  return errors;
}

/** Returns the errors of the names that are given. */
function labelErrors(names: Partial<DefinitionNames>, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, value: string, prefix = ""): void => {
    const problems = labelProblems(prefix === "" ? value : value.toLowerCase(), "label1035");
    if (problems.length > 0) errors.push(invalid(`${at}.${field}`, value, prefix + problems.join(",")));
  };
  for (const key of ["plural", "singular"] as const) if ((names[key] ?? "") !== "") check(key, names[key]!);
  for (const key of ["kind", "listKind"] as const)
    if ((names[key] ?? "") !== "") check(key, names[key]!, "may have mixed case, but should otherwise match: ");
  names.shortNames?.forEach((name, index) => check(`shortNames[${index}]`, name));
  if ((names.kind ?? "") !== "" && names.kind === names.listKind)
    errors.push(invalid(`${at}.listKind`, names.listKind, "kind and listKind may not be the same"));
  names.categories?.forEach((name, index) => check(`categories[${index}]`, name));
  return errors;
}

/** Returns the errors of a written status. */
export function validateDefinitionStatus(definition: Definition): FieldError[] {
  return labelErrors(definition.status?.acceptedNames ?? {}, "status.acceptedNames");
}

function columnErrors(column: DefinitionColumn, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (column.name === "") errors.push(required(`${field}.name`));
  if (column.type === "") errors.push(required(`${field}.type`));
  else if (!columnTypes.includes(column.type))
    errors.push(invalid(`${field}.type`, column.type, `must be one of ${columnTypes.join(",")}`));
  if ((column.format ?? "") !== "" && !columnFormats.includes(column.format!))
    errors.push(invalid(`${field}.format`, column.format, `must be one of ${columnFormats.join(",")}`));
  if (column.jsonPath === "") errors.push(required(`${field}.JSONPath`));
  else errors.push(...pathErrors(`${field}.JSONPath`, column.jsonPath));
  return errors;
}

function pathErrors(field: string, path: string): FieldError[] {
  return path.startsWith(".") ? [] : [invalid(field, path, "must be a simple json path starting with .")];
}

function scaleErrors(
  scale: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string },
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const check = (
    key: "specReplicasPath" | "statusReplicasPath" | "labelSelectorPath",
    roots: readonly string[],
    text: string,
  ): void => {
    const path = scale[key] ?? "";
    if (path === "") {
      if (key !== "labelSelectorPath") errors.push(required(`${field}.${key}`));
    } else if (!path.startsWith(".")) errors.push(...pathErrors(`${field}.${key}`, path));
    else if (!roots.some((root) => path.startsWith(root))) errors.push(invalid(`${field}.${key}`, path, text));
  };
  check("specReplicasPath", [".spec."], "should be a json path under .spec");
  check("statusReplicasPath", [".status."], "should be a json path under .status");
  check("labelSelectorPath", [".spec.", ".status."], "should be a json path under either .spec or .status");
  return errors;
}

function selectableErrors(version: DefinitionVersion, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const root = version.schema?.openAPIV3Schema;
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
      errors.push(
        invalid(
          place,
          jsonPath,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    const text = joinFieldPath("", path);
    if (seen.has(text)) errors.push(duplicate(place, jsonPath));
    seen.add(text);
  });
  if (seen.size > mostSelectable) errors.push(tooMany(field, seen.size, mostSelectable));
  return errors;
}
