import type * as core from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { words } from "../../../internal/words.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, invalid, notFound, notSupported, required, tooMany } from "../../shared/field-errors.js";
import { containerResourceName } from "../../shared/resource-names.js";
import { resourceErrors } from "../../shared/resource-requirements.js";
import { localPath, noBacksteps } from "../../shared/volume-paths.js";
import { objectFieldErrors, resourceFieldErrors } from "../volume/volume-errors.js";
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
  const commonErrors = (each: core.Container, path: string): FieldError[] => [
    ...validateContainer(each, path, around),
    ...restartErrors(each, path),
    ...(at === "spec" ? imageErrors(each, path) : []),
    ...takeName(names, each.name, path),
  ];
  errors.push(
    ...check.eachItem(containers, `${at}.containers`, (each, path) => [
      ...commonErrors(each, path),
      ...validateHooks(each, path, grace),
    ]),
    ...hostPortConflicts(containers ?? [], `${at}.containers`),
  );
  initContainers.forEach((each, index) => {
    const path = `${at}.initContainers[${String(index)}]`;
    errors.push(...commonErrors(each, path));
    if (each.restartPolicy === "Always") errors.push(...validateHooks(each, path, grace));
    else {
      for (const hook of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
        if (each[hook] !== undefined)
          errors.push(forbidden(`${path}.${hook}`, "may not be set for init containers without restartPolicy=Always"));
      }
    }
  });
  return errors;
}

function takeName(names: Set<string>, name: string, at: string): FieldError[] {
  if (names.has(name) && name !== "") return [duplicate(`${at}.name`, name)];
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
  errors.push(...validatePorts(container, `${at}.ports`));
  errors.push(
    ...check.eachItem(container.env, `${at}.env`, validateEnv),
    ...envFromErrors(container.envFrom ?? [], `${at}.envFrom`),
    ...validateMounts(container, volumes, `${at}.volumeMounts`),
    ...validateDevices(container, volumes, `${at}.volumeDevices`),
  );
  if (container.securityContext !== undefined)
    errors.push(...validateSecurityContext(container.securityContext, `${at}.securityContext`, hostUsers));
  const { resources = {} } = container;
  return [
    ...errors,
    ...resourceErrors(resources, `${at}.resources`, containerResourceName),
    ...usedClaimErrors(resources.claims ?? [], claims, `${at}.resources.claims`),
    ...resizeErrors(container.resizePolicy ?? [], `${at}.resizePolicy`, never),
  ];
}

