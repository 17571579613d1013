import { lazyModule } from "../../internal/lazy-module.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryContext } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";
import { isExempt, isPolicyExempt } from "./match-rules.js";

// The plugins are loaded with the first policy or webhook. They need CEL.
const mutatingPolicyPlugin = lazyModule(() => import("./mutating-policies.js"));
const validatingPolicyPlugin = lazyModule(() => import("./policies.js"));
const webhookPlugins = lazyModule(() => import("./webhooks.js"));

function isStored({ services }: RegistryContext, resource: string): boolean {
  return listStored(services, `admissionregistration.k8s.io/${resource}`).length > 0;
}

/**
 * Runs MutatingAdmissionPolicies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export const mutatingPolicies: AdmissionPlugin = {
  name: "MutatingAdmissionPolicy",
  async admit(attributes, context) {
    // Deletions can't be mutated.
    if (attributes.operation === "DELETE" || isPolicyExempt(attributes)) return;
    if (!isStored(context, "mutatingadmissionpolicies")) return;
    await mutatingPolicyPlugin.load();
    await mutatingPolicyPlugin.get().runMutatingPolicies(attributes, context);
  },
};

/**
 * Runs ValidatingAdmissionPolicies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export const validatingPolicies: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  async validate(attributes, context) {
    if (isPolicyExempt(attributes) || !isStored(context, "validatingadmissionpolicies")) return;
    await validatingPolicyPlugin.load();
    await validatingPolicyPlugin.get().runValidatingPolicies(attributes, context);
  },
};

function callsWebhooks(attributes: AdmissionAttributes, context: RegistryContext, resource: string): boolean {
  return !isExempt(attributes) && isStored(context, resource);
}

/**
 * Calls MutatingWebhookConfigurations in order.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export const mutatingWebhooks: AdmissionPlugin = {
  name: "MutatingAdmissionWebhook",
  async admit(attributes, context) {
    if (!callsWebhooks(attributes, context, "mutatingwebhookconfigurations")) return;
    await webhookPlugins.load();
    await webhookPlugins.get().callMutatingWebhooks(attributes, context);
  },
};

/** Calls ValidatingWebhookConfigurations in parallel. */
export const validatingWebhooks: AdmissionPlugin = {
  name: "ValidatingAdmissionWebhook",
  async validate(attributes, context) {
    if (!callsWebhooks(attributes, context, "validatingwebhookconfigurations")) return;
    await webhookPlugins.load();
    await webhookPlugins.get().callValidatingWebhooks(attributes, context);
  },
};
