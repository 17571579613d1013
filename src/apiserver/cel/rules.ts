import type { FieldError } from "../errors/field-error.js";
import { invalidField } from "../errors/field-error.js";
import { isJsonObject } from "../internal/json-value.js";
import { type Correlated, correlatedMember, itemCorrelator } from "../schema/correlate.js";
import { type FieldPath, joinFieldPath, readFieldPath } from "../schema/field-path.js";
import { memberSchema } from "../schema/member-schema.js";
import type { CelRule, Schema } from "../schema/schema.js";
import { memberPath } from "../schema/value-parts.js";
import { type CelProgram, compileCel } from "./cel.js";
import { CelCompileError, type CelVariables } from "./checker/check.js";
import { isExposed, typeOfSchema } from "./checker/types.js";
import { type CompiledRule, type RulesAt, type RuleWalk, runRule } from "./rule-run.js";
import { toCel } from "./values/data.js";
import { CelOptional, type CelValue } from "./values/values.js";

/** Cost limit of all rules of one object. */
const budget = 10_000_000;

function variablesOf(rule: CelRule, schema: Schema, root: boolean): CelVariables {
  const self = typeOfSchema(schema, root);
  return new Map([
    ["self", self],
    ["oldSelf", rule.optionalOldSelf === true ? { kind: "optional", item: self } : self],
  ]);
}

/** Compiles a rule for values of a schema; `root` means whole objects. Throws a `CelCompileError`. */
export function compileRule(
  rule: CelRule,
  schema: Schema,
  root: boolean,
): Pick<CompiledRule, "program" | "usesOldSelf"> {
  const program = compileCel(rule.rule, variablesOf(rule, schema, root));
  return { program, usesOldSelf: program.variables.has("oldSelf") };
}

/** Compiles a message expression. Throws a `CelCompileError`. */
export function compileRuleMessage(rule: CelRule, schema: Schema, root: boolean): CelProgram {
  return compileCel(rule.messageExpression ?? "", variablesOf(rule, schema, root));
}

/** True if the schema or a part of it has rules. */
export function hasRules(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if ((schema["x-kubernetes-validations"] ?? []).length > 0 || hasRules(schema.items)) return true;
  return (
    (typeof schema.additionalProperties === "object" && hasRules(schema.additionalProperties)) ||
    Object.values(schema.properties ?? {}).some(hasRules)
  );
}

/** Options of a validation. */
export interface RuleOptions {
  /** Previous value. */
  readonly old?: unknown;
  /** The value paired with the previous one: failures on unchanged parts are reported to `warn`. */
  readonly correlated?: Correlated | undefined;
  readonly warn?: (error: FieldError) => void;
  /** True if the value is a whole object. Default: true. */
  readonly root?: boolean;
}

/** Validates the rules of a schema. Transition rules, which use `oldSelf`, run only if there is a previous value. */
export function validateRules(
  object: unknown,
  schema: Schema,
  { old, correlated, warn = () => undefined, root = true }: RuleOptions = {},
): FieldError[] {
  const walk: RuleWalk = { errors: [], left: budget };
  visit(object, schema, { path: "", old, current: correlated, nearest: undefined, root, warn }, walk);
  return walk.errors;
}

/** Position of a walk through an object. */
interface Place {
  readonly path: string;
  readonly old: unknown;
  /** The value paired with the previous one; `undefined` if they can't be correlated. */
  readonly current: Correlated | undefined;
  /** Nearest ancestor that can be correlated. */
  readonly nearest: Correlated | undefined;
  readonly root: boolean;
  readonly warn: (error: FieldError) => void;
}

const compiled = new WeakMap<CelRule, CompiledRule | CelCompileError>();

function compiledRule(rule: CelRule, schema: Schema, root: boolean): CompiledRule | CelCompileError {
  let found = compiled.get(rule);
  if (found === undefined) {
    try {
      const messageProgram = messageOf(rule, schema, root);
      const target = targetOf(rule, schema);
      found = {
        rule,
        ...compileRule(rule, schema, root),
        messageProgram,
        place: (path) => (target === undefined ? path : joinFieldPath(path, target)),
      };
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      found = error;
    }
    compiled.set(rule, found);
  }
  return found;
}

