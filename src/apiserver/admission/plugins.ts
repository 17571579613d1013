import type { AdmissionPlugin } from "../registry/services.js";
import { claimResize } from "./claim-resize.js";
import { limitRanger } from "./limit-ranger.js";
import { mutatingPolicies } from "./mutating-policies.js";
import { podSecurity } from "./pod-security.js";
import { validatingPolicies } from "./policies.js";
import { priority } from "./priority.js";
import { resourceQuota } from "./resource-quota.js";
import { runtimeClass } from "./runtime-class.js";
import { mutatingWebhooks, validatingWebhooks } from "./webhooks.js";

/** Built-in admission plugins in the order of kube-apiserver, without `namespaceLifecycle`. */
export const builtinAdmission: readonly AdmissionPlugin[] = [
  limitRanger,
  priority,
  podSecurity,
  claimResize,
  runtimeClass,
  mutatingPolicies,
  mutatingWebhooks,
  validatingPolicies,
  validatingWebhooks,
  resourceQuota,
];
