import type { FieldError } from "../../errors/field-error.js";
import { isJsonObject } from "../../internal/json-value.js";
import type { RawSchema } from "./internal-schema.js";
import { internalItems, internalSchema, membersOf } from "./internal-schema.js";
import { defaultErrors } from "./validate-defaults.js";
import type { RulePlace } from "./validate-rules.js";
import { placeWithin, rootPlace, ruleErrors, ruleTextErrors, totalCostErrors } from "./validate-rules.js";
import { alternativesOf, itemsOf, structuralErrors, unsupportedIn, valuesOf } from "./validate-structural.js";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const rootMembers = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];
const ownMembers = new Set(["apiVersion", "kind", "metadata"]);

const required = (field: string, detail: string): FieldError => ({ type: "FieldValueRequired", field, detail });
const forbidden = (field: string, detail: string): FieldError => ({ type: "FieldValueForbidden", field, detail });
const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  value,
  detail,
});
const unsupported = (field: string, value: string, known: readonly string[]): FieldError => ({
  type: "FieldValueNotSupported",
  field,
  value,
  detail: `supported values: ${known.map((each) => JSON.stringify(each)).join(", ")}`,
});

/** Errors of the schema of a custom resource: it must be structural, its defaults valid, and its rules must compile. */
export function validateSchema(schema: RawSchema, field: string, statusEnabled: boolean): FieldError[] {
  const errors = statusEnabled ? rootErrors(schema, field) : [];
  if (schema.nullable === true) errors.push(forbidden(`${field}.nullable`, "nullable cannot be true at the root"));
  const obstacle = unsupportedIn(schema);
  const structural = obstacle === undefined ? structuralErrors(schema, field) : [];
  if (obstacle === undefined && structural.length === 0) structural.push(...defaultErrors(schema, field));
  errors.push(...structural);
  const place = obstacle === undefined && structural.length === 0 ? rootPlace(schema) : undefined;
  const found = check(schema, { field, place, root: true, insideMeta: false, defaults: undefined });
  errors.push(...found.schema, ...found.rules);
  if (errors.length === 0 && obstacle !== undefined) errors.push(invalid(field, "", obstacle));
  return place === undefined ? errors : [...errors, ...totalCostErrors(place, field)];
}

