import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { duplicate, invalid, required, tooLong } from "../../shared/field-errors.js";
import { noBacksteps } from "../../shared/volume-paths.js";
import { windowsOptionsErrors } from "./os-errors.js";

const longestProfile = 4095;
const sysctlPattern = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const seccompTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

export function validatePodSecurityContext(
  context: core.PodSecurityContext,
  at: string,
  { hostNetwork, hostIPC, hostPID, shareProcessNamespace }: core.PodSpec,
  old?: core.PodSecurityContext,
): FieldError[] {
  const errors = [...ids(context, ["fsGroup", "runAsUser", "runAsGroup"], at)];
  pushAll(
    errors,
    check.eachItem(context.supplementalGroups, `${at}.supplementalGroups`, (group, path) => id(path, group)),
  );
  if (shareProcessNamespace === true && hostPID === true)
    errors.push(
      invalid(`${at}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  // `MountOption` belongs to a disabled feature, but may stay.
  const labelings = old?.seLinuxChangePolicy === undefined ? ["Recursive"] : ["MountOption", "Recursive"];
  const names = new Set<string>();
  (context.sysctls ?? []).forEach(({ name }, index) => {
    const path = `${at}.sysctls[${String(index)}].name`;
    if (name === "") errors.push(required(path));
    else if (name.length > 253 || !sysctlPattern.test(name))
      errors.push(invalid(path, name, "must be the name of a kernel parameter of at most 253 characters"));
    else if (names.has(name)) errors.push(duplicate(path, name));
    const space = sysctlNamespace(name);
    if (hostNetwork === true && space === "net")
      errors.push(invalid(path, name, "may not be specified when 'hostNetwork' is true"));
    else if (hostIPC === true && space === "ipc")
      errors.push(invalid(path, name, "may not be specified when 'hostIPC' is true"));
    names.add(name);
  });
  pushAll(
    errors,
    check.optionalOneOf(`${at}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ["Always", "OnRootMismatch"]),
    seccompErrors(context.seccompProfile, `${at}.seccompProfile`),
    windowsOptionsErrors(context.windowsOptions, `${at}.windowsOptions`),
    appArmorErrors(context.appArmorProfile, `${at}.appArmorProfile`),
    check.optionalOneOf(`${at}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ["Merge", "Strict"]),
    check.optionalOneOf(`${at}.seLinuxChangePolicy`, context.seLinuxChangePolicy, labelings),
  );
  return errors;
}

/** Returns the namespace of a sysctl, if pods can have their own. */
function sysctlNamespace(name: string): "net" | "ipc" | undefined {
  const firstDot = name.search(/[./]/);
  const dotted =
    name.charAt(firstDot) === "/" ? name.replace(/[./]/g, (separator) => (separator === "/" ? "." : "/")) : name;
  if (dotted.startsWith("net.")) return "net";
  return dotted.startsWith("fs.mqueue.") ||
    /^kernel\.(sem|shm(all|max|mni|_rmid_forced)?|msg(max|mnb|mni)?)$/.test(dotted)
    ? "ipc"
    : undefined;
}

/** Validates a container's security context. `hostUsers`: its pod uses the host's user namespace. */
export function validateSecurityContext(context: core.SecurityContext, at: string, hostUsers: boolean): FieldError[] {
  const errors = [...ids(context, ["runAsUser", "runAsGroup"], at)];
  const { procMount } = context;
  pushAll(errors, check.optionalOneOf(`${at}.procMount`, procMount, ["Default", "Unmasked"]));
  if (hostUsers && procMount === "Unmasked")
    errors.push(invalid(`${at}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`"));
  pushAll(errors, seccompErrors(context.seccompProfile, `${at}.seccompProfile`));
  if (context.allowPrivilegeEscalation === false) {
    const detail = "cannot set `allowPrivilegeEscalation` to false for a privileged container";
    if (context.privileged === true) errors.push(invalid(at, context, detail));
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN") === true) errors.push(invalid(at, context, detail));
  }
  return [
    ...errors,
    ...windowsOptionsErrors(context.windowsOptions, `${at}.windowsOptions`),
    ...appArmorErrors(context.appArmorProfile, `${at}.appArmorProfile`),
  ];
}

function ids<K extends string>(
  context: { readonly [key in K]?: number | undefined },
  names: readonly K[],
  at: string,
): FieldError[] {
  return names.flatMap((name) => (context[name] === undefined ? [] : id(`${at}.${name}`, context[name])));
}

function id(at: string, value: number): FieldError[] {
  return check.between(at, value, 0, 2147483647);
}

function seccompErrors(profile: core.SeccompProfile | undefined, at: string): FieldError[] {
  if (profile === undefined) return [];
  const errors = localErrors(profile, at, "seccomp");
  if (profile.type === "Localhost" && profile.localhostProfile !== undefined && profile.localhostProfile !== "") {
    if (profile.localhostProfile.startsWith("/"))
      errors.push(invalid(`${at}.localhostProfile`, profile.localhostProfile, "must be a relative path"));
    pushAll(errors, noBacksteps(`${at}.localhostProfile`, profile.localhostProfile));
  }
  return [...errors, ...check.requiredOneOf(`${at}.type`, profile.type, seccompTypes)];
}

function localErrors(
  profile: core.SeccompProfile | core.AppArmorProfile,
  at: string,
  name: "seccomp" | "AppArmor",
): FieldError[] {
  const { type, localhostProfile } = profile;
  if (type === "Localhost")
    return localhostProfile === undefined || (name === "AppArmor" && localhostProfile === "")
      ? [required(`${at}.localhostProfile`, `must be set when ${name} type is Localhost`)]
      : [];
  return localhostProfile === undefined
    ? []
    : [invalid(`${at}.localhostProfile`, localhostProfile, `can only be set when ${name} type is Localhost`)];
}

function appArmorErrors(profile: core.AppArmorProfile | undefined, at: string): FieldError[] {
  if (profile === undefined) return [];
  const errors = localErrors(profile, at, "AppArmor");
  const { localhostProfile: name = "" } = profile;
  if (profile.type === "Localhost" && name.trim() !== name)
    errors.push(invalid(`${at}.localhostProfile`, name, "must not be padded with whitespace"));
  if (profile.type === "Localhost" && name.length > longestProfile)
    errors.push(tooLong(`${at}.localhostProfile`, longestProfile));
  return [...errors, ...check.requiredOneOf(`${at}.type`, profile.type, seccompTypes)];
}
