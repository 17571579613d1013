import { ConfigError } from "../../errors/errors.js";
import {
  mutatingPolicies,
  mutatingWebhooks,
  validatingPolicies,
  validatingWebhooks,
} from "../admission/dynamic-admission.js";
import { namespaceLifecycle } from "../registry/namespaces.js";
import type { AdmissionPlugin } from "../registry/services.js";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./certificates.js";
import { claimResize } from "./claim-resize.js";
import { defaultIngressClass, defaultStorageClass } from "./default-class.js";
import { limitRanger } from "./limit-ranger.js";
import { nodeDeclaredFeatures } from "./node-features.js";
import { nodeRestriction } from "./node-restriction.js";
import { defaultTolerationSeconds, taintNodesByCondition } from "./node-taints.js";
import { podResize } from "./pod-resize.js";
import { podSecurity } from "./pod-security.js";
import { priority } from "./priority.js";
import { resourceQuota } from "./resource-quota.js";
import { runtimeClass } from "./runtime-class.js";
import { serviceAccount } from "./service-account.js";
import { storageProtection } from "./storage-protection.js";
import { podTopologyLabels } from "./topology-labels.js";

/** Choice of the built-in admission plugins. */
export interface AdmissionPluginOptions {
  /**
   * Admission plugins to run in addition to those that are on by default, by their names in kube-apiserver:
   * `NodeRestriction`, which limits kubelets to their own objects, or `ServiceAccount`, which requires and mounts the
   * service account of each pod. `ServiceAccount` is off by default, unlike in kube-apiserver: without it, a pod can be
   * created at once in a new namespace, and its spec stays as it was sent. Default: none.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({
   *   enableAdmissionPlugins: ["ServiceAccount", "NodeRestriction"],
   *   disableAdmissionPlugins: ["StorageObjectInUseProtection"],
   * });
   * await server.close();
   * ```
   */
  readonly enableAdmissionPlugins?: readonly string[] | undefined;
  /** Admission plugins not to run, by their names in kube-apiserver. Default: none. */
  readonly disableAdmissionPlugins?: readonly string[] | undefined;
}

/** Built-in admission plugins in the order of kube-apiserver. */
const builtin: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageProtection,
  claimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  nodeDeclaredFeatures,
  podResize,
  mutatingPolicies,
  mutatingWebhooks,
  validatingPolicies,
  validatingWebhooks,
  resourceQuota,
];

const offByDefault: readonly string[] = [serviceAccount.name, nodeRestriction.name];

/** Plugins of kube-apiserver that this server doesn't have. Disabling them changes nothing. */
const missing: ReadonlySet<string> = new Set([
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "ClusterTrustBundleAttest",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "JobValidation",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "OwnerReferencesPermissionEnforcement",
  "PodGroupProtection",
  "PodGroupWorkloadExists",
  "PodNodeSelector",
  "PodTolerationRestriction",
]);

/** Returns the built-in plugins to run, in order. Throws a `ConfigError` for an unknown name. */
export function chooseAdmissionPlugins({
  enableAdmissionPlugins: enabled = [],
  disableAdmissionPlugins: disabled = [],
}: AdmissionPluginOptions): AdmissionPlugin[] {
  const names = new Set(builtin.map(({ name }) => name));
  enabled.forEach((name, index) => {
    const option = `enableAdmissionPlugins[${String(index)}]`;
    if (missing.has(name)) throw new ConfigError(`${option}: this server doesn't implement the plugin ${name}`);
    requireKnown(option, name, names);
    if (disabled.includes(name)) throw new ConfigError(`${option}: ${name} is also in disableAdmissionPlugins`);
  });
  disabled.forEach((name, index) => {
    if (!missing.has(name)) requireKnown(`disableAdmissionPlugins[${String(index)}]`, name, names);
  });
  return builtin.filter(
    ({ name }) => !disabled.includes(name) && (enabled.includes(name) || !offByDefault.includes(name)),
  );
}

function requireKnown(option: string, name: string, names: ReadonlySet<string>): void {
  if (!names.has(name))
    throw new ConfigError(
      `${option}: unknown admission plugin ${JSON.stringify(name)}; expected one of ${[...names].join(", ")}`,
    );
}
