import { pushAll } from "../../../../internal/push-all.js";
import type { PodSpec, PodTemplateSpec, Toleration, Volume } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { labelValueErrors } from "../../../objects/selectors.js";
import { validateAffinity, validateSpread } from "../../shared/affinity.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, invalid, notSupported, required } from "../../shared/field-errors.js";
import { KnownValid } from "../../shared/known-valid.js";
import { containerResourceName } from "../../shared/resource-names.js";
import { resourceErrors } from "../../shared/resource-requirements.js";
import { annotationErrors } from "../../shared/template-metadata.js";
import { validateVolumes } from "../volume/volume-errors.js";
import { appArmorMismatches } from "./app-armor.js";
import { validateContainers } from "./container-errors.js";
import { ephemeralErrors } from "./ephemeral-errors.js";
import { hostnameErrors, hostProcessErrors, hostUsersErrors, systemErrors } from "./os-errors.js";
import { podAnnotationErrors } from "./pod-annotation-errors.js";
import { containersOf } from "./pod-containers.js";
import { fileVolumeErrors, podClaimErrors, podResourceErrors } from "./pod-resource-errors.js";
import { validatePodSecurityContext } from "./security-context-errors.js";

const restartPolicies: readonly string[] = ["Always", "OnFailure", "Never"];

/** Facts outside of a spec that affect its validation. */
export interface PodCircumstances {
  /** Name of the pod. */
  readonly name?: string | undefined;
  /** Stored spec, whose exceptions may stay. */
  readonly old?: PodSpec | undefined;
}

const validSpecs = new KnownValid();

/** Validates the spec of a pod or template. */
export function validatePodSpec(spec: PodSpec, at: string, circumstances: PodCircumstances = {}): FieldError[] {
  const { name, old } = circumstances;
  const named = (spec.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);
  // Everything that the errors depend on, apart from the path in their texts.
  const text = JSON.stringify([
    at === "spec",
    named ? name : 0,
    old?.securityContext?.seLinuxChangePolicy === undefined,
    hadDevices(old),
    spec,
  ]);
  if (validSpecs.has(text)) return [];
  const errors = specErrors(spec, at, circumstances);
  if (errors.length === 0) validSpecs.add(text);
  return errors;
}

/** True if a stored spec uses devices without the host's users, which a change may keep. */
function hadDevices(old: PodSpec | undefined): boolean {
  return old?.hostUsers === false && containersOf(old, "").some(([{ volumeDevices = [] }]) => volumeDevices.length > 0);
}

