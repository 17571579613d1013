import { lazyModule } from "../../internal/lazy-module.js";
import { whenReady } from "../../internal/when-ready.js";
import { refusal } from "../admission/refusal.js";
import type { FieldError } from "../errors/field-error.js";
import { invalidField } from "../errors/field-error.js";
import { throwInvalid } from "../errors/status.js";
import { equalJson } from "../internal/json-value.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AdmissionPlugin, RegistryServices } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";
import type { PodSpec } from "./pod.js";
import type { SecurityLevel, SecurityPolicy } from "./pod-security-checks.js";

// The checks are loaded with the first pod of a namespace with a standard.
const checks = lazyModule(() => import("./pod-security-checks.js"));
const labelPrefix = "pod-security.kubernetes.io/";
const levels: readonly SecurityLevel[] = ["privileged", "baseline", "restricted"];

/** Path of the pod template in each workload kind. */
const templates: Readonly<Record<string, readonly string[]>> = {
  "/podtemplates": ["template"],
  "/replicationcontrollers": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/replicasets": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "batch/jobs": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
};

/**
 * Checks pods against the security standard in their namespace's labels; workloads only get warnings.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
export const podSecurity: AdmissionPlugin = {
  name: "PodSecurity",
  validate(attributes, context) {
    const { operation, resource, subresource, namespace, name, object, old } = attributes;
    const { services } = context;
    if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
    if (resource.bucket === "/namespaces" && subresource === "") {
      checkLabels(object, old, name);
      return undefined;
    }
    const pod =
      resource.bucket === "/pods" &&
      (subresource === "" || subresource === "ephemeralcontainers" || subresource === "resize");
    const path = subresource === "" ? templates[resource.bucket] : undefined;
    if (!pod && path === undefined) return undefined;
    const template = pod
      ? object
      : (path!.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object) as
          | ApiObject
          | undefined);
    const spec = template?.["spec"] as PodSpec | undefined;
    if (spec === undefined) return undefined;
    if (pod && old !== undefined && equalJson(old["spec"], spec)) return undefined;
    const policy = (mode: "enforce" | "warn" | "audit"): SecurityPolicy => policyOf(services, namespace, mode);
    const [enforce, audit, warn] = [policy("enforce"), policy("audit"), policy("warn")];
    if (pod) context.audit?.annotate(`${labelPrefix}enforce-policy`, `${enforce.level}:${enforce.version}`);
    if ([...(pod ? [enforce] : []), audit, warn].every(({ level }) => level === "privileged")) return undefined;
    const annotations = template?.metadata?.annotations ?? {};
    return whenReady(checks.load(), () => {
      const violated = (applied: SecurityPolicy): string => {
        const found = checks.get().violations(applied, spec, annotations);
        return found && `violate PodSecurity ${JSON.stringify(`${applied.level}:${applied.version}`)}: ${found}`;
      };
      const [recorded, advised] = [violated(audit), violated(warn)];
      if (recorded !== "") context.audit?.annotate(`${labelPrefix}audit-violations`, `would ${recorded}`);
      const broken = pod ? violated(enforce) : "";
      if (broken !== "") throw refusal(attributes, broken.replace("violate", "violates"));
      if (advised !== "") context.warn(`would ${advised}`);
    });
  },
};

/** Returns the policy of a namespace. Unknown levels count as the strictest one. */
function policyOf(services: RegistryServices, namespace: string, mode: "enforce" | "warn" | "audit"): SecurityPolicy {
  const labels = getStored(services, "/namespaces", namespace)?.metadata?.labels ?? {};
  const wanted = labels[labelPrefix + mode];
  const enforced = labels[`${labelPrefix}enforce`];
  // Without its own label, the warn mode uses the enforced level.
  const source = wanted === undefined && mode === "warn" && enforced !== undefined ? "enforce" : mode;
  const text = labels[labelPrefix + source];
  const level = text === undefined ? "privileged" : (levels.find((known) => known === text) ?? "restricted");
  return { level, version: labels[`${labelPrefix}${source}-version`] ?? "latest" };
}

function checkLabels(namespace: ApiObject, old: ApiObject | undefined, name: string): void {
  const errors = labelErrors(namespace);
  if (errors.length === 0 || (old !== undefined && JSON.stringify(labelErrors(old)) === JSON.stringify(errors))) return;
  throwInvalid({ group: "", kind: "Namespace" }, namespace.metadata?.name ?? name, errors);
}

function labelErrors(namespace: ApiObject): FieldError[] {
  const labels = namespace.metadata?.labels ?? {};
  const errors: FieldError[] = [];
  for (const mode of ["enforce", "audit", "warn"]) {
    const level = labels[labelPrefix + mode];
    if (level !== undefined && !levels.some((known) => known === level)) {
      errors.push(
        invalidField(
          `metadata.labels[${labelPrefix}${mode}]`,
          level,
          "must be one of privileged, baseline, restricted",
        ),
      );
    }
    const version = labels[`${labelPrefix}${mode}-version`];
    if (version !== undefined && version !== "latest" && !/^v1\.(0|[1-9]\d*)$/.test(version)) {
      errors.push(
        invalidField(`metadata.labels[${labelPrefix}${mode}-version]`, version, 'must be "latest" or "v1.x"'),
      );
    }
  }
  return errors;
}
