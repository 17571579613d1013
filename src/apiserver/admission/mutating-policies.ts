import type { StatusCause } from "../../meta/status.js";
import { failure } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import { rerunUntilDecided } from "../rbac/decisions.js";
import type { ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes, RegistryContext } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";
import { callsOf, type PluginCalls, roundsOf } from "../registry/write/reinvocation.js";
import { conditionsHold, policyRun } from "./cel-variables.js";
import { type Mutation, mutated } from "./mutations.js";
import { policyFault } from "./policy-error.js";
import type { BindingSpec, PolicySpec } from "./policy-matching.js";
import { convert, inVersionOf, matchedResource, paramResource, paramsOf, unknownParamKind } from "./policy-matching.js";
import { forbiddenBy } from "./refusal.js";
import { replaceObject } from "./replace-object.js";

const admissionGroup = "admissionregistration.k8s.io";
const policyKind = "MutatingAdmissionPolicy";

interface MutatingSpec extends PolicySpec {
  readonly reinvocationPolicy?: string;
  readonly mutations?: readonly Mutation[];
}

/** A policy with the binding and parameters to run it for. */
interface Invocation {
  readonly policy: string;
  readonly binding: string;
  readonly spec: MutatingSpec;
  readonly target: ServedResource;
  readonly params: ApiObject | undefined;
}

/** An error in a policy; its failure policy decides whether the request is rejected. */
interface Problem {
  readonly message: string;
  readonly reason: string;
  readonly lenient: boolean;
}

/** Runs the stored MutatingAdmissionPolicies on a request that isn't a deletion. */
export async function runMutatingPolicies(attributes: AdmissionAttributes, context: RegistryContext): Promise<void> {
  const policies = listStored(context.services, `${admissionGroup}/mutatingadmissionpolicies`);
  const problems: Problem[] = [];
  const invocations = await invocationsOf(policies, attributes, context, problems);
  if (invocations.length > 0) {
    const { again } = roundsOf(attributes);
    const calls = callsOf(attributes, policyKind);
    calls.begin(attributes.object, again);
    for (const invocation of invocations) await invoke({ invocation, calls, attributes, context, problems });
    calls.end(attributes.object);
  }
  const fatal = problems.filter(({ lenient }) => !lenient);
  if (fatal.length > 0) throw refuse(attributes, fatal);
}

async function invocationsOf(
  policies: readonly ApiObject[],
  attributes: AdmissionAttributes,
  { services }: RegistryContext,
  problems: Problem[],
): Promise<Invocation[]> {
  const invocations: Invocation[] = [];
  const bindings = listStored(services, `${admissionGroup}/mutatingadmissionpolicybindings`);
  for (const object of policies) {
    const policy = object.metadata?.name ?? "";
    const spec = object["spec"] as MutatingSpec;
    const bound = bindings.filter((binding) => (binding["spec"] as BindingSpec).policyName === policy);
    const target = bound.length === 0 ? undefined : matchedResource(spec.matchConstraints ?? {}, attributes, services);
    if (target === undefined) continue;
    const lenient = spec.failurePolicy === "Ignore";
    if (spec.paramKind !== undefined && paramResource(spec.paramKind, services) === undefined) {
      problems.push({
        message: `policy ${JSON.stringify(policy)} denied request: ${unknownParamKind(spec.paramKind)}`,
        reason: "Forbidden",
        lenient,
      });
      continue;
    }
    for (const binding of bound) {
      const name = binding.metadata?.name ?? "";
      const rules = binding["spec"] as BindingSpec;
      if (
        rules.matchResources !== undefined &&
        matchedResource(rules.matchResources, attributes, services) === undefined
      )
        continue;
      try {
        for (const params of await paramsOf(spec.paramKind, rules.paramRef, attributes.namespace, services))
          invocations.push({ policy, binding: name, spec, target, params });
      } catch (error) {
        problems.push({
          message: deniedBy(policy, name, `failed to configure binding: ${policyFault(error)}`),
          reason: "Forbidden",
          lenient,
        });
      }
    }
  }
  return invocations;
}

async function invoke({
  invocation,
  calls,
  attributes,
  context,
  problems,
}: {
  invocation: Invocation;
  calls: PluginCalls;
  attributes: AdmissionAttributes;
  context: RegistryContext;
  problems: Problem[];
}): Promise<void> {
  const { policy, binding, spec, target, params } = invocation;
  const lenient = spec.failurePolicy === "Ignore";
  const problem = (message: string): void => {
    problems.push({ message: deniedBy(policy, binding, message), reason: "Invalid", lenient });
  };
  const input = { params, hasParams: spec.paramKind !== undefined, variables: spec.variables ?? [] };
  const request = await inVersionOf(target, attributes);
  const run = policyRun(attributes, context, request, input);
  const conditions = await rerunUntilDecided(() => conditionsHold(spec.matchConditions ?? [], run));
  if (conditions.error !== undefined && !lenient) problem(conditions.error);
  if (!conditions.matches) return;
  const rounds = roundsOf(attributes);
  const key = JSON.stringify([policy, binding, params?.metadata?.namespace, params?.metadata?.name]);
  if (!calls.isDue(key, rounds.again) || attributes.object === undefined) return;
  const before = JSON.stringify(attributes.object);
  for (const mutation of spec.mutations ?? []) {
    try {
      // Each mutation sees the result of the ones before.
      const current = await inVersionOf(target, attributes);
      const its = policyRun(attributes, context, current, { ...input, patches: true });
      const object = await rerunUntilDecided(() =>
        mutated(mutation, { object: current.object!, resource: target }, its, context.services),
      );
      const converted = (await convert(object, target, attributes.resource))!;
      replaceObject(attributes, converted, context.services.clock.now(), "rejected");
    } catch (error) {
      problem(policyFault(error));
    }
  }
  if (JSON.stringify(attributes.object) !== before) {
    calls.changed();
    rounds.wanted = true;
  }
  if (spec.reinvocationPolicy === "IfNeeded") calls.waits(key);
}

function deniedBy(policy: string, binding: string, message: string): string {
  return `policy '${policy}' with binding '${binding}' denied request: ${message}`;
}

function refuse(attributes: AdmissionAttributes, problems: readonly Problem[]): Error {
  const { details } = forbiddenBy(attributes, "");
  const causes: StatusCause[] = problems.map(({ message }) => ({ message }));
  return failure(403, problems[0]!.reason, problems[0]!.message, { ...details, causes });
}
