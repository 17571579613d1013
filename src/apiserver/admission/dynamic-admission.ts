import { lazyModule } from "../../internal/lazy-module.js";
import { whenReady } from "../../internal/when-ready.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryContext } from "../registry/services.js";
import { hasStored } from "../registry/stored-objects.js";
import { isExempt, isPolicyExempt } from "./match-rules.js";

// The plugins are loaded with the first policy or webhook. They need CEL.
const mutatingPolicyPlugin = lazyModule(() => import("./mutating-policies.js"));
const validatingPolicyPlugin = lazyModule(() => import("./policies.js"));
const webhookPlugins = lazyModule(() => import("./webhooks.js"));

function isStored({ services }: RegistryContext, resource: string): boolean {
  return hasStored(services, `admissionregistration.k8s.io/${resource}`);
}

/**
 * Runs MutatingAdmissionPolicies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export const mutatingPolicies: AdmissionPlugin = {
  name: "MutatingAdmissionPolicy",
  admit(attributes, context) {
    // Deletions can't be mutated.
    if (attributes.operation === "DELETE" || isPolicyExempt(attributes)) return undefined;
    if (!isStored(context, "mutatingadmissionpolicies")) return undefined;
    return whenReady(mutatingPolicyPlugin.load(), () =>
      mutatingPolicyPlugin.get().runMutatingPolicies(attributes, context),
    );
  },
};

/**
 * Runs ValidatingAdmissionPolicies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export const validatingPolicies: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  validate(attributes, context) {
    if (isPolicyExempt(attributes) || !isStored(context, "validatingadmissionpolicies")) return undefined;
    return whenReady(validatingPolicyPlugin.load(), () =>
      validatingPolicyPlugin.get().runValidatingPolicies(attributes, context),
    );
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
  admit(attributes, context) {
    if (!callsWebhooks(attributes, context, "mutatingwebhookconfigurations")) return undefined;
    return whenReady(webhookPlugins.load(), () => webhookPlugins.get().callMutatingWebhooks(attributes, context));
  },
};

/** Calls ValidatingWebhookConfigurations in parallel. */
export const validatingWebhooks: AdmissionPlugin = {
  name: "ValidatingAdmissionWebhook",
  validate(attributes, context) {
    if (!callsWebhooks(attributes, context, "validatingwebhookconfigurations")) return undefined;
    return whenReady(webhookPlugins.load(), () => webhookPlugins.get().callValidatingWebhooks(attributes, context));
  },
};
