import { evaluateCel } from "../cel/cel.js";
import { CelCompileError } from "../cel/checker/check.js";
import { type CelStaticType, dynType } from "../cel/checker/types.js";
import { compilePolicyCel, type PolicyScope, policyVariableType } from "../cel/policy.js";
import { toCel } from "../cel/values/data.js";
import { CelError, type CelValue, LazyMap } from "../cel/values/values.js";
import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import { metaOrder } from "../objects/metadata.js";
import { synchronousDecisions } from "../rbac/decisions.js";
import type { ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes, RegistryContext } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";
import { authorizerValue, resourceCheck } from "./cel-authorizer.js";

/** A named expression that other expressions can use. */
export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** Objects of a request in the version that a policy or webhook matches. */
export interface VersionedRequest {
  /** Resource in that version. */
  readonly resource: ServedResource;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

/** Environment of expressions: the declared names and their lazily computed values. */
export interface PolicyRun {
  readonly scope: PolicyScope;
  readonly values: Readonly<Record<string, CelValue | (() => CelValue)>>;
  /** The request as match conditions see it, if it differs. */
  readonly conditionRequest?: () => CelValue;
}

/** Input for the expressions of one policy or webhook. */
export interface PolicyInput {
  /** Parameters; `undefined` for a policy without any. */
  readonly params?: unknown;
  /** True if the policy has parameters. */
  readonly hasParams: boolean;
  readonly variables?: readonly NamedExpression[];
  /** True if expressions can create patches. */
  readonly patches?: boolean;
}

/** Returns the kind of a request's object: that of the subresource, if it has its own. */
export function kindOf(
  resource: ServedResource,
  subresource: string,
): { readonly group: string; readonly version: string; readonly kind: string } {
  const { group, version, kind } =
    subresource === "" ? resource : (resource.subresources.get(subresource)?.kind ?? resource);
  return { group, version, kind };
}

function place({ group, version, resource }: ServedResource): Readonly<Record<string, string>> {
  return { group, version, resource };
}

/** Returns the fields of an AdmissionRequest other than its UID, objects and options. Empty texts are omitted. */
export function requestFields(
  { resource, subresource, namespace, name, operation, dryRun }: AdmissionAttributes,
  user: UserInfo,
  target: ServedResource,
): Readonly<Record<string, unknown>> {
  const filled = (fields: Readonly<Record<string, string | undefined>>): object =>
    Object.fromEntries(Object.entries(fields).filter(([, text = ""]) => text !== ""));
  return {
    kind: kindOf(target, subresource),
    resource: place(target),
    requestKind: kindOf(resource, subresource),
    requestResource: place(resource),
    ...filled({ subResource: subresource, requestSubResource: subresource, name, namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...filled({ uid: user.uid }),
      groups: user.groups,
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
  };
}

/**
 * Creates the variables for a request's expressions. Evaluate them with `rerunUntilDecided`, because `authorizer` may
 * have to wait.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function policyRun(
  attributes: AdmissionAttributes,
  context: RegistryContext,
  request: VersionedRequest,
  input: PolicyInput,
): PolicyRun {
  const { services, user } = context;
  const { resource, subresource, namespace, name, options } = attributes;
  const shown = {
    uid: "",
    ...requestFields(attributes, user, request.resource),
    ...(options === undefined ? {} : { options }),
  };
  const caller = { decide: synchronousDecisions(services.authorizer), user };
  const types: Record<string, CelStaticType> = {};
  const values: Record<string, CelValue | (() => CelValue)> = {
    object: () => toCel(request.object ?? null),
    oldObject: () => toCel(request.old ?? null),
    request: () => toCel(shown),
    params: () => toCel(input.params ?? null),
    namespaceObject: () =>
      toCel(
        namespaceShown(
          resource.bucket === "/namespaces" || namespace === ""
            ? undefined
            : getStored(services, "/namespaces", namespace),
        ),
      ),
    authorizer: authorizerValue(caller),
    "authorizer.requestResource": () =>
      resourceCheck(caller, { group: resource.group, resource: resource.resource, subresource, namespace, name }),
  };
  const scope: PolicyScope = {
    params: input.hasParams,
    authorizer: true,
    ...(input.patches === true ? { patches: true } : {}),
    ...(input.variables === undefined ? {} : { variables: types }),
  };
  // Match conditions see the object in the rule's version, but the requested resource.
  const run: PolicyRun = {
    scope,
    values,
    ...(request.resource === resource
      ? {}
      : { conditionRequest: () => toCel({ ...shown, resource: place(resource) }) }),
  };
  if (input.variables !== undefined) values["variables"] = composed(input.variables, run, types);
  return run;
}

/** Creates the variables of a policy, each computed on first use. */
function composed(named: readonly NamedExpression[], run: PolicyRun, types: Record<string, CelStaticType>): CelValue {
  const makers: [string, () => CelValue][] = [];
  for (const { name, expression } of named) {
    // A variable can use the ones before it; the ones after it know its type.
    const scope: PolicyScope = { ...run.scope, patches: false, variables: { ...types } };
    try {
      const program = compilePolicyCel(expression, scope);
      types[name] = policyVariableType(program.type);
      makers.push([
        name,
        () => {
          try {
            return evaluateCel(program, run.values).value;
          } catch (error) {
            if (!(error instanceof CelError)) throw error;
            throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`);
          }
        },
      ]);
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      types[name] = dynType;
      makers.push([
        name,
        () => {
          throw new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${error.message}`);
        },
      ]);
    }
  }
  return new LazyMap(makers);
}

const hiddenMetadata: readonly string[] = ["selfLink", "ownerReferences", "managedFields"];
/** Fields of a namespace's metadata that an expression may read. */
const shownMetadata = metaOrder.filter((field) => !hiddenMetadata.includes(field));

function namespaceShown(namespace: ApiObject | undefined): unknown {
  if (namespace === undefined) return null;
  const metadata = Object.fromEntries(
    shownMetadata
      .filter((key) => namespace.metadata?.[key] !== undefined)
      .map((key) => [key, namespace.metadata![key]]),
  );
  return {
    metadata,
    ...(namespace["spec"] === undefined ? {} : { spec: namespace["spec"] }),
    ...(namespace["status"] === undefined ? {} : { status: namespace["status"] }),
  };
}

/** Evaluates an expression. Throws an error with the reason if that fails. */
export function evaluate(expression: string, { scope, values }: PolicyRun): CelValue {
  try {
    return evaluateCel(compilePolicyCel(expression, scope), values).value;
  } catch (error) {
    if (error instanceof CelCompileError) throw new CelError(`compilation error: ${error.message}`);
    if (error instanceof CelError) throw new CelError(`expression '${expression}' resulted in error: ${error.message}`);
    throw error;
  }
}

/** Result of match conditions. */
export interface Matched {
  readonly matches: boolean;
  /** Error, if none of the conditions is false. */
  readonly error?: string;
}

/** Evaluates match conditions. One that is false decides, even if others fail. */
export function conditionsHold(conditions: readonly NamedExpression[], policy: PolicyRun): Matched {
  const run =
    policy.conditionRequest === undefined
      ? policy
      : { ...policy, values: { ...policy.values, request: policy.conditionRequest } };
  const errors: string[] = [];
  for (const { expression } of conditions) {
    try {
      if (evaluate(expression, run) === false) return { matches: false };
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      if (!errors.includes(error.message)) errors.push(error.message);
    }
  }
  if (errors.length === 0) return { matches: true };
  return { matches: false, error: errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]` };
}
