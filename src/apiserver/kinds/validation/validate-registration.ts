import type { APIService } from "../../../kinds/apiregistration/v1.js";
import type { RuntimeClass } from "../../../kinds/node/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { goQuote } from "../../internal/go-text.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { tolerationErrors } from "../core/pod/pod-spec-errors.js";
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  immutable,
  invalid,
  labels,
  notSupported,
  portNumber,
  required,
} from "../shared/field-errors.js";
import { containerResourceName } from "../shared/resource-names.js";
import { resourceErrors } from "../shared/resource-requirements.js";

const MOST_GROUP_PRIORITY = 20_000;
const MOST_VERSION_PRIORITY = 1000;

/** Errors of an APIService, besides those of the shape of its name. */
export function validateApiService({ metadata, spec }: APIService): FieldError[] {
  const {
    group = "",
    version = "",
    groupPriorityMinimum: groups = 0,
    versionPriority: versions = 0,
    caBundle = "",
    insecureSkipTLSVerify: insecure = false,
    service,
  } = spec ?? {};
  const name = metadata?.name ?? "";
  const errors: FieldError[] = [];
  if (name !== `${version}.${group}` && name !== "" && nameErrors(name, "pathSegment").length === 0)
    errors.push(
      invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${goQuote(`${version}.${group}`)}`),
    );
  if (group === "" && version !== "v1")
    errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  if (group !== "") errors.push(...dnsSubdomain("spec.group", group));
  errors.push(...nameErrors(version, "label1035").map((detail) => invalid("spec.version", version, detail)));
  if (groups <= 0 || groups > MOST_GROUP_PRIORITY)
    errors.push(invalid("spec.groupPriorityMinimum", groups, "must be positive and less than 20000"));
  if (versions <= 0 || versions > MOST_VERSION_PRIORITY)
    errors.push(invalid("spec.versionPriority", versions, "must be positive and less than 1000"));
  if (service === undefined) {
    if (caBundle !== "")
      errors.push(
        invalid("spec.caBundle", `${String(atob(caBundle).length)} bytes`, "local APIServices may not have a caBundle"),
      );
    if (insecure)
      errors.push(invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify"));
    return errors;
  }
  for (const key of ["namespace", "name"] as const)
    if ((service[key] ?? "") === "") errors.push(required(`spec.service.${key}`));
  errors.push(
    ...portNumber("spec.service.port", service.port ?? 0).map((error) => ({
      ...error,
      detail: `port is not valid: ${error.detail}`,
    })),
  );
  if (insecure && caBundle !== "")
    errors.push(invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present"));
  return errors;
}

/** Errors of an APIService's status. */
export function validateApiServiceStatus({ status }: APIService): FieldError[] {
  const known = ["True", "False", "Unknown"];
  return (status?.conditions ?? []).flatMap((condition, index) =>
    known.includes(condition.status)
      ? []
      : [notSupported(`status.conditions[${String(index)}].status`, condition.status, known)],
  );
}

/** Errors of a RuntimeClass. */
export function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  const errors = handler === "" ? [required("handler")] : dnsLabel("handler", handler);
  if (overhead !== undefined)
    errors.push(...resourceErrors({ limits: overhead.podFixed ?? {} }, "overhead", containerResourceName));
  if (scheduling === undefined) return errors;
  const { nodeSelector, tolerations = [] } = scheduling;
  errors.push(
    ...labels("scheduling.nodeSelector", nodeSelector),
    ...tolerations.flatMap((each, index) => tolerationErrors(each, `scheduling.tolerations[${String(index)}]`)),
  );
  const seen = new Set<string>();
  tolerations.forEach(({ key = "", operator = "", value = "", effect = "", tolerationSeconds = null }, index) => {
    const text = JSON.stringify([key, operator, value, effect]);
    // The value is shown as Go prints its own struct.
    if (seen.has(text))
      errors.push(
        duplicate(`scheduling.tolerations[${String(index)}]`, {
          Key: key,
          Operator: operator,
          Value: value,
          Effect: effect,
          TolerationSeconds: tolerationSeconds,
        }),
      );
    seen.add(text);
  });
  return errors;
}

/** Errors of a changed RuntimeClass: its handler stays. */
export function validateRuntimeClassUpdate(each: RuntimeClass, old: RuntimeClass): FieldError[] {
  return [...immutable("handler", each.handler, old.handler), ...validateRuntimeClass(each)];
}
