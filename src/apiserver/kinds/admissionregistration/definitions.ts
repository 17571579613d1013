import type { KindDefinition } from "../shared/kind-definition.js";
import { mutatingAdmissionPolicy } from "./mutating-admission-policy.js";
import { mutatingAdmissionPolicyBinding, validatingAdmissionPolicyBinding } from "./policy-bindings.js";
import { validatingAdmissionPolicy } from "./validating-admission-policy.js";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./webhook-configurations.js";

/** Definitions of the kinds of the group. */
export const definitions: readonly KindDefinition[] = [
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
];
