import type { AppArmorProfile, PodSecurityContext, SeccompProfile, SecurityContext } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../schema/field-error.js";
import { duplicate, invalid, notSupported, required } from "./field-errors.js";

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_TEXT = "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/** Errors of what all containers of a pod run as. */
export function validatePodSecurityContext(context: PodSecurityContext, at: string, old?: PodSecurityContext): FieldError[] {
  const errors = [...ids(context, ["fsGroup", "runAsUser", "runAsGroup"], at)];
  (context.supplementalGroups ?? []).forEach((group, index) => errors.push(...id(`${at}.supplementalGroups[${String(index)}]`, group)));
  const names = new Set<string>();
  (context.sysctls ?? []).forEach(({ name }, index) => {
    const path = `${at}.sysctls[${String(index)}].name`;
    if (name === "") errors.push(required(path));
    else if (name.length > 253 || !SYSCTL.test(name)) errors.push(invalid(path, name, SYSCTL_TEXT));
    else if (names.has(name)) errors.push(duplicate(path, name));
    names.add(name);
  });
  const policy = (name: "fsGroupChangePolicy" | "supplementalGroupsPolicy" | "seLinuxChangePolicy", known: readonly string[]): void => {
    const value = context[name];
    if (value !== undefined && !known.includes(value)) errors.push(notSupported(`${at}.${name}`, value, known));
  };
  policy("fsGroupChangePolicy", ["Always", "OnRootMismatch"]);
  errors.push(...seccompErrors(context.seccompProfile, `${at}.seccompProfile`), ...appArmorErrors(context.appArmorProfile, `${at}.appArmorProfile`));
  policy("supplementalGroupsPolicy", ["Merge", "Strict"]);
  // To mount with the right label is behind a feature that is off, but may stay.
  policy("seLinuxChangePolicy", old?.seLinuxChangePolicy === undefined ? ["Recursive"] : ["MountOption", "Recursive"]);
  return errors;
}

/** Errors of what a container runs as. */
export function validateSecurityContext(context: SecurityContext, at: string): FieldError[] {
  const errors = [...ids(context, ["runAsUser", "runAsGroup"], at)];
  const { procMount } = context;
  if (procMount !== undefined && procMount !== "Default" && procMount !== "Unmasked") errors.push(notSupported(`${at}.procMount`, procMount, ["Default", "Unmasked"]));
  errors.push(...seccompErrors(context.seccompProfile, `${at}.seccompProfile`));
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged === true) errors.push(invalid(at, shown(context), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN") === true) errors.push(invalid(at, shown(context), "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"));
  }
  return [...errors, ...appArmorErrors(context.appArmorProfile, `${at}.appArmorProfile`)];
}

/** As Go prints its own struct: with all fields, under their own names. */
function goFields(struct: object | undefined, keys: readonly string[]): Record<string, unknown> | null {
  if (struct === undefined) return null;
  const values = struct as Readonly<Record<string, unknown>>;
  const name = (key: string): string => (key.startsWith("seLinux") ? `SEL${key.slice(3)}` : key.startsWith("gmsa") ? `GMSA${key.slice(4)}` : key.charAt(0).toUpperCase() + key.slice(1));
  return Object.fromEntries(keys.map((key) => [name(key), values[key] ?? null]));
}

function shown(context: SecurityContext): unknown {
  const texts = ({ user = "", role = "", type = "", level = "" }: NonNullable<SecurityContext["seLinuxOptions"]>): object => ({ User: user, Role: role, Type: type, Level: level });
  const profile = (given: object | undefined): object | null => goFields(given, ["type", "localhostProfile"]);
  return goFields({
    ...context, capabilities: goFields(context.capabilities, ["add", "drop"]), ...(context.seLinuxOptions === undefined ? {} : { seLinuxOptions: texts(context.seLinuxOptions) }),
    windowsOptions: goFields(context.windowsOptions, ["gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName", "hostProcess"]), seccompProfile: profile(context.seccompProfile), appArmorProfile: profile(context.appArmorProfile),
  }, ["capabilities", "privileged", "seLinuxOptions", "windowsOptions", "runAsUser", "runAsGroup", "runAsNonRoot", "readOnlyRootFilesystem", "allowPrivilegeEscalation", "procMount", "seccompProfile", "appArmorProfile"]);
}

function ids<K extends string>(context: Readonly<Partial<Record<K, number>>>, names: readonly K[], at: string): FieldError[] {
  return names.flatMap((name) => (context[name] === undefined ? [] : id(`${at}.${name}`, context[name])));
}

function id(at: string, value: number): FieldError[] {
  return value < 0 || value > 2147483647 ? [invalid(at, value, "must be between 0 and 2147483647, inclusive")] : [];
}

function seccompErrors(profile: SeccompProfile | undefined, at: string): FieldError[] {
  if (profile === undefined) return [];
  const errors = localErrors(profile, at, "seccomp");
  if (profile.type === "Localhost" && profile.localhostProfile !== undefined && profile.localhostProfile !== "") {
    if (profile.localhostProfile.startsWith("/")) errors.push(invalid(`${at}.localhostProfile`, profile.localhostProfile, "must be a relative path"));
    if (profile.localhostProfile.split("/").includes("..")) errors.push(invalid(`${at}.localhostProfile`, profile.localhostProfile, "must not contain '..'"));
  }
  if ((profile.type as string) === "") errors.push(required(`${at}.type`, "type is required when seccompProfile is set"));
  else if (!["Localhost", "RuntimeDefault", "Unconfined"].includes(profile.type)) errors.push(notSupported(`${at}.type`, profile.type, ["Localhost", "RuntimeDefault", "Unconfined"]));
  return errors;
}

function localErrors(profile: SeccompProfile | AppArmorProfile, at: string, name: "seccomp" | "AppArmor"): FieldError[] {
  const { type, localhostProfile } = profile;
  if (type === "Localhost") return localhostProfile === undefined || (name === "AppArmor" && localhostProfile.trim() === "") ? [required(`${at}.localhostProfile`, `must be set when ${name} type is Localhost`)] : [];
  return localhostProfile === undefined ? [] : [invalid(`${at}.localhostProfile`, name === "AppArmor" ? localhostProfile : goFields(profile, ["type", "localhostProfile"]), `can only be set when ${name} type is Localhost`)];
}

function appArmorErrors(profile: AppArmorProfile | undefined, at: string): FieldError[] {
  if (profile === undefined) return [];
  const errors = localErrors(profile, at, "AppArmor");
  if ((profile.type as string) === "") errors.push(required(`${at}.type`, "type is required when appArmorProfile is set"));
  else if (!["Localhost", "RuntimeDefault", "Unconfined"].includes(profile.type)) errors.push(notSupported(`${at}.type`, profile.type, ["Localhost", "RuntimeDefault", "Unconfined"]));
  return errors;
}