/** With a status of its own, the root of a schema can hold little besides its fields. */
function rootErrors(schema: RawSchema, field: string): FieldError[] {
  for (const name of membersOf(schema)) {
    if (name === "Type" && schema.type !== "object")
      return [
        invalid(
          `${field}.type`,
          schema.type,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    if (!rootMembers.includes(name))
      return [
        invalid(
          field,
          internalSchema(schema),
          `only [${rootMembers.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ];
  }
  return [];
}

interface Node {
  readonly field: string;
  /** What rules are held against; undefined where none are looked at. */
  readonly place: RulePlace | undefined;
  readonly root: boolean;
  /** Whether this is within the members that every object has. */
  readonly insideMeta: boolean;
  /** Why there must be no default; undefined where there may be. */
  readonly defaults: string | undefined;
}

interface Found {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

function check(schema: RawSchema, node: Node): Found {
  const { field, place } = node;
  const found: Found = { schema: nodeErrors(schema, node), rules: [] };
  const visit = (below: RawSchema | undefined, step: string, change: Partial<Node> = {}): void => {
    if (below === undefined) return;
    const inner = check(below, { ...node, root: false, field: `${field}.${step}`, place: undefined, ...change });
    found.schema.push(...inner.schema);
    found.rules.push(...inner.rules);
  };
  const within = (below: RawSchema, loose?: string): RulePlace | undefined =>
    place === undefined ? undefined : placeWithin(place, schema, below, loose);
  const values = valuesOf(schema);
  if (values !== undefined)
    visit(values, "additionalProperties", {
      place: within(values),
      ...(node.insideMeta ? { defaults: "inside additionalProperties applying to object metadata" } : {}),
    });
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const own = (node.root || schema["x-kubernetes-embedded-resource"] === true) && ownMembers.has(name);
    visit(property, `properties[${name}]`, {
      place: within(property),
      ...(own ? { insideMeta: true } : {}),
      ...(own && node.root ? { defaults: `in top-level ${name}` } : {}),
    });
  }
  for (const [path, one] of alternativesOf(schema)) visit(one, path);
  for (const [name, one] of Object.entries(schema.definitions ?? {})) visit(one, `definitions[${name}]`);
  const loose = schema["x-kubernetes-list-type"] === "map" ? undefined : field;
  const items = itemsOf(schema);
  if (items !== undefined) visit(items, "items", { place: within(items, loose) });
  if (Array.isArray(schema.items))
    schema.items.forEach((one, at) => visit(one, `items[${at}]`, { place: within(one, loose) }));
  for (const [name, one] of Object.entries(schema.dependencies ?? {}))
    if (isJsonObject(one)) visit(one, `dependencies[${name}]`);
  found.schema.push(...extensionErrors(schema, field), ...ruleTextErrors(schema, field));
  // What is wrong with a schema here or below must be mended first: rules cannot be read without their types.
  if (place !== undefined && found.schema.length === 0) found.rules.push(...ruleErrors(schema, field, place));
  return found;
}

/** Errors of what no schema may hold. */
function nodeErrors(schema: RawSchema, { field, insideMeta, defaults }: Node): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type ?? "";
  const forbid = (name: string, present: boolean): void => {
    if (present) errors.push(forbidden(`${field}.${name}`, `${name} is not supported`));
  };
  if (type !== "" && !types.includes(type)) errors.push(unsupported(`${field}.type`, type, types));
  if (schema.default !== undefined && defaults !== undefined)
    errors.push(forbidden(`${field}.default`, `must not be set ${defaults}`));
  forbid("id", (schema.id ?? "") !== "");
  forbid("additionalItems", schema.additionalItems !== undefined);
  forbid("patternProperties", Object.keys(schema.patternProperties ?? {}).length > 0);
  forbid("definitions", Object.keys(schema.definitions ?? {}).length > 0);
  forbid("dependencies", schema.dependencies !== undefined);
  forbid("$ref", schema.$ref !== undefined);
  if (type === "null")
    errors.push(forbidden(`${field}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema.items) && schema.items.length > 0)
    errors.push(forbidden(`${field}.items`, "items must be a schema object and not an array"));
  if (insideMeta && schema["x-kubernetes-embedded-resource"] === true)
    errors.push(forbidden(`${field}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  if (schema.uniqueItems === true)
    errors.push(
      forbidden(
        `${field}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  if (
    schema.additionalProperties !== undefined &&
    schema.additionalProperties !== true &&
    Object.keys(schema.properties ?? {}).length > 0
  )
    errors.push(forbidden(`${field}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  return errors;
}

function extensionErrors(schema: RawSchema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = schema["x-kubernetes-map-type"] as string | undefined;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  if (mapType !== undefined) {
    if (schema.type !== "object")
      errors.push(typeError(schema, field, "must be object if x-kubernetes-map-type is specified"));
    if (mapType !== "atomic" && mapType !== "granular")
      errors.push(unsupported(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  return [...errors, ...listErrors(schema, field)];
}

function typeError({ type = "" }: RawSchema, field: string, detail: string): FieldError {
  return type === "" ? required(`${field}.type`, detail) : invalid(`${field}.type`, type, detail);
}

function listErrors(schema: RawSchema, field: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"] as string | undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const items = itemsOf(schema);
  const errors: FieldError[] = [];
  if (listType !== undefined && schema.type !== "array")
    errors.push(typeError(schema, field, "must be array if x-kubernetes-list-type is specified"));
  else if (listType === "set" && items !== undefined) errors.push(...setItemErrors(items, `${field}.items`));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(unsupported(`${field}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  if (keys.length > 0 && listType === undefined)
    errors.push(required(`${field}.x-kubernetes-list-type`, "must be map if x-kubernetes-list-map-keys is non-empty"));
  else if (keys.length > 0 && listType !== "map")
    errors.push(
      invalid(`${field}.x-kubernetes-list-type`, listType, "must be map if x-kubernetes-list-map-keys is non-empty"),
    );
  if (listType === "map") errors.push(...mapErrors(schema, keys, field));
  if ((listType === "set" || listType === "map") && items?.nullable === true)
    errors.push(forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === "map" && items !== undefined) errors.push(...keyErrors(items, keys, `${field}.items`));
  return errors;
}

function setItemErrors(items: RawSchema, field: string): FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${field}.x-kubernetes-list-type`, listType, detail)];
  // Of a map, too, a real server shows the type of the list.
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    return [invalid(`${field}.x-kubernetes-map-type`, listType ?? null, detail)];
  return [];
}

function mapErrors(schema: RawSchema, keys: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  if (keys.length === 0)
    errors.push(required(`${field}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  if (schema.items === undefined)
    errors.push(required(`${field}.items`, "must have a schema if x-kubernetes-list-type is map"));
  else if (items === undefined)
    errors.push(
      invalid(
        `${field}.items`,
        internalItems(schema.items),
        "must only have a single schema if x-kubernetes-list-type is map",
      ),
    );
  else if (items.type !== "object")
    errors.push(
      invalid(
        `${field}.items.type`,
        items.type ?? "",
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
  if (items?.type !== "object") return errors;
  keys.forEach((key, at) => {
    const property =
      items.properties !== undefined && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    // The type that is shown is that of the items.
    if (property?.type === "array" || property?.type === "object")
      errors.push(
        invalid(
          `${field}.items.properties[${key}].type`,
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (property === undefined)
      errors.push(invalid(`${field}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties"));
    if (keys.indexOf(key) < at)
      errors.push(invalid(`${field}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries"));
  });
  return errors;
}

function keyErrors(items: RawSchema, keys: readonly string[], field: string): FieldError[] {
  return keys.flatMap((key) => {
    const property =
      items.properties !== undefined && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (property === undefined) return [];
    const at = `${field}.properties[${key}]`;
    return [
      ...(items.required?.includes(key) !== true && property.default === undefined
        ? [
            required(
              `${at}.default`,
              "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            ),
          ]
        : []),
      ...(property.nullable === true
        ? [forbidden(`${at}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")]
        : []),
    ];
  });
}
