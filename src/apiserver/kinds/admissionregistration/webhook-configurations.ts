import type { MutatingWebhook, ServiceReference, ValidatingWebhook } from "../../../kinds/admissionregistration/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { duplicate, invalid, notSupported, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { selectorErrors } from "../shared/selectors.js";
import { clientErrors, reviewErrors, reviewVersions } from "../shared/webhook-client.js";
import {
  conditionErrors,
  failurePolicies,
  fillScope,
  matchPolicies,
  reinvocationPolicies,
  ruleErrors,
} from "./match-rules.js";

type Webhook = ValidatingWebhook | MutatingWebhook;

interface Configuration {
  readonly webhooks?: readonly Webhook[] | null | undefined;
}

const harmlessEffects: readonly string[] = ["None", "NoneOnDryRun"];
const knownEffects: readonly string[] = [...harmlessEffects, "Some", "Unknown"];

/** Rules that an update may violate if the old configuration already did. */
interface Strictness {
  readonly conditions: boolean;
  readonly harmless: boolean;
  readonly knownReview: boolean;
  readonly uniqueNames: boolean;
}

const strict: Strictness = { conditions: true, harmless: true, knownReview: true, uniqueNames: true };

function strictnessOf(now: readonly Webhook[], before: readonly Webhook[]): Strictness {
  const reviews = (hook: Webhook): readonly string[] => hook.admissionReviewVersions ?? [];
  return {
    conditions:
      now.length !== before.length ||
      now.some((hook, index) => !check.sameValue(hook.matchConditions, before[index]!.matchConditions)),
    harmless: before.every(({ sideEffects }) => harmlessEffects.includes(sideEffects)),
    knownReview: before.every(
      (hook) => reviews(hook).length === 0 || reviews(hook).some((version) => reviewVersions.includes(version)),
    ),
    uniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
  };
}

function webhooksErrors(webhooks: readonly Webhook[], rules: Strictness): FieldError[] {
  const names = new Set<string>();
  return check.eachItem(webhooks, "webhooks", (hook, at) => {
    const again = rules.uniqueNames && hook.name !== "" && names.has(hook.name);
    names.add(hook.name);
    return [...webhookErrors(hook, rules, at), ...(again ? [duplicate(`${at}.name`, hook.name)] : [])];
  });
}

function webhookErrors(hook: Webhook, rules: Strictness, at: string): FieldError[] {
  const { sideEffects, timeoutSeconds: seconds, namespaceSelector, objectSelector } = hook;
  const effects = rules.harmless ? harmlessEffects : knownEffects;
  return [
    ...check.requiredText(`${at}.name`, hook.name, fullNameErrors),
    ...check.eachItem(hook.rules, `${at}.rules`, ruleErrors),
    ...check.optionalOneOf(`${at}.failurePolicy`, hook.failurePolicy, failurePolicies),
    ...check.optionalOneOf(`${at}.matchPolicy`, hook.matchPolicy, matchPolicies),
    ...((sideEffects as string | null | undefined) == null
      ? [required(`${at}.sideEffects`, `must specify one of ${effects.join(", ")}`)]
      : effects.includes(sideEffects)
        ? []
        : [notSupported(`${at}.sideEffects`, sideEffects, effects)]),
    ...check.between(`${at}.timeoutSeconds`, seconds, 1, 30),
    ...(namespaceSelector === undefined ? [] : selectorErrors(namespaceSelector, `${at}.namespaceSelector`)),
    ...(objectSelector === undefined ? [] : selectorErrors(objectSelector, `${at}.objectSelector`)),
    ...("reinvocationPolicy" in hook
      ? check.optionalOneOf(`${at}.reinvocationPolicy`, hook.reinvocationPolicy, reinvocationPolicies)
      : []),
    ...clientErrors(hook.clientConfig, `${at}.clientConfig`),
    ...(rules.conditions ? conditionErrors(hook.matchConditions, false, `${at}.matchConditions`) : []),
    ...reviewErrors(hook.admissionReviewVersions ?? [], rules.knownReview, `${at}.admissionReviewVersions`),
  ];
}

function fullNameErrors(field: string, name: string): FieldError[] {
  const problems = nameErrors(name, "subdomain");
  if (problems.length > 0) return [invalid(field, name, problems.join(","))];
  return name.split(".").length < 3
    ? [invalid(field, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

function fillWebhook(hook: Webhook): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
}

const shared: Omit<KindDefinition<Configuration>, "resource"> = {
  requiresVersionOnUpdate: true,
  generation: { counts: "fromOne", emptyValues: true },
  metadata: { plainFinalizers: true, checkedAsNew: "everywhere" },
  validate: {
    create: ({ webhooks }) => webhooksErrors(webhooks ?? [], strict),
    update: ({ webhooks }, old) => webhooksErrors(webhooks ?? [], strictnessOf(webhooks ?? [], old.webhooks ?? [])),
    checksEnums: true,
  },
  printer: { columns: "Webhooks:integer,Age", cells: ({ webhooks }, age) => [(webhooks ?? []).length, age] },
};

export const validatingWebhookConfiguration: KindDefinition = defineBuiltin<Configuration>({
  ...shared,
  resource: "admissionregistration.k8s.io/validatingwebhookconfigurations",
  defaults: {
    "io.k8s.api.admissionregistration.v1.ValidatingWebhook": fillWebhook,
    "io.k8s.api.admissionregistration.v1.RuleWithOperations": fillScope,
    "io.k8s.api.admissionregistration.v1.ServiceReference": (service: ServiceReference) => {
      service.port ??= 443;
    },
  },
});

export const mutatingWebhookConfiguration: KindDefinition = defineBuiltin<Configuration>({
  ...shared,
  resource: "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  defaults: {
    "io.k8s.api.admissionregistration.v1.MutatingWebhook": (hook: MutatingWebhook) => {
      fillWebhook(hook);
      hook.reinvocationPolicy ??= "Never";
    },
  },
});
