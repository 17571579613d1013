import { pushAll } from "../../../internal/push-all.js";
import type { FieldError } from "../../errors/field-error.js";
import { isJsonObject } from "../../internal/json-value.js";
import { repeats } from "../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../shared/field-errors.js";
import type { RawSchema } from "./raw-schema.js";
import { defaultErrors } from "./validate-defaults.js";
import type { RulePlace } from "./validate-rules.js";
import { placeWithin, rootPlace, ruleErrors, ruleTextErrors, totalCostErrors } from "./validate-rules.js";
import {
  alternativesOf,
  itemsOf,
  propertyOf,
  structuralErrors,
  unsupportedIn,
  valuesOf,
} from "./validate-structural.js";

const types = ["array", "boolean", "integer", "number", "object", "string"];
/** Members that the root of a schema can't have together with a status subresource. */
const deniedAtRoot = [
  "nullable",
  "default",
  "enum",
  "maxProperties",
  "minProperties",
  "allOf",
  "oneOf",
  "anyOf",
  "not",
  "additionalProperties",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
] as const;
/** Members whose value `false` is equivalent to a missing one. */
const flags: ReadonlySet<string> = new Set([
  "nullable",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
]);
const ownMembers = new Set(["apiVersion", "kind", "metadata"]);

/** Validates the schema of a custom resource: it must be structural, with valid defaults and rules. */
export function validateSchema(schema: RawSchema, field: string, statusEnabled: boolean): FieldError[] {
  const errors = statusEnabled ? rootErrors(schema, field) : [];
  if (schema.nullable === true) errors.push(forbidden(`${field}.nullable`, "nullable cannot be true at the root"));
  const obstacle = unsupportedIn(schema);
  const structural = obstacle === undefined ? structuralErrors(schema, field) : [];
  if (obstacle === undefined && structural.length === 0) pushAll(structural, defaultErrors(schema, field));
  pushAll(errors, structural);
  const place = obstacle === undefined && structural.length === 0 ? rootPlace(schema) : undefined;
  const found = check(schema, { field, place, root: true, insideMeta: false, defaults: undefined });
  pushAll(errors, found.schema, found.rules);
  if (errors.length === 0 && obstacle !== undefined) errors.push(invalid(field, "", obstacle));
  return place === undefined ? errors : [...errors, ...totalCostErrors(place, field)];
}

/** Returns the error of a root schema that does more than describe its fields. */
function rootErrors(schema: RawSchema, field: string): FieldError[] {
  const denied = [invalid(field, "", "has a member that the root of a schema with a status subresource cannot have")];
  if ((schema.id ?? "") !== "" || (schema.$schema ?? "") !== "" || schema.$ref !== undefined) return denied;
  if ((schema.type ?? "") !== "" && schema.type !== "object")
    return [invalid(`${field}.type`, schema.type, "must be object at the root if there is a status subresource")];
  const isGiven = (key: (typeof deniedAtRoot)[number]): boolean =>
    schema[key] !== undefined && !(schema[key] === false && flags.has(key));
  return deniedAtRoot.some(isGiven) ? denied : [];
}

interface Node {
  readonly field: string;
  /** Context for rules; `undefined` to skip them. */
  readonly place: RulePlace | undefined;
  readonly root: boolean;
  /** True inside `metadata` or another field that every object has. */
  readonly insideMeta: boolean;
  /** Reason why a default isn't allowed; `undefined` if it is. */
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
    pushAll(found.schema, inner.schema);
    pushAll(found.rules, inner.rules);
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
  pushAll(found.schema, extensionErrors(schema, field), ruleTextErrors(schema, field));
  // Rules are compiled only for valid schemas, which have types.
  if (place !== undefined && found.schema.length === 0) pushAll(found.rules, ruleErrors(schema, field, place));
  return found;
}

/** Returns the errors of members that no schema may have. */
function nodeErrors(schema: RawSchema, { field, insideMeta, defaults }: Node): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type ?? "";
  const forbid = (name: string, present: boolean): void => {
    if (present) errors.push(forbidden(`${field}.${name}`, `${name} is not supported`));
  };
  if (type !== "" && !types.includes(type)) errors.push(notSupported(`${field}.type`, type, types));
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
  if (schema.uniqueItems === true) errors.push(forbidden(`${field}.uniqueItems`, "cannot be true"));
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
      errors.push(notSupported(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
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
  else if (listType === "set" && items !== undefined) pushAll(errors, setItemErrors(items, `${field}.items`));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const place = `${field}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(place, detail) : invalid(place, listType, detail));
  }
  if (listType === "map") pushAll(errors, mapErrors(schema, keys, field));
  if ((listType === "set" || listType === "map") && items?.nullable === true)
    errors.push(forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === "map" && items !== undefined) pushAll(errors, keyErrors(items, keys, `${field}.items`));
  return errors;
}

function setItemErrors(items: RawSchema, field: string): FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${field}.x-kubernetes-list-type`, listType, detail)];
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    return [invalid(`${field}.x-kubernetes-map-type`, items["x-kubernetes-map-type"], detail)];
  return [];
}

const inMapHint = "if x-kubernetes-list-type is map";

function mapErrors(schema: RawSchema, keys: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  if (keys.length === 0) errors.push(required(`${field}.x-kubernetes-list-map-keys`, `must not be empty ${inMapHint}`));
  if (schema.items === undefined) errors.push(required(`${field}.items`, `must be specified ${inMapHint}`));
  else if (items === undefined)
    errors.push(invalid(`${field}.items`, schema.items, `must be a single schema ${inMapHint}`));
  else if (items.type !== "object")
    errors.push(invalid(`${field}.items.type`, items.type ?? "", `must be object ${inMapHint}`));
  if (items?.type !== "object") return errors;
  const repeated = repeats(keys);
  keys.forEach((key, at) => {
    const property = propertyOf(items, key);
    const type = `${field}.items.properties[${key}].type`;
    if (property?.type === "array" || property?.type === "object")
      errors.push(invalid(type, property.type, `must be a scalar type ${inMapHint}`));
    if (property === undefined)
      errors.push(invalid(`${field}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties"));
    if (repeated.has(at))
      errors.push(invalid(`${field}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries"));
  });
  return errors;
}

function keyErrors(items: RawSchema, keys: readonly string[], field: string): FieldError[] {
  return keys.flatMap((key) => {
    const property = propertyOf(items, key);
    if (property === undefined) return [];
    const at = `${field}.properties[${key}]`;
    return [
      ...(items.required?.includes(key) !== true && property.default === undefined
        ? [required(`${at}.default`, "a key of a list map must be required or have a default")]
        : []),
      ...(property.nullable === true ? [forbidden(`${at}.nullable`, "a key of a list map cannot be nullable")] : []),
    ];
  });
}
