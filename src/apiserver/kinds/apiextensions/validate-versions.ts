import { utf8Encode } from "../../../internal/bytes.js";
import { pushAll } from "../../../internal/push-all.js";
import type { FieldError } from "../../errors/field-error.js";
import { equalJson } from "../../internal/json-value.js";
import { nameErrors as labelProblems } from "../../objects/validate-metadata.js";
import { type FieldPath, joinFieldPath, readFieldPath } from "../../schema/field-path.js";
import * as check from "../shared/checks.js";
import { duplicate, invalid, required, tooMany } from "../shared/field-errors.js";
import type { DefinitionColumn, DefinitionVersion } from "./definition.js";
import { validateSchema } from "./validate-schema.js";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const mostSelectable = 8;

/** Returns the errors of the versions of a definition. */
export function validateVersions(versions: readonly DefinitionVersion[]): FieldError[] {
  const names = versions.map(({ name }) => name);
  const errors = [
    ...check.eachItem(versions, "spec.versions", ({ schema }, at) =>
      schema?.openAPIV3Schema === undefined ? [required(`${at}.schema.openAPIV3Schema`)] : [],
    ),
    ...check.eachItem(versions, "spec.versions", ({ name, deprecated, deprecationWarning }, at) => [
      ...validateLabel(`${at}.name`, name),
      ...(deprecationWarning == null
        ? []
        : warningProblems(deprecationWarning, deprecated === true).map((problem) =>
            invalid(`${at}.deprecationWarning`, deprecationWarning, problem),
          )),
    ]),
    ...check.optionalText("spec.version", names[0], validateLabel),
  ];
  if (new Set(names).size < names.length)
    errors.push(invalid("spec.versions", names, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid("spec.versions", names, "must have exactly one version marked as storage version"));
  const shared = sharedMembers(versions);
  return [...errors, ...versions.flatMap((_, at) => memberErrors(versions, at, shared))];
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

/** Returns the error of a name that must be one part of a DNS name, such as that of a version. */
export function validateLabel(field: string, name: string): FieldError[] {
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
