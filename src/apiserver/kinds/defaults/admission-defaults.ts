import type {
  MatchResources,
  MutatingWebhook,
  ServiceReference,
  ValidatingWebhook,
} from "../../../kinds/admissionregistration/v1.js";
import type { StructHooks } from "../shared/walk-structs.js";

function webhook(hook: ValidatingWebhook | MutatingWebhook): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
}

function failurePolicy(spec: { failurePolicy?: string }): void {
  spec.failurePolicy ??= "Fail";
}

function matchResources(match: MatchResources): void {
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
}

function rule(each: { scope?: string }): void {
  each.scope ??= "*";
}

const versions = ["v1", "v1beta1", "v1alpha1"];
const forEach = (name: string, hook: StructHooks[string]): StructHooks =>
  Object.fromEntries(versions.map((version) => [`io.k8s.api.admissionregistration.${version}.${name}`, hook]));

/** Defaults of the groups that extend the server: webhooks, admission policies, API services. */
export const adminDefaults: StructHooks = {
  "io.k8s.api.admissionregistration.v1.ValidatingWebhook": webhook,
  "io.k8s.api.admissionregistration.v1.MutatingWebhook": (hook: MutatingWebhook) => {
    webhook(hook);
    hook.reinvocationPolicy ??= "Never";
  },
  ...forEach("RuleWithOperations", rule),
  ...forEach("NamedRuleWithOperations", rule),
  "io.k8s.api.admissionregistration.v1.ServiceReference": (service: ServiceReference) => {
    service.port ??= 443;
  },
  ...forEach("ValidatingAdmissionPolicySpec", failurePolicy),
  ...forEach("MutatingAdmissionPolicySpec", failurePolicy),
  ...forEach("MatchResources", matchResources),
  // Later versions have no default.
  "io.k8s.api.admissionregistration.v1alpha1.ParamRef": (reference: { parameterNotFoundAction?: string }) => {
    reference.parameterNotFoundAction ??= "Deny";
  },
  "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference": (service: { port?: number }) => {
    service.port ??= 443;
  },
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference": (service: { port?: number }) => {
    service.port ??= 443;
  },
};