function specErrors(spec: PodSpec, at: string, { name, old }: PodCircumstances): FieldError[] {
  const isPod = at === "spec";
  const volumes = validateVolumes(spec.volumes ?? [], `${at}.volumes`, isPod, name);
  const errors = [
    ...volumes.errors,
    ...podClaimErrors(spec.resourceClaims ?? [], `${at}.resourceClaims`),
    ...validateContainers(spec, volumes.usable, at),
    ...ephemeralErrors(spec, volumes.usable, at),
    ...podResourceErrors(spec, at),
  ];
  pushAll(
    errors,
    hostNetworkPorts(spec, at, isPod),
    check.optionalOneOf(`${at}.restartPolicy`, spec.restartPolicy, restartPolicies),
    check.labels(`${at}.nodeSelector`, spec.nodeSelector),
    validateDns(spec, at),
  );
  const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
  const repeatedGates = check.repeats(gates);
  pushAll(
    errors,
    check.eachItem(gates, `${at}.schedulingGates`, (name, path, index) => [
      ...check.qualifiedName(path, name),
      ...(repeatedGates.has(index) ? [duplicate(path, name)] : []),
    ]),
  );
  pushAll(
    errors,
    check.eachItem(spec.readinessGates, `${at}.readinessGates`, ({ conditionType }, path) =>
      check.qualifiedName(`${path}.conditionType`, conditionType),
    ),
  );
  if (spec.securityContext !== undefined)
    pushAll(
      errors,
      validatePodSecurityContext(spec.securityContext, `${at}.securityContext`, spec, old?.securityContext),
    );
  if (spec.affinity !== undefined) pushAll(errors, validateAffinity(spec.affinity, `${at}.affinity`));
  if (spec.overhead !== undefined)
    pushAll(errors, resourceErrors({ limits: spec.overhead }, `${at}.overhead`, containerResourceName));
  pushAll(
    errors,
    hostProcessErrors(spec, at),
    hostUsersErrors(spec, at, hadDevices(old)),
    hostnameErrors(spec, at),
    systemErrors(spec, at),
    fileVolumeErrors(spec, at),
  );
  pushAll(
    errors,
    validateSpread(spec.topologySpreadConstraints ?? [], `${at}.topologySpreadConstraints`),
    validateAliases(spec, at),
  );
  if (isPod && (spec.serviceAccountName ?? "") === "")
    pushAll(errors, tokensWithoutAccount(spec.volumes ?? [], `${at}.volumes`));
  for (const key of ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] as const)
    pushAll(errors, check.optionalText(`${at}.${key}`, spec[key], check.dnsSubdomain));
  if ((spec.preemptionPolicy as string | undefined) === "") errors.push(required(`${at}.preemptionPolicy`));
  pushAll(errors, check.between(`${at}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 1, 2147483647));
  for (const key of ["hostname", "subdomain"] as const)
    pushAll(errors, check.optionalText(`${at}.${key}`, spec[key], check.dnsLabel));
  return [...errors, ...check.eachItem(spec.tolerations, `${at}.tolerations`, tolerationErrors)];
}

export function validatePodTemplate(template: PodTemplateSpec, at: string): FieldError[] {
  const { metadata, spec } = template;
  const errors = [
    ...check.labels(`${at}.labels`, metadata?.labels),
    ...annotationErrors(`${at}.annotations`, metadata?.annotations),
    ...podAnnotationErrors(metadata?.annotations, spec ?? { containers: [] }, `${at}.annotations`),
    ...validatePodSpec(spec ?? { containers: [] }, `${at}.spec`),
    ...appArmorMismatches(spec ?? { containers: [] }, metadata?.annotations, `${at}.spec`),
  ];
  if ((spec?.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  return errors;
}

function hostNetworkPorts(spec: PodSpec, at: string, isPod: boolean): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, portIndex) =>
      // Templates may omit the host port.
      (port.hostPort ?? 0) === port.containerPort || (!isPod && (port.hostPort ?? 0) === 0)
        ? []
        : [
            invalid(
              `${at}.containers[${String(index)}].ports[${String(portIndex)}].hostPort`,
              port.hostPort ?? 0,
              "must match `containerPort` when `hostNetwork` is true",
            ),
          ],
    ),
  );
}

function validateDns(spec: PodSpec, at: string): FieldError[] {
  const config = spec.dnsConfig;
  const nameservers = `${at}.dnsConfig.nameservers`;
  const errors: FieldError[] = [];
  if (spec.dnsPolicy === "None") {
    if (config === undefined) return [required(`${at}.dnsConfig`, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if ((config.nameservers ?? []).length === 0)
      return [required(nameservers, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  }
  if ((config?.nameservers ?? []).length > 3)
    errors.push(invalid(nameservers, config?.nameservers, "must not have more than 3 nameservers"));
  pushAll(
    errors,
    check.eachItem(config?.nameservers, nameservers, (text, path) => check.ipAddress(path, text)),
  );
  if ((config?.searches ?? []).length > 32)
    errors.push(invalid(`${at}.dnsConfig.searches`, config?.searches, "must not have more than 32 search paths"));
  (config?.searches ?? []).forEach((search, index) => {
    if (search !== ".")
      pushAll(errors, searchErrors(search.replace(/\.$/, ""), `${at}.dnsConfig.searches[${String(index)}]`));
  });
  (config?.options ?? []).forEach(({ name = "" }, index) => {
    if (name === "") errors.push(required(`${at}.dnsConfig.options[${String(index)}]`, "must not be empty"));
  });
  return errors;
}

const searchPattern = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;

function searchErrors(search: string, at: string): FieldError[] {
  if (search.length > 253) return [invalid(at, search, "must be no more than 253 characters")];
  return searchPattern.test(search)
    ? []
    : [invalid(at, search, "must be a DNS subdomain, whose labels may start with '_'")];
}

function validateAliases(spec: PodSpec, at: string): FieldError[] {
  return check.eachItem(spec.hostAliases, `${at}.hostAliases`, ({ ip, hostnames }, path) => [
    ...check.ipAddress(`${path}.ip`, ip),
    ...check.eachItem(hostnames, `${path}.hostnames`, (name, place) => check.dnsSubdomain(place, name)),
  ]);
}

function tokensWithoutAccount(volumes: readonly Volume[], at: string): FieldError[] {
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, source) =>
      serviceAccountToken === undefined
        ? []
        : [
            forbidden(
              `${at}[${String(index)}].projected.sources[${String(source)}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ],
    ),
  );
}

const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function tolerationErrors(toleration: Toleration, at: string): FieldError[] {
  const { key = "", operator, value = "", effect } = toleration;
  const errors = key === "" ? [] : check.qualifiedName(`${at}.key`, key);
  if (effect !== undefined && (effect as string) !== "" && !taintEffects.includes(effect))
    errors.push(notSupported(`${at}.effect`, effect, taintEffects));
  if (key === "" && operator !== "Exists")
    errors.push(invalid(`${at}.operator`, operator ?? "", "must be Exists when `key` is empty"));
  if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute")
    errors.push(invalid(`${at}.effect`, effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  if (operator === undefined || operator === "Equal") {
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalid(`${at}.operator`, value, wrong.join(";")));
  } else if (operator === "Exists" && value !== "")
    errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  else if (operator !== "Exists") errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
  return errors;
}
