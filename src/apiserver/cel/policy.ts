import { compileGoRegExp } from "../internal/re2.js";
import { type CelProgram, compileCel } from "./cel.js";
import { CelCompileError, type CelVariables } from "./checker/check.js";
import { opaqueType } from "./checker/declarations.js";
import { type CelStaticType, dynType, fullTypeName, objectType } from "./checker/types.js";
import { type CelNode, childrenOf } from "./parser/syntax.js";

const text: CelStaticType = { kind: "string" };
const texts: CelStaticType = { kind: "list", item: text };
const labels: CelStaticType = { kind: "map", key: text, value: text };
const time: CelStaticType = { kind: "timestamp" };
const int: CelStaticType = { kind: "int" };

const kindType = objectType("kubernetes.GroupVersionKind", { group: text, version: text, kind: text });
const resourceType = objectType("kubernetes.GroupVersionResource", { group: text, version: text, resource: text });
const userType = objectType("kubernetes.UserInfo", {
  username: text,
  uid: text,
  groups: texts,
  extra: { kind: "map", key: text, value: texts },
});

/** Type of `request`. */
const requestType = objectType("kubernetes.AdmissionRequest", {
  kind: kindType,
  resource: resourceType,
  subResource: text,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: userType,
  dryRun: { kind: "bool" },
  options: dynType,
});

/** Type of `namespaceObject`. */
const namespaceType = objectType("kubernetes.Namespace", {
  metadata: objectType("kubernetes.NamespaceMetadata", {
    name: text,
    generateName: text,
    namespace: text,
    labels,
    annotations: labels,
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: time,
    generation: int,
    resourceVersion: text,
    finalizers: texts,
  }),
  spec: objectType("kubernetes.NamespaceSpec", { finalizers: texts }),
  status: objectType("kubernetes.NamespaceStatus", {
    conditions: {
      kind: "list",
      item: objectType("kubernetes.NamespaceCondition", {
        status: text,
        type: text,
        lastTransitionTime: time,
        message: text,
        reason: text,
      }),
    },
    phase: text,
  }),
});

/** Names that expressions of a policy or webhook can use, apart from the request. */
export interface PolicyScope {
  /** Type of `object` and `oldObject`. Default: not checked. */
  readonly object?: CelStaticType;
  /** True if `params` is available. */
  readonly params: boolean;
  /** Type of `params`. Default: not checked. */
  readonly paramsType?: CelStaticType | undefined;
  /** True if `authorizer` is available. */
  readonly authorizer: boolean;
  /** Types of the policy's own variables, if `variables` is available. */
  readonly variables?: Readonly<Record<string, CelStaticType>>;
  /** True if `Object{…}` and `JSONPatch{…}` are available. */
  readonly patches?: boolean;
}

function variablesOf({
  object = dynType,
  params,
  paramsType = dynType,
  authorizer,
  variables,
}: PolicyScope): CelVariables {
  return new Map<string, CelStaticType>([
    ["object", object],
    ["oldObject", object],
    ["namespaceObject", namespaceType],
    ["request", requestType],
    ...(params ? [["params", paramsType] as const] : []),
    ...(authorizer
      ? [
          ["authorizer", opaqueType("Authorizer")] as const,
          ["authorizer.requestResource", opaqueType("ResourceCheck")] as const,
        ]
      : []),
    ...(variables === undefined ? [] : [["variables", objectType("kubernetes.variables", variables)] as const]),
  ]);
}

/** Result types that an expression may have; `undefined` allows any. */
export type PolicyResults = readonly CelStaticType[] | undefined;

/** Result types of a policy's expressions. */
export const policyResults: Readonly<
  Record<"condition" | "message" | "auditAnnotation" | "applyConfiguration" | "jsonPatch", PolicyResults>
> = {
  condition: [{ kind: "bool" }],
  message: [text],
  auditAnnotation: [text, { kind: "null_type" }],
  applyConfiguration: [{ kind: "object", name: "Object" }],
  jsonPatch: [{ kind: "list", item: { kind: "object", name: "JSONPatch" } }],
};

/** Compiles an expression of a policy or webhook. Throws a `CelCompileError`, also for a wrong result type. */
export function compilePolicyCel(expression: string, scope: PolicyScope, results?: PolicyResults): CelProgram {
  let program: CelProgram;
  try {
    program = compileCel(expression, variablesOf(scope), { patches: scope.patches === true });
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    throw new CelCompileError(`compilation failed: ${error.message}`, { cause: error });
  }
  if (results === undefined || results.some((type) => fullTypeName(type) === fullTypeName(program.type))) {
    checkPatterns(program.ast);
    return program;
  }
  const names = results.map(fullTypeName);
  throw new CelCompileError(
    `must evaluate to ${names.length === 1 ? names[0]! : `one of [${names.join(" ")}]`} but got ${fullTypeName(program.type)}`,
  );
}

/** An expression that compiles but has no program, which counts as a server error. */
export class CelProgramError extends CelCompileError {}

function checkPatterns(node: CelNode): void {
  const pattern = node.op === "call" && node.args[0] === "matches" ? node.args[1][1] : undefined;
  if (pattern?.op === "value" && typeof pattern.args === "string") {
    try {
      compileGoRegExp(pattern.args);
    } catch (error) {
      throw new CelProgramError(
        `program instantiation failed: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
  for (const child of childrenOf(node)) checkPatterns(child);
}

/** Returns the type under which other expressions see a policy's variable; messages become `dyn`. */
export function policyVariableType(type: CelStaticType): CelStaticType {
  if (type.kind === "list") return { kind: "list", item: policyVariableType(type.item) };
  if (type.kind === "map")
    return { kind: "map", key: policyVariableType(type.key), value: policyVariableType(type.value) };
  return ["object", "optional", "type", "param"].includes(type.kind) ? dynType : type;
}
