import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, invalid, required, tooMany } from "../../shared/field-errors.js";
import { containerResourceName } from "../../shared/resource-names.js";
import { resourceErrors } from "../../shared/resource-requirements.js";
import { envFromErrors, validateEnv } from "./environment-errors.js";
import { validateHooks } from "./hook-errors.js";
import { validateDevices, validateMounts } from "./mount-errors.js";
import { claimNamesOf, usedClaimErrors } from "./pod-resource-errors.js";
import { validateSecurityContext } from "./security-context-errors.js";

/** Validates the containers and init containers of a pod. */
export function validateContainers(
  spec: core.PodSpec,
  volumes: ReadonlyMap<string, core.Volume>,
  at: string,
): FieldError[] {
  const { containers, initContainers = [], terminationGracePeriodSeconds: seconds } = spec;
  const grace = seconds !== undefined && seconds < 0 ? 1 : seconds;
  const around: ContainerSurroundings = {
    volumes,
    claims: claimNamesOf(spec),
    never: spec.restartPolicy === "Never",
    hostUsers: spec.hostUsers !== false,
  };
  const errors: FieldError[] = [];
  if ((containers ?? []).length === 0) errors.push(required(`${at}.containers`));
  const names = new Set<string>();
  const commonErrors = (each: core.Container, path: string, starts = false): FieldError[] => [
    ...validateContainer(each, path, around),
    ...restartErrors(each, path, starts),
    ...(at === "spec" ? imageErrors(each, path) : []),
    ...takeName(names, each.name, path),
  ];
  pushAll(
    errors,
    check.eachItem(containers, `${at}.containers`, (each, path) => [
      ...commonErrors(each, path),
      ...validateHooks(each, path, grace),
    ]),
    hostPortConflicts(containers ?? [], `${at}.containers`),
  );
  pushAll(
    errors,
    check.eachItem(initContainers, `${at}.initContainers`, (each, path) => [
      ...commonErrors(each, path, true),
      // Init containers run one by one. kube-apiserver reports the conflicts of each on the first.
      ...hostPortConflicts([each], `${at}.initContainers`),
      ...(each.restartPolicy === "Always" ? validateHooks(each, path, grace) : starterErrors(each, path)),
    ]),
  );
  return errors;
}

