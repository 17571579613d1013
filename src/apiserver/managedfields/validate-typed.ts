import { type JsonObject, jsonTypeName } from "../internal/json-value.js";
import type { ListType, MapType, ScalarType, TypeRef } from "./field-type.js";
import { fieldElement, formatPathElement, type PathElement } from "./path-element.js";
import { asList, asMap, listItemElement, listItemError, memberType, narrow } from "./typed-value.js";

/** Position of a walk, linked to the root. It is formatted only for errors. */
interface Place {
  readonly up: Place | undefined;
  readonly element: PathElement;
}

/** Errors found so far, and the strictness. */
interface Findings {
  readonly errors: string[];
  readonly allowDuplicates: boolean;
}

/** Returns the errors of a value against a type, or `undefined` if it is valid. */
export function typedErrors(
  value: unknown,
  type: TypeRef,
  options: { readonly allowDuplicates: boolean },
): string | undefined {
  const errors: string[] = [];
  walk(value, type, undefined, { errors, allowDuplicates: options.allowDuplicates });
  return errors.length === 0 ? undefined : errors.join("; ");
}

/**
 * True if a value has no errors against a type; duplicate elements are allowed. Faster than `typedErrors`, because it
 * tracks no paths.
 */
export function fitsType(value: unknown, ref: TypeRef): boolean {
  const type = narrow(ref.type, value);
  if (type.map !== undefined) {
    const map = asMap(value);
    if (map === undefined) return value === null;
    for (const name in map) {
      const member = memberType(type.map, name);
      if (member === undefined || !fitsType(map[name], member)) return false;
    }
    return true;
  }
  if (type.scalar !== undefined || type.list === undefined) return isScalar(type.scalar ?? "untyped", value);
  const list = asList(value);
  if (list === undefined) return value === null;
  const { atomic, element } = type.list;
  for (const item of list) {
    if (!atomic && listItemError(type.list, item) !== undefined) return false;
    if (!fitsType(item, element)) return false;
  }
  return true;
}

/** Frozen members of stored objects that have no errors, by their type. */
const fitting = new WeakMap<object, TypeRef>();

/** True if the members of an object have no errors against its type. Remembers frozen ones, which later writes share. */
export function membersFit(object: JsonObject, { type: { map } }: TypeRef): boolean {
  return Object.keys(object).every((name) => {
    const type = map && memberType(map, name);
    const member = object[name];
    if (type === undefined) return false;
    const isFixed = typeof member === "object" && member !== null && Object.isFrozen(member);
    if (isFixed && fitting.get(member) === type) return true;
    const fits = fitsType(member, type);
    if (isFixed && fits) fitting.set(member, type);
    return fits;
  });
}

function report(findings: Findings, place: Place | undefined, message: string): void {
  let path = "";
  for (let at = place; at !== undefined; at = at.up) path = formatPathElement(at.element) + path;
  findings.errors.push(path === "" ? message : `${path}: ${message}`);
}

function walk(value: unknown, ref: TypeRef, place: Place | undefined, findings: Findings): void {
  const type = narrow(ref.type, value);
  if (type.map !== undefined) walkMap(type.map, value, place, findings);
  else if (type.scalar !== undefined || type.list === undefined)
    checkScalar(type.scalar ?? "untyped", value, place, findings);
  else walkList(type.list, value, place, findings);
}

function checkScalar(type: ScalarType, value: unknown, place: Place | undefined, findings: Findings): void {
  if (!isScalar(type, value))
    report(findings, place, `expected ${type === "untyped" ? "any scalar" : type}, got ${jsonTypeName(value)}`);
}

function isScalar(type: ScalarType, value: unknown): boolean {
  if (value === null) return true;
  const actual = jsonTypeName(value);
  return type === "untyped" ? actual !== "object" && actual !== "array" : actual === scalarNames[type];
}

const scalarNames = { numeric: "number", string: "string", boolean: "bool" } as const;

function walkMap(type: MapType, value: unknown, place: Place | undefined, findings: Findings): void {
  const map = asMap(value);
  if (map === undefined) {
    if (value !== null) report(findings, place, `expected map, got ${jsonTypeName(value)}`);
    return;
  }
  for (const name of Object.keys(map)) {
    const there = { up: place, element: fieldElement(name) };
    const member = memberType(type, name);
    if (member === undefined) {
      report(findings, there, "field not declared in schema");
      return;
    }
    walk(map[name], member, there, findings);
  }
}

function walkList(type: ListType, value: unknown, place: Place | undefined, findings: Findings): void {
  const list = asList(value);
  if (list === undefined) {
    if (value !== null) report(findings, place, `expected list, got ${jsonTypeName(value)}`);
    return;
  }
  const seen = new Set<PathElement>();
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at];
    let element: PathElement = type.atomic ? `i:${at}` : "";
    if (!type.atomic) {
      const found = listItemElement(type, item);
      if (typeof found !== "string") {
        report(findings, place, `element ${at}: ${found.error}`);
        return;
      }
      element = found;
      if (!findings.allowDuplicates) {
        if (seen.has(element)) report(findings, place, `duplicate entries for key ${formatPathElement(element)}`);
        seen.add(element);
      }
    }
    walk(item, type.element, { up: place, element }, findings);
  }
}