/** Returns the message program, or `undefined` if it doesn't compile, in which case the static message is used. */
function messageOf(rule: CelRule, schema: Schema, root: boolean): CelProgram | undefined {
  try {
    return (rule.messageExpression ?? "") === "" ? undefined : compileRuleMessage(rule, schema, root);
  } catch (error) {
    if (error instanceof CelCompileError) return undefined;
    throw error;
  }
}

/** Returns the field that a rule reports; `undefined` for the value itself or an invalid path. */
function targetOf({ fieldPath = "" }: CelRule, schema: Schema): FieldPath | undefined {
  try {
    return fieldPath === "" ? undefined : readFieldPath(fieldPath, schema);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function visit(value: unknown, schema: Schema, place: Place, walk: RuleWalk): void {
  if (walk.left < 0 || value === null || !hasRulesCached(schema)) return;
  applyRules(value, schema, place, walk);
  if (walk.left < 0) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    const counterpart = itemCorrelator(place.old, schema);
    value.forEach((item, at) => {
      const next =
        place.current === undefined ? place : { ...place, current: place.current.item(at), nearest: place.current };
      visit(
        item,
        items,
        {
          ...next,
          path: `${place.path}[${at}]`,
          old: counterpart(item),
          root: items["x-kubernetes-embedded-resource"] === true,
        },
        walk,
      );
    });
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const property = memberSchema(schema, key);
      if (property === undefined || property === true || !isExposed(property)) continue;
      visit(
        value[key],
        property,
        {
          ...memberPlace(place, key),
          path: memberPath(schema, place.path, key),
          old: correlatedMember(place.old, key),
          root: property["x-kubernetes-embedded-resource"] === true,
        },
        walk,
      );
    }
  }
}

function memberPlace(place: Place, key: string): Place {
  const { current, nearest } = place;
  if (current === undefined) return place;
  // Kind and version are set by decoding, so a change of these can't be detected.
  if (nearest === undefined && (key === "kind" || key === "apiVersion")) return { ...place, current: undefined };
  return { ...place, current: current.member(key), nearest: current };
}

const ruled = new WeakMap<Schema, boolean>();

function hasRulesCached(schema: Schema): boolean {
  let known = ruled.get(schema);
  if (known === undefined) ruled.set(schema, (known = hasRules(schema)));
  return known;
}

function applyRules(value: unknown, schema: Schema, place: Place, walk: RuleWalk): void {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return;
  const { path, old, warn } = place;
  const at: RulesAt = { value, schema, path, unchanged: () => (place.current ?? place.nearest)?.equal === true, warn };
  if (!isExposed(schema)) {
    walk.errors.push(
      invalidField(
        path,
        schema.type ?? "",
        "rule compiler initialization error: failed to convert to declType for CEL validation rules",
      ),
    );
    return;
  }
  if (walk.left <= 0) {
    walk.errors.push(
      invalidField(
        path,
        schema.type ?? "",
        "validation failed due to running out of cost budget, no further validation rules will be run",
      ),
    );
    walk.left = -1;
    return;
  }
  const ready = rules.map((rule) => compiledRule(rule, schema, place.root));
  // Messages see the old value only if the rule uses it, and never as an optional.
  const knowsOld =
    ready.some((each) => !(each instanceof CelCompileError) && each.usesOldSelf) && old !== undefined && old !== null;
  const lazy = (raw: unknown): (() => CelValue) => {
    let made: CelValue | undefined;
    return () => (made ??= toCel(raw, schema));
  };
  const self = lazy(value);
  const oldSelf = knowsOld ? lazy(old) : undefined;
  rules.forEach((rule, index) => {
    if (walk.left < 0) return;
    const program = ready[index]!;
    if (program instanceof CelCompileError) {
      walk.errors.push(
        invalidField(path, schema.type ?? "", `rule compile error: compilation failed: ${program.message}`),
      );
      return;
    }
    const optional = rule.optionalOldSelf === true;
    if (program.usesOldSelf && !knowsOld && !optional) return;
    const plain = { self, ...(oldSelf === undefined ? {} : { oldSelf }) };
    const own = optional ? { self, oldSelf: () => new CelOptional(oldSelf?.()) } : plain;
    runRule(program, { rule: own, message: plain }, at, walk);
  });
}
