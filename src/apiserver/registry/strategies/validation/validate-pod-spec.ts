import type { PodSpec, PodTemplateSpec, Toleration, Volume } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../schema/field-error.js";
import { labelValueErrors } from "../../../selectors.js";
import { dnsLabel, dnsSubdomain, duplicate, forbidden, invalid, labels, qualifiedName, required } from "./field-errors.js";
import { validateContainers, validateResources } from "./validate-containers.js";

/** Errors of what a pod is to run. */
export function validatePodSpec(spec: PodSpec, at: string): FieldError[] {
  const errors = [...validateVolumes(spec.volumes ?? [], `${at}.volumes`), ...validateContainers(spec, at)];
  if (spec.resources !== undefined) errors.push(...validateResources(spec.resources, `${at}.resources`));
  errors.push(...hostNetworkPorts(spec, at), ...labels(`${at}.nodeSelector`, spec.nodeSelector), ...validateDns(spec, at));
  (spec.imagePullSecrets ?? []).forEach((secret, index) => {
    if ((secret.name ?? "") === "") errors.push(required(`${at}.imagePullSecrets[${String(index)}].name`));
  });
  (spec.readinessGates ?? []).forEach((gate, index) => errors.push(...qualifiedName(`${at}.readinessGates[${String(index)}].conditionType`, gate.conditionType)));
  (spec.topologySpreadConstraints ?? []).forEach((constraint, index) => {
    const path = `${at}.topologySpreadConstraints[${String(index)}]`;
    if (constraint.maxSkew <= 0) errors.push(invalid(`${path}.maxSkew`, constraint.maxSkew, "must be greater than 0"));
    if (constraint.topologyKey === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  });
  for (const name of ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] as const) {
    const value = spec[name] ?? "";
    if (value !== "") errors.push(...dnsSubdomain(`${at}.${name}`, value));
  }
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > 2147483647)) errors.push(invalid(`${at}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive"));
  for (const name of ["hostname", "subdomain"] as const) if ((spec[name] ?? "") !== "") errors.push(...dnsLabel(`${at}.${name}`, spec[name] ?? ""));
  (spec.tolerations ?? []).forEach((toleration, index) => errors.push(...validateToleration(toleration, `${at}.tolerations[${String(index)}]`)));
  return errors;
}

/** Errors of the template of a controller's pods. */
export function validatePodTemplate(template: PodTemplateSpec, at: string): FieldError[] {
  const { metadata, spec } = template;
  const errors = [...labels(`${at}.labels`, metadata?.labels), ...validatePodSpec(spec ?? { containers: [] }, `${at}.spec`)];
  if ((spec?.ephemeralContainers ?? []).length > 0) errors.push(forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  return errors;
}

function validateVolumes(volumes: readonly Volume[], at: string): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const path = `${at}[${String(index)}]`;
    const errors: FieldError[] = [];
    // An empty directory is looked at first, the others in their order.
    const sources = Object.keys(volume).filter((key) => key !== "name").sort((a, b) => Number(b === "emptyDir") - Number(a === "emptyDir"));
    for (const extra of sources.slice(1)) errors.push(forbidden(`${path}.${extra}`, "may not specify more than 1 volume type"));
    if (volume.secret !== undefined && (volume.secret.secretName ?? "") === "") errors.push(required(`${path}.secret.secretName`));
    if (volume.configMap !== undefined && (volume.configMap.name ?? "") === "") errors.push(required(`${path}.configMap.name`));
    if (volume.hostPath !== undefined && volume.hostPath.path === "") errors.push(required(`${path}.hostPath.path`));
    if (volume.persistentVolumeClaim?.claimName === "") errors.push(required(`${path}.persistentVolumeClaim.claimName`));
    errors.push(...(volume.name === "" ? [required(`${path}.name`)] : dnsLabel(`${path}.name`, volume.name)));
    if (names.has(volume.name)) errors.push(duplicate(`${path}.name`, volume.name));
    names.add(volume.name);
    return errors;
  });
}

function hostNetworkPorts(spec: PodSpec, at: string): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (["containers", "initContainers"] as const).flatMap((kind) =>
    (spec[kind] ?? []).flatMap((container, index) =>
      (container.ports ?? []).flatMap((port, portIndex) =>
        (port.hostPort ?? 0) === port.containerPort
          ? []
          : [invalid(`${at}.${kind}[${String(index)}].ports[${String(portIndex)}].hostPort`, port.hostPort ?? 0, "must match `containerPort` when `hostNetwork` is true")],
      ),
    ),
  );
}

function validateDns(spec: PodSpec, at: string): FieldError[] {
  const config = spec.dnsConfig;
  const errors: FieldError[] = [];
  if (spec.dnsPolicy === "None") {
    if (config === undefined) return [required(`${at}.dnsConfig`, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if ((config.nameservers ?? []).length === 0) errors.push(required(`${at}.dnsConfig.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None"));
  }
  if ((config?.nameservers ?? []).length > 3) errors.push(invalid(`${at}.dnsConfig.nameservers`, config?.nameservers, "must not have more than 3 nameservers"));
  return errors;
}

const KNOWN_OPERATORS = ["Equal", "Exists"];

function validateToleration(toleration: Toleration, at: string): FieldError[] {
  const { key = "", operator, value = "", effect } = toleration;
  const errors = key === "" ? [] : qualifiedName(`${at}.key`, key);
  if (key === "" && operator !== "Exists") errors.push(invalid(`${at}.operator`, operator ?? "", 'operator must be Exists when `key` is empty, which means "match all values and all keys"'));
  if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") errors.push(invalid(`${at}.effect`, effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  if (operator === undefined || operator === "Equal") {
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalid(`${at}.operator`, value, wrong.join(";")));
  } else if (operator === "Exists" && value !== "") errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  else if (operator !== "Exists") errors.push({ type: "FieldValueNotSupported", field: `${at}.operator`, value: operator, detail: `supported values: ${KNOWN_OPERATORS.map((each) => JSON.stringify(each)).join(", ")}` });
  return errors;
}
