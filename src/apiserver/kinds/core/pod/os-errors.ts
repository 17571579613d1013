import type { PodSpec, WindowsSecurityContextOptions } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid, notSupported, required, tooLong } from "../../shared/field-errors.js";
import { containersOf } from "./pod-containers.js";

const operatingSystems = ["linux", "windows"];
const podLinuxFields = [
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
const containerLinuxFields = [
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

/** Returns the errors of fields that the pod's operating system doesn't support. */
export function systemErrors(spec: PodSpec, at: string): FieldError[] {
  if (spec.os === undefined) return [];
  const name = (spec.os.name as string | undefined) ?? "";
  if (name === "") return [required(`${at}.os.name`)];
  if (!operatingSystems.includes(name)) return [notSupported(`${at}.os`, name, operatingSystems)];
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
    ...podLinuxFields
      .filter((key) => spec.securityContext?.[key] !== undefined)
      .map((key) => `${at}.securityContext.${key}`),
    ...((spec.securityContext?.sysctls ?? []).length > 0 ? [`${at}.securityContext.sysctls`] : []),
    ...(["hostUsers", "shareProcessNamespace"] as const)
      .filter((key) => spec[key] !== undefined)
      .map((key) => `${at}.${key}`),
    ...(["hostPID", "hostIPC"] as const).filter((key) => spec[key] === true).map((key) => `${at}.${key}`),
    ...containersOf(spec, at).flatMap(([{ securityContext }, path]) =>
      containerLinuxFields
        .filter((key) => securityContext?.[key] !== undefined)
        .map((key) => `${path}.securityContext.${key}`),
    ),
  ];
  return fields.map((field) => forbidden(field, "cannot be set for a windows pod"));
}

/** Validates HostProcess containers: either all containers are, in the host's network, or none. */
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
          "must be the same as in the pod's security context",
        ),
      );
    return own ?? ofPod ?? false;
  });
  if (hosted.length === 0) return errors;
  if (hosted.length < containers.length)
    errors.push(invalid(at, "", "must not mix HostProcess containers with others"));
  return spec.hostNetwork === true
    ? errors
    : [...errors, invalid(`${at}.hostNetwork`, false, "must be true for HostProcess containers")];
}

/** Returns the errors of host namespaces in a pod with its own user namespace. `devices`: block devices may stay. */
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

const longestHostname = 64;

export function hostnameErrors(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  at: string,
): FieldError[] {
  if (name === undefined) return [];
  const field = `${at}.hostnameOverride`;
  return [
    ...(setHostnameAsFQDN === true ? [forbidden(field, "may not be specified when setHostnameAsFQDN is true")] : []),
    ...(hostNetwork === true ? [forbidden(field, "may not be specified when hostNetwork is true")] : []),
    ...(name.length > longestHostname ? [tooLong(field, longestHostname)] : []),
    ...check.dnsSubdomain(field, name),
  ];
}

const longestSpec = 64 * 1024;
const longestDomain = 256;
const longestUser = 104;
const netbiosPattern = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const domainPattern =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export function windowsOptionsErrors(options: WindowsSecurityContextOptions | undefined, at: string): FieldError[] {
  const { gmsaCredentialSpecName, gmsaCredentialSpec: spec, runAsUserName: name } = options ?? {};
  const errors =
    gmsaCredentialSpecName === undefined
      ? []
      : check.dnsSubdomain(`${at}.gmsaCredentialSpecName`, gmsaCredentialSpecName);
  if (spec === "" || (spec !== undefined && spec.length > longestSpec))
    errors.push(invalid(`${at}.gmsaCredentialSpec`, spec, "must not be empty or larger than 64 KiB"));
  return name === undefined
    ? errors
    : [...errors, ...userNameProblems(name).map((problem) => invalid(`${at}.runAsUserName`, name, problem))];
}

/** Returns the problems with a user name such as `user` or `domain\\user`. */
function userNameProblems(name: string): string[] {
  const detail = "must be a user name, with or without a domain";
  const parts = name.split("\\");
  if (name === "" || /[\u0000-\u001f\u007f]/.test(name) || parts.length > 2) return [detail];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  return [
    domain !== undefined && domain.length >= longestDomain,
    domain !== undefined && !netbiosPattern.test(domain) && !domainPattern.test(domain),
    user === "" || user.length > longestUser,
    /^[. ]+$/.test(user),
    /["/\\:;|=,+*?<>@[\]]/.test(user),
  ].flatMap((isWrong) => (isWrong ? [detail] : []));
}
