import type { PodSpec, WindowsSecurityContextOptions } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import {
  dnsSubdomain,
  forbidden,
  invalid,
  invalidNamed,
  notSupported,
  required,
  tooLong,
} from "../../shared/field-errors.js";
import { containersOf } from "./pod-containers.js";

const SYSTEMS = ["linux", "windows"];
const OF_POD = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const OF_CONTAINER = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

/** Errors of what does not go with the system that a pod is for. */
export function systemErrors(spec: PodSpec, at: string): FieldError[] {
  if (spec.os === undefined) return [];
  const name = (spec.os.name as string | undefined) ?? "";
  if (name === "") return [required(`${at}.os.name`)];
  if (!SYSTEMS.includes(name)) return [notSupported(`${at}.os`, name, SYSTEMS)];
  return name === "linux" ? linuxErrors(spec, at) : windowsErrors(spec, at);
}

function linuxErrors(spec: PodSpec, at: string): FieldError[] {
  const contexts = [
    [spec.securityContext, at] as const,
    ...containersOf(spec, at).map(([{ securityContext }, path]) => [securityContext, path] as const),
  ];
  return contexts.flatMap(([context, path]) =>
    context?.windowsOptions === undefined
      ? []
      : [forbidden(`${path}.securityContext.windowsOptions`, "windows options cannot be set for a linux pod")],
  );
}

function windowsErrors(spec: PodSpec, at: string): FieldError[] {
  const fields = [
    ...OF_POD.filter((key) => spec.securityContext?.[key] !== undefined).map((key) => `${at}.securityContext.${key}`),
    ...((spec.securityContext?.sysctls ?? []).length > 0 ? [`${at}.securityContext.sysctls`] : []),
    ...(["hostUsers", "shareProcessNamespace"] as const)
      .filter((key) => spec[key] !== undefined)
      .map((key) => `${at}.${key}`),
    ...(["hostPID", "hostIPC"] as const).filter((key) => spec[key] === true).map((key) => `${at}.${key}`),
    ...containersOf(spec, at).flatMap(([{ securityContext }, path]) =>
      OF_CONTAINER.filter((key) => securityContext?.[key] !== undefined).map((key) => `${path}.securityContext.${key}`),
    ),
  ];
  return fields.map((field) => forbidden(field, "cannot be set for a windows pod"));
}

/** Errors of pods whose containers are to be processes of a Windows host: then all of them are, in its network. */
export function hostProcessErrors(spec: PodSpec, at: string): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const errors: FieldError[] = [];
  const containers = containersOf(spec, at);
  const hosted = containers.filter(([{ securityContext }, path]) => {
    const own = securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod)
      errors.push(
        invalid(
          `${path}.securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`,
        ),
      );
    return own ?? ofPod ?? false;
  });
  if (hosted.length === 0) return errors;
  if (hosted.length < containers.length)
    errors.push(
      invalid(at, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers"),
    );
  return spec.hostNetwork === true
    ? errors
    : [
        ...errors,
        invalid(`${at}.hostNetwork`, false, "hostNetwork must be true if pod contains any hostProcess containers"),
      ];
}

/** Errors of pods with users of their own, which do not go with what they share of the host. `devices`: whether block devices may stay. */
export function hostUsersErrors(spec: PodSpec, at: string, devices: boolean): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const fields = [
    ...(spec.hostNetwork === true ? [`${at}.hostNetwork`] : []),
    ...(spec.hostPID === true ? [`${at}.HostPID`] : []),
    ...(spec.hostIPC === true ? [`${at}.HostIPC`] : []),
    ...(devices
      ? []
      : containersOf(spec, at)
          .filter(([{ volumeDevices = [] }]) => volumeDevices.length > 0)
          .map(([, path]) => `${path}.volumeDevices`)),
  ];
  return fields.map((field) => forbidden(field, "when `hostUsers` is false"));
}

const LONGEST_HOSTNAME = 64;

/** Errors of the name that a pod has for itself alone. */
export function hostnameErrors(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  at: string,
): FieldError[] {
  if (name === undefined) return [];
  const field = `${at}.hostnameOverride`;
  return [
    ...(setHostnameAsFQDN === true ? [forbidden(field, "may not be specified when setHostnameAsFQDN is true")] : []),
    ...(hostNetwork === true ? [forbidden(field, "may not be specified when hostNetwork is true")] : []),
    ...(name.length > LONGEST_HOSTNAME ? [tooLong(field, LONGEST_HOSTNAME)] : []),
    ...dnsSubdomain(field, name),
  ];
}

const LONGEST_SPEC = 64 * 1024;
const LONGEST_DOMAIN = 256;
const LONGEST_USER = 104;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Errors of what a container runs as on Windows. */
export function windowsOptionsErrors(options: WindowsSecurityContextOptions | undefined, at: string): FieldError[] {
  const { gmsaCredentialSpecName, gmsaCredentialSpec: spec, runAsUserName: name } = options ?? {};
  const errors =
    gmsaCredentialSpecName === undefined ? [] : dnsSubdomain(`${at}.gmsaCredentialSpecName`, gmsaCredentialSpecName);
  if (spec === "")
    errors.push(invalid(`${at}.gmsaCredentialSpec`, spec, "gmsaCredentialSpec cannot be an empty string"));
  else if (spec !== undefined && spec.length > LONGEST_SPEC)
    errors.push(invalid(`${at}.gmsaCredentialSpec`, spec, "gmsaCredentialSpec size must be under 64 KiB"));
  return name === undefined
    ? errors
    : [...errors, ...userNameProblems(name).map((problem) => invalidNamed(`${at}.runAsUserName`, name, problem))];
}

function userNameProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/[\u0000-\u001f\u007f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1)!;
  const problems: string[] = [];
  if (parts.length === 2) {
    const domain = parts[0]!;
    if (domain.length >= LONGEST_DOMAIN)
      problems.push(`runAsUserName's Domain length must be under ${String(LONGEST_DOMAIN)} characters`);
    if (!NETBIOS.test(domain) && !DOMAIN.test(domain))
      problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (user.length > LONGEST_USER)
    problems.push(`runAsUserName's User length must not be longer than ${String(LONGEST_USER)} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  return problems;
}
