import { CelCompileError } from "../cel/checker/check.js";
import { compilePolicyCel, policyResults } from "../cel/policy.js";
import { fromCel } from "../cel/values/data.js";
import { CelMessage, type CelValue, isCelList, isCelMap } from "../cel/values/values.js";
import { MergeError } from "../managedfields/merge-error.js";
import type { ApiObject } from "../objects/api-object.js";
import { applyJsonPatch } from "../patch/apply-json-patch.js";
import { FailedTestError, PatchError } from "../patch/patch-error.js";
import { apiVersionOf, type ServedResource } from "../registry/resources.js";
import type { RegistryServices } from "../registry/services.js";
import { evaluate, type PolicyRun } from "./cel-variables.js";
import { PolicyError } from "./policy-error.js";

/** One mutation of a policy. */
export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** Returns a mutated copy of an object. Throws a `PolicyError` or `CelError`. */
export function mutated(
  { patchType, applyConfiguration, jsonPatch }: Mutation,
  { object, resource }: { readonly object: ApiObject; readonly resource: ServedResource },
  run: PolicyRun,
  services: RegistryServices,
): ApiObject {
  return patchType === "JSONPatch"
    ? patched(jsonPatch?.expression ?? "", object, run)
    : applied({ expression: applyConfiguration?.expression ?? "", object, resource, run, services });
}

function compiled(expression: string, run: PolicyRun, results: Parameters<typeof compilePolicyCel>[2]): CelValue {
  try {
    compilePolicyCel(expression, run.scope, results);
  } catch (error) {
    if (error instanceof CelCompileError) throw new PolicyError(error.message, { cause: error });
    throw error;
  }
  return evaluate(expression, run);
}

function patched(expression: string, object: ApiObject, run: PolicyRun): ApiObject {
  const list = compiled(expression, run, policyResults.jsonPatch);
  const operations = (isCelList(list) ? [...list] : []).map(operation);
  try {
    return applyJsonPatch(object, operations) as ApiObject;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // A failed test operation leaves the object unchanged.
    if (error instanceof FailedTestError) return object;
    throw new PolicyError(`JSON Patch: ${error.message}`, { cause: error });
  }
}

function operation(value: CelValue): Record<string, unknown> {
  const field = (name: string): string => {
    const text = isCelMap(value) ? value.field(name) : undefined;
    return typeof text === "string" ? text : "";
  };
  const given = isCelMap(value) ? value.field("value") : undefined;
  // First, because it refuses values that are too large to walk through.
  const data = given === undefined ? undefined : fromCel(given);
  if (given instanceof CelMessage) checkNames(given, given.typeName);
  return {
    op: field("op"),
    path: field("path"),
    ...(field("from") === "" ? {} : { from: field("from") }),
    ...(given === undefined ? {} : { value: data }),
  };
}

function applied({
  expression,
  object,
  resource,
  run,
  services,
}: {
  expression: string;
  object: ApiObject;
  resource: ServedResource;
  run: PolicyRun;
  services: RegistryServices;
}): ApiObject {
  const value = compiled(expression, run, policyResults.applyConfiguration);
  if (!(value instanceof CelMessage))
    throw new PolicyError("unsupported return type from ApplyConfiguration expression");
  const data = fromCel(value) as ApiObject;
  checkNames(value, value.typeName);
  if (hasNull(data)) throw new PolicyError("the configuration does not fit the schema: it contains null");
  const config = { ...data, apiVersion: apiVersionOf(resource), kind: resource.kind };
  try {
    return services.fieldManagement.merge({ resource, live: object, config });
  } catch (error) {
    if (error instanceof MergeError) throw new PolicyError(error.message, { cause: error });
    throw error;
  }
}

/** True if a value contains null, which a configuration can't use to remove fields. */
function hasNull(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.values(value).some(hasNull));
}

/** Requires that message types are named after the fields that they are assigned to. */
function checkNames(value: CelValue, path: string): void {
  if (value instanceof CelMessage && value.typeName !== path)
    throw new PolicyError(`type mismatch: unexpected type name ${value.typeName}, expected ${path}`);
  if (isCelList(value)) for (const item of value) checkNames(item, path);
  else if (isCelMap(value))
    for (const key of value.keys())
      checkNames(value.get(key) ?? null, value instanceof CelMessage ? `${path}.${String(key)}` : path);
}