/** Rejects the hooks, and restarts by a resize, of an init container that ends before the others start. */
function starterErrors(container: core.Container, at: string): FieldError[] {
  const hooks = (["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
    .filter((hook) => container[hook] !== undefined)
    .map((hook) => forbidden(`${at}.${hook}`, "may not be set for init containers without restartPolicy=Always"));
  const resizes = check.eachItem(container.resizePolicy, `${at}.resizePolicy`, ({ restartPolicy }, path) =>
    restartPolicy === "RestartContainer"
      ? [invalid(`${path}.restartPolicy`, restartPolicy, "must not be set for non-sidecar initContainers")]
      : [],
  );
  return [...hooks, ...resizes];
}

function takeName(names: Set<string>, name: string, at: string): FieldError[] {
  if (names.has(name)) return [duplicate(`${at}.name`, name)];
  names.add(name);
  return [];
}

/** Parts of a pod that affect the validation of its containers. */
export interface ContainerSurroundings {
  /** Volumes that can be mounted, by name. */
  readonly volumes: ReadonlyMap<string, core.Volume>;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  /** True if the pod never restarts its containers. */
  readonly never: boolean;
  /** True if the pod uses the host's user namespace. */
  readonly hostUsers: boolean;
}

/** Validates a container of any kind. */
export function validateContainer(
  container: core.Container,
  at: string,
  { volumes, claims, never, hostUsers }: ContainerSurroundings,
): FieldError[] {
  const errors = check.requiredText(`${at}.name`, container.name, check.dnsLabel);
  if ((container.image ?? "") === "") errors.push(required(`${at}.image`));
  pushAll(errors, validatePorts(container, `${at}.ports`));
  pushAll(
    errors,
    check.eachItem(container.env, `${at}.env`, validateEnv),
    envFromErrors(container.envFrom ?? [], `${at}.envFrom`),
    validateMounts(container, volumes, `${at}.volumeMounts`),
    validateDevices(container, volumes, `${at}.volumeDevices`),
  );
  if (container.securityContext !== undefined)
    pushAll(errors, validateSecurityContext(container.securityContext, `${at}.securityContext`, hostUsers));
  const { resources = {} } = container;
  return [
    ...errors,
    ...resourceErrors(resources, `${at}.resources`, containerResourceName),
    ...usedClaimErrors(resources.claims ?? [], claims, `${at}.resources.claims`),
    ...resizeErrors(container.resizePolicy ?? [], `${at}.resizePolicy`, never),
  ];
}

const resizePolicies = ["NotRequired", "RestartContainer"];

/** Validates resize policies. kube-apiserver reports most errors on the whole list. */
function resizeErrors(policies: readonly core.ContainerResizePolicy[], at: string, never: boolean): FieldError[] {
  const repeated = check.repeats(policies.map(({ resourceName }) => resourceName));
  return check.eachItem(policies, at, ({ resourceName, restartPolicy }, path, index) => [
    ...(repeated.has(index) ? [duplicate(path, resourceName)] : []),
    ...check.requiredOneOf(at, resourceName, ["cpu", "memory"]),
    ...check.requiredOneOf(at, restartPolicy, resizePolicies),
    ...(never && restartPolicy !== "NotRequired"
      ? [invalid(at, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
      : []),
  ]);
}

const restartPolicies: readonly string[] = ["Always", "Never", "OnFailure"];

const restartActions = ["Restart", "RestartAllContainers"];
const restartOperators = ["In", "NotIn"];
const mostRestartRules = 20;
const mostExitCodes = 255;

function restartErrors(
  { restartPolicy, restartPolicyRules: rules = [] }: core.Container,
  at: string,
  starts: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (restartPolicy === undefined && rules.length > 0)
    errors.push(required(`${at}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  // The rules of an init container without a policy aren't validated.
  if (restartPolicy === undefined && starts) return errors;
  pushAll(errors, check.optionalOneOf(`${at}.restartPolicy`, restartPolicy, restartPolicies));
  if (rules.length > mostRestartRules) errors.push(tooMany(`${at}.restartPolicyRules`, rules.length, mostRestartRules));
  rules.forEach(({ action, exitCodes }, index) => {
    const path = `${at}.restartPolicyRules[${String(index)}]`;
    pushAll(errors, check.oneOf(`${path}.action`, action, restartActions));
    if (exitCodes === undefined) errors.push(required(`${path}.exitCodes`, "must be specified"));
    else {
      const { operator, values = [] } = exitCodes;
      pushAll(errors, check.oneOf(`${path}.exitCodes.operator`, operator, restartOperators));
      if (values.length > mostExitCodes) errors.push(tooMany(`${path}.exitCodes.values`, values.length, mostExitCodes));
    }
  });
  return errors;
}

/** Returns an error for an image name with surrounding whitespace, which templates may have. */
export function imageErrors({ image = "" }: core.Container, at: string): FieldError[] {
  return image.trim() === image ? [] : [invalid(`${at}.image`, image, "must not have leading or trailing whitespace")];
}

function validatePorts(container: core.Container, at: string): FieldError[] {
  const names = new Set<string>();
  return check.eachItem(container.ports, at, (port, path) => {
    const { name = "", containerPort, hostPort = 0 } = port;
    const errors = check.optionalText(`${path}.name`, name, check.portName);
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    else if (name !== "" && errors.length === 0) names.add(name);
    if (containerPort === 0) errors.push(required(`${path}.containerPort`));
    else pushAll(errors, check.portNumber(`${path}.containerPort`, containerPort));
    return hostPort === 0 ? errors : [...errors, ...check.portNumber(`${path}.hostPort`, hostPort)];
  });
}

function hostPortConflicts(containers: readonly core.Container[], at: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, portIndex) => {
      if ((port.hostPort ?? 0) === 0) return [];
      const key = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${String(port.hostPort)}`;
      if (taken.has(key)) return [duplicate(`${at}[${String(index)}].ports[${String(portIndex)}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}
