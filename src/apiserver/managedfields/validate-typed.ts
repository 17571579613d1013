import { goFormat } from "../../internal/go-format.js";
import type { ListType, MapType, ScalarType, TypeRef } from "./field-type.js";
import { fieldElement, formatPathElement, type PathElement } from "./path-element.js";
import { asList, asMap, byForm, listItemElement, memberType, narrow } from "./typed-value.js";

interface TypedError {
  readonly path: string;
  readonly message: string;
}

/** What keeps a value from being of a type, in the words of the server; undefined if nothing does. */
export function typedErrors(value: unknown, type: TypeRef, options: { readonly allowDuplicates: boolean }): string | undefined {
  const errors: TypedError[] = [];
  walk(value, type, "", errors, options.allowDuplicates);
  if (errors.length === 0) return undefined;
  const texts = errors.map((error) => (error.path === "" ? error.message : `${error.path}: ${error.message}`));
  return texts.length === 1 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

function walk(value: unknown, ref: TypeRef, path: string, errors: TypedError[], allowDuplicates: boolean): void {
  const type = narrow(ref.type, value);
  byForm(type, {
    scalar: () => checkScalar(type.scalar ?? "untyped", value, path, errors),
    list: (list) => walkList(list, value, path, errors, allowDuplicates),
    map: (map) => walkMap(map, value, path, errors, allowDuplicates),
  });
}

function checkScalar(type: ScalarType, value: unknown, path: string, errors: TypedError[]): void {
  if (value === null) return;
  const actual = typeof value;
  if (type === "numeric") {
    if (actual !== "number") errors.push({ path, message: `expected numeric (int or float), got ${goTypeName(value)}` });
  } else if (type === "string") {
    if (actual !== "string") errors.push({ path, message: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}` });
  } else if (type === "boolean") {
    if (actual !== "boolean") errors.push({ path, message: `expected boolean, got &{${goFormat(value)}}` });
  } else if (actual === "object") {
    errors.push({ path, message: `expected any scalar, got &{${goFormat(value)}}` });
  }
}

function walkMap(type: MapType, value: unknown, path: string, errors: TypedError[], allowDuplicates: boolean): void {
  const map = asMap(value);
  if (map === undefined) {
    if (value !== null) errors.push({ path, message: `expected map, got &{${goFormat(value)}}` });
    return;
  }
  for (const name of Object.keys(map)) {
    const memberPath = path + formatPathElement(fieldElement(name));
    const member = memberType(type, name);
    if (member === undefined) {
      errors.push({ path: memberPath, message: "field not declared in schema" });
      return;
    }
    walk(map[name], member, memberPath, errors, allowDuplicates);
  }
}

function walkList(type: ListType, value: unknown, path: string, errors: TypedError[], allowDuplicates: boolean): void {
  const list = asList(value);
  if (list === undefined) {
    if (value !== null) errors.push({ path, message: `expected list, got &{${goFormat(value)}}` });
    return;
  }
  const seen = new Set<PathElement>();
  for (const [at, item] of list.entries()) {
    let element: PathElement = `i:${at}`;
    if (!type.atomic) {
      const found = listItemElement(type, item);
      if (typeof found !== "string") {
        errors.push({ path, message: `element ${at}: ${found.error}` });
        return;
      }
      element = found;
      if (seen.has(element) && !allowDuplicates) errors.push({ path, message: `duplicate entries for key ${formatPathElement(element)}` });
      seen.add(element);
    }
    walk(item, type.element, path + formatPathElement(element), errors, allowDuplicates);
  }
}

function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object": return "map[string]interface {}";
    case "boolean": return "bool";
    default: return typeof value;
  }
}

/** A value as Go's `%#v` shows it, as far as it stands in these messages. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  const map = asMap(value);
  if (map !== undefined) return `map[string]interface {}{${Object.keys(map).sort().map((key) => `${JSON.stringify(key)}:${goSyntax(map[key])}`).join(", ")}}`;
  return value === null ? "interface {}(nil)" : (JSON.stringify(value) ?? "");
}