function envFromErrors(sources: readonly core.EnvFromSource[], at: string): FieldError[] {
  return check.eachItem(sources, at, (source, path) => {
    const { prefix, configMapRef, secretRef } = source;
    const errors = check.optionalText(`${path}.prefix`, prefix, envName);
    for (const kind of ["configMapRef", "secretRef"] as const)
      if (source[kind] !== undefined)
        errors.push(...check.requiredText(`${path}.${kind}.name`, source[kind].name, check.dnsSubdomain));
    // kube-apiserver reports these errors on the whole list.
    if (configMapRef === undefined && secretRef === undefined)
      errors.push(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (configMapRef !== undefined && secretRef !== undefined)
      errors.push(invalid(at, "", "may not have more than one field specified at a time"));
    return errors;
  });
}

const RESIZES = ["NotRequired", "RestartContainer"];

/** Validates resize policies. kube-apiserver reports most errors on the whole list. */
function resizeErrors(policies: readonly core.ContainerResizePolicy[], at: string, never: boolean): FieldError[] {
  const names = policies.map(({ resourceName }) => resourceName);
  return check.eachItem(policies, at, ({ resourceName, restartPolicy }, path, index) => [
    ...(names.indexOf(resourceName) < index ? [duplicate(path, resourceName)] : []),
    ...check.requiredOneOf(at, resourceName, ["cpu", "memory"]),
    ...check.requiredOneOf(at, restartPolicy, RESIZES),
    ...(never && restartPolicy !== "NotRequired"
      ? [invalid(at, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
      : []),
  ]);
}

const RESTARTS: readonly string[] = ["Always", "Never", "OnFailure"];

const RESTART_ACTIONS = ["Restart", "RestartAllContainers"];
const RESTART_OPERATORS = ["In", "NotIn"];
const MOST_RESTART_RULES = 20;
const MOST_EXIT_CODES = 255;

function restartErrors({ restartPolicy, restartPolicyRules: rules = [] }: core.Container, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (restartPolicy === undefined && rules.length > 0)
    errors.push(required(`${at}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  errors.push(...check.optionalOneOf(`${at}.restartPolicy`, restartPolicy, RESTARTS));
  if (rules.length > MOST_RESTART_RULES)
    errors.push(tooMany(`${at}.restartPolicyRules`, rules.length, MOST_RESTART_RULES));
  rules.forEach(({ action, exitCodes }, index) => {
    const path = `${at}.restartPolicyRules[${String(index)}]`;
    errors.push(...check.oneOf(`${path}.action`, action, RESTART_ACTIONS));
    if (exitCodes === undefined) errors.push(required(`${path}.exitCodes`, "must be specified"));
    else {
      const { operator, values = [] } = exitCodes;
      errors.push(...check.oneOf(`${path}.exitCodes.operator`, operator, RESTART_OPERATORS));
      if (values.length > MOST_EXIT_CODES)
        errors.push(tooMany(`${path}.exitCodes.values`, values.length, MOST_EXIT_CODES));
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
    else errors.push(...check.portNumber(`${path}.containerPort`, containerPort));
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

const ENV_FIELDS = words(
  "metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName status.hostIP",
  "status.hostIPs status.podIP status.podIPs",
);
const ENV_NAME = /^[ -<>-~]+$/;
const NOT_A_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";
function envName(field: string, name: string): FieldError[] {
  return ENV_NAME.test(name) ? [] : [invalid(field, name, NOT_A_NAME)];
}

const ENV_SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

function validateEnv(env: core.EnvVar, at: string): FieldError[] {
  const errors = check.requiredText(`${at}.name`, env.name, envName);
  const { valueFrom } = env;
  if (valueFrom === undefined) return errors;
  const path = `${at}.valueFrom`;
  const sources = ENV_SOURCES.filter((source) => valueFrom[source] !== undefined);
  for (const source of ["configMapKeyRef", "secretKeyRef"] as const) {
    const reference = valueFrom[source];
    if (reference === undefined) continue;
    errors.push(
      ...check.dnsSubdomain(`${path}.${source}.name`, reference.name ?? ""),
      ...check.requiredText(`${path}.${source}.key`, reference.key, check.configKey),
    );
  }
  if (valueFrom.fileKeyRef !== undefined) errors.push(...fileKeyErrors(valueFrom.fileKeyRef, `${path}.fileKeyRef`));
  if (valueFrom.fieldRef !== undefined)
    errors.push(...objectFieldErrors(valueFrom.fieldRef, `${path}.fieldRef`, ENV_FIELDS));
  if (valueFrom.resourceFieldRef !== undefined)
    errors.push(...resourceFieldErrors(valueFrom.resourceFieldRef, `${path}.resourceFieldRef`));
  if (sources.length === 0) errors.push(invalid(path, "", `must specify one of: ${ENV_SOURCES.join(", ")}`));
  else if ((env.value ?? "") !== "") errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  else if (sources.length > 1) errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  return errors;
}

function fileKeyErrors({ key, volumeName, path }: core.FileKeySelector, at: string): FieldError[] {
  return [
    ...check.requiredText(`${at}.key`, key, envName),
    ...check.requiredText(`${at}.volumeName`, volumeName, check.dnsLabel),
    ...check.requiredText(`${at}.path`, path, noBacksteps),
  ];
}

function validateMounts(
  { volumeMounts: mounts = [], volumeDevices: devices = [], securityContext }: core.Container,
  volumes: ReadonlyMap<string, core.Volume>,
  at: string,
): FieldError[] {
  const paths = new Set<string>();
  return check.eachItem(mounts, at, (mount, path) => {
    const errors: FieldError[] = [];
    if (mount.name === "") errors.push(required(`${path}.name`));
    if (!volumes.has(mount.name)) errors.push(notFound(`${path}.name`, mount.name));
    if (mount.mountPath === "") errors.push(required(`${path}.mountPath`));
    if (paths.has(mount.mountPath)) errors.push(invalid(`${path}.mountPath`, mount.mountPath, "must be unique"));
    paths.add(mount.mountPath);
    if (devices.some((device) => device.name === mount.name))
      errors.push(invalid(`${path}.name`, mount.name, "must not already exist in volumeDevices"));
    if (devices.some((device) => device.devicePath === mount.mountPath))
      errors.push(invalid(`${path}.mountPath`, mount.mountPath, "must not already exist as a path in volumeDevices"));
    const propagation: string | undefined = mount.mountPropagation;
    // kube-apiserver omits the index of the mount from the following fields.
    errors.push(...check.optionalText(`${at}.subPath`, mount.subPath, localPath));
    if ((mount.subPathExpr ?? "") !== "" && (mount.subPath ?? "") !== "")
      errors.push(invalid(`${path}.subPathExpr`, mount.subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    errors.push(...check.optionalText(`${at}.subPathExpr`, mount.subPathExpr, localPath));
    errors.push(...check.optionalOneOf(`${at}.mountPropagation`, propagation, PROPAGATIONS));
    if (propagation === "Bidirectional" && securityContext?.privileged !== true)
      errors.push(forbidden(`${at}.mountPropagation`, "Bidirectional is available only to privileged containers"));
    return [...errors, ...recursiveErrors(mount, `${at}.recursiveReadOnly`)];
  });
}

const RECURSIONS = ["Disabled", "Enabled", "IfPossible"];

function recursiveErrors(
  { recursiveReadOnly: recursive, readOnly, mountPropagation }: core.VolumeMount,
  field: string,
): FieldError[] {
  if (recursive === undefined || recursive === "Disabled") return [];
  if (!RECURSIONS.includes(recursive)) return [notSupported(field, recursive, RECURSIONS)];
  return [
    ...(readOnly === true ? [] : [forbidden(field, "may only be specified when readOnly is true")]),
    ...(mountPropagation === undefined || mountPropagation === "None"
      ? []
      : [forbidden(field, "may only be specified when mountPropagation is None or not specified")]),
  ];
}

const PROPAGATIONS: readonly string[] = ["Bidirectional", "HostToContainer", "None"];

function validateDevices(
  { volumeMounts: mounts = [], volumeDevices: devices = [] }: core.Container,
  volumes: ReadonlyMap<string, core.Volume>,
  at: string,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return check.eachItem(devices, at, ({ name, devicePath }, path) => {
    const errors: FieldError[] = [];
    const volume = volumes.get(name);
    if (name === "") errors.push(required(`${path}.name`));
    if (names.has(name)) errors.push(invalid(`${path}.name`, name, "must be unique"));
    if (volume === undefined) errors.push(notFound(`${path}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
      errors.push(invalid(`${path}.name`, name, "must be a volume of type persistentVolumeClaim or ephemeral"));
    if (devicePath === "") errors.push(required(`${path}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${path}.devicePath`, devicePath, "must be unique"));
    if (devicePath.split("/").includes(".."))
      errors.push(invalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name))
      errors.push(invalid(`${path}.name`, name, "must not already exist in volumeMounts"));
    if (mounts.some((mount) => mount.mountPath === devicePath))
      errors.push(invalid(`${path}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    if (name !== "") names.add(name);
    return errors;
  });
}

function validateHooks(container: core.Container, at: string, grace: number | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["postStart", "preStop"] as const) {
    const handler = container.lifecycle?.[name];
    if (handler !== undefined) errors.push(...validateHandler(handler, `${at}.lifecycle.${name}`, grace));
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[name];
    if (probe !== undefined) errors.push(...validateProbe(probe, name, `${at}.${name}`));
  }
  return errors;
}

function validateProbe(probe: core.Probe, name: string, at: string): FieldError[] {
  const errors = validateHandler(probe, at);
  const numbers = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
  errors.push(...check.nonNegativeFields(probe as Readonly<Record<string, number>>, at, numbers));
  const { terminationGracePeriodSeconds: grace } = probe;
  errors.push(...check.atLeast(`${at}.terminationGracePeriodSeconds`, grace, 1));
  if (grace !== undefined && name === "readinessProbe")
    errors.push(invalid(`${at}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes"));
  if (name !== "readinessProbe" && (probe.successThreshold ?? 1) !== 1)
    errors.push(invalid(`${at}.successThreshold`, probe.successThreshold, "must be 1"));
  return errors;
}

function headerErrors(headers: readonly { readonly name: string }[], at: string): FieldError[] {
  return headers
    .filter(({ name }) => !/^[-A-Za-z0-9]+$/.test(name))
    .map(({ name }) => invalid(at, name, "must consist of alphanumeric characters and '-'"));
}

function validateHandler(
  handler: Partial<Pick<core.Probe, "exec" | "grpc" | "httpGet" | "tcpSocket">> & {
    sleep?: { seconds: number } | undefined;
  },
  at: string,
  grace?: number,
): FieldError[] {
  const rules = {
    exec: () => ((handler.exec?.command ?? []).length === 0 ? [required(`${at}.exec.command`)] : []),
    httpGet: () => [
      ...check.portNumberOrName(`${at}.httpGet.port`, handler.httpGet?.port),
      ...headerErrors(handler.httpGet?.httpHeaders ?? [], `${at}.httpGet.httpHeaders`),
    ],
    tcpSocket: () => check.portNumberOrName(`${at}.tcpSocket.port`, handler.tcpSocket?.port),
    grpc: () => check.portNumber(`${at}.grpc.port`, handler.grpc?.port ?? 0),
    sleep: () => (grace === undefined ? [] : check.between(`${at}.sleep`, handler.sleep?.seconds ?? 0, 0, grace)),
  };
  const kinds = Object.keys(rules) as (keyof typeof rules)[];
  const [first, ...others] = kinds.filter((kind) => handler[kind] !== undefined);
  if (first === undefined) return [required(at, "must specify a handler type")];
  return [
    ...rules[first](),
    ...others.map((extra) => forbidden(`${at}.${extra}`, "may not specify more than 1 handler type")),
  ];
}
