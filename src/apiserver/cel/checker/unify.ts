import { type CelStaticType, dynType, partsOf, shownType, withParts } from "./types.js";

/** Resolved type parameters by name. */
export type Bindings = ReadonlyMap<string, CelStaticType>;

const nullable = new Set(["object", "optional", "duration", "timestamp"]);
const loose = (type: CelStaticType): boolean => type.kind === "dyn";

/** True if two types are equal. */
export function sameType(a: CelStaticType, b: CelStaticType): boolean {
  return a.kind === b.kind && shownType(a) === shownType(b);
}

/** Returns the bindings that make each given type assignable to the wanted one, or `undefined` if that fails. */
export function unify(
  bindings: Bindings,
  left: readonly CelStaticType[],
  right: readonly CelStaticType[],
): Bindings | undefined {
  const next = new Map(bindings);
  return assignableAll(next, left, right) ? next : undefined;
}

/** Substitutes all bound parameters; with `free`, unbound ones become `dyn`. */
export function substitute(bindings: Bindings, type: CelStaticType, free: boolean): CelStaticType {
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substitute(bindings, bound, free);
    return free ? dynType : type;
  }
  const parts = partsOf(type);
  return parts.length === 0
    ? type
    : withParts(
        type,
        parts.map((part) => substitute(bindings, part, free)),
      );
}

/** Returns the more general of two compatible types. */
export function mostGeneral(a: CelStaticType, b: CelStaticType): CelStaticType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelStaticType, b: CelStaticType): boolean {
  if (a.kind === "dyn" || a.kind === "param") return true;
  if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  const parts = partsOf(a);
  return parts.length === 0 ? sameType(a, b) : parts.every((part, at) => isLessSpecific(part, partsOf(b)[at]!));
}

function assignableAll(
  bindings: Map<string, CelStaticType>,
  left: readonly CelStaticType[],
  right: readonly CelStaticType[],
): boolean {
  return left.length === right.length && left.every((type, at) => assignable(bindings, type, right[at]!));
}

function assignable(bindings: Map<string, CelStaticType>, left: CelStaticType, right: CelStaticType): boolean {
  if (right.kind === "param") {
    const known = bindings.has(right.name);
    if (canStandFor(bindings, left, right)) return true;
    if (known) return false;
  }
  if (left.kind === "param") return canStandFor(bindings, right, left);
  if (loose(left) || loose(right)) return true;
  if (left.kind === "null_type" || right.kind === "null_type")
    return left.kind === right.kind || nullable.has(left.kind) || nullable.has(right.kind);
  if (left.kind !== right.kind) return false;
  if (left.kind === "type") return true;
  if (left.kind === "object") return left.name === (right as typeof left).name;
  return assignableAll(bindings, partsOf(left), partsOf(right));
}

/** True if a parameter is bound, or can be bound, to a type. */
function canStandFor(
  bindings: Map<string, CelStaticType>,
  type: CelStaticType,
  param: CelStaticType & { kind: "param" },
): boolean {
  if (sameType(type, param)) return true;
  const bound = bindings.get(param.name);
  if (bound === undefined) {
    if (!isFree(bindings, param, type)) return false;
    bindings.set(param.name, type);
    return true;
  }
  if (sameType(type, bound)) return true;
  if (!assignable(bindings, type, bound)) return false;
  const general = mostGeneral(type, bound);
  if (isFree(bindings, param, general)) bindings.set(param.name, general);
  return true;
}

/** True if a parameter doesn't occur within a type. */
function isFree(bindings: Bindings, param: CelStaticType & { kind: "param" }, within: CelStaticType): boolean {
  if (within.kind !== "param") return partsOf(within).every((part) => isFree(bindings, param, part));
  if (within.name === param.name) return false;
  const bound = bindings.get(within.name);
  return bound === undefined || isFree(bindings, param, bound);
}
