import type { ConfigMap, Event, Namespace, Node, PersistentVolume, PersistentVolumeClaim, ResourceQuota, Secret } from "../../../../kinds/core/v1.js";
import { compareQuantities } from "../../../../meta/quantity.js";
import type { FieldError } from "../../../schema/field-error.js";
import { duplicate, forbidden, immutable, invalid, notSupported, qualifiedName, required, sameValue, tooLong } from "./field-errors.js";
import { selectorErrors } from "./validate-selector.js";

const MOST_DATA = 1024 * 1024;
const FROZEN = "field is immutable when `immutable` is set";

/** Errors of a ConfigMap. */
export function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors = [...keyErrors("data", data), ...keyErrors("binaryData", binaryData)];
  for (const key of Object.keys(data)) if (Object.hasOwn(binaryData, key)) errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
  const size = Object.values(data).reduce((sum, value) => sum + byteLength(value), 0) + Object.values(binaryData).reduce((sum, value) => sum + decodedLength(value), 0);
  if (size > MOST_DATA) errors.push(tooLong("[]", MOST_DATA));
  return errors;
}

/** Errors of a changed ConfigMap. */
export function validateConfigMapUpdate(map: ConfigMap, old: ConfigMap): FieldError[] {
  return [...frozenErrors(map, old, ["data", "binaryData"]), ...validateConfigMap(map)];
}

/** Errors of a Secret. */
export function validateSecret(secret: Secret): FieldError[] {
  const data = secret.data ?? {};
  const errors = keyErrors("data", data);
  if (Object.values(data).reduce((sum, value) => sum + decodedLength(value), 0) > MOST_DATA) errors.push(tooLong("data", MOST_DATA));
  const needs = (...keys: string[]): void => {
    for (const key of keys) if (!Object.hasOwn(data, key)) errors.push(required(`data[${key}]`));
  };
  const account = "kubernetes.io/service-account.name";
  switch (secret.type) {
    case "kubernetes.io/service-account-token":
      if ((secret.metadata?.annotations?.[account] ?? "") === "") errors.push(required(`metadata.annotations[${account}]`));
      break;
    case "kubernetes.io/dockercfg":
      errors.push(...jsonErrors(data, ".dockercfg"));
      break;
    case "kubernetes.io/dockerconfigjson":
      errors.push(...jsonErrors(data, ".dockerconfigjson"));
      break;
    case "kubernetes.io/basic-auth":
      if (!Object.hasOwn(data, "username") && !Object.hasOwn(data, "password")) needs("username", "password");
      break;
    case "kubernetes.io/ssh-auth":
      if ((data["ssh-privatekey"] ?? "") === "") errors.push(required("data[ssh-privatekey]"));
      break;
    case "kubernetes.io/tls":
      needs("tls.crt", "tls.key");
      break;
    default:
  }
  return errors;
}

/** Errors of a changed Secret. */
export function validateSecretUpdate(secret: Secret, old: Secret): FieldError[] {
  return [...immutable("type", secret.type, old.type), ...frozenErrors(secret, old, ["data"]), ...validateSecret(secret)];
}

function frozenErrors<T extends { immutable?: boolean }>(object: T, old: T, keys: readonly (keyof T & string)[]): FieldError[] {
  if (old.immutable !== true) return [];
  return [...(object.immutable === true ? [] : [forbidden("immutable", FROZEN)]), ...keys.filter((key) => !sameValue(object[key], old[key])).map((key) => forbidden(key, FROZEN))];
}

function keyErrors(field: string, data: Readonly<Record<string, string>>): FieldError[] {
  return Object.keys(data).flatMap((key) => {
    const at = `${field}[${key}]`;
    const errors: FieldError[] = [];
    if (key.length > 253) errors.push(invalid(at, key, "must be no more than 253 characters"));
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) errors.push(invalid(at, key, "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"));
    if (key === "." || key === "..") errors.push(invalid(at, key, `must not be '${key}'`));
    else if (key.startsWith("..")) errors.push(invalid(at, key, "must not start with '..'"));
    return errors;
  });
}

function jsonErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const text = data[key];
  if (text === undefined) return [required(`data[${key}]`)];
  try {
    JSON.parse(atob(text));
    return [];
  } catch {
    const detail = text === "" ? "unexpected end of JSON input" : `invalid character '${atob(text).charAt(0)}' looking for beginning of value`;
    return [invalid(`data[${key}]`, "<secret contents redacted>", detail)];
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function decodedLength(text: string): number {
  return Math.floor((text.replace(/=+$/, "").length * 3) / 4);
}

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Errors of a PersistentVolumeClaim. */
export function validateClaim({ spec = {} }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  const modes: readonly string[] = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required("spec.accessModes", "at least 1 access mode is required"));
  if (spec.selector !== undefined) errors.push(...selectorErrors(spec.selector, "spec.selector"));
  const unknown = modes.find((mode) => !ACCESS_MODES.includes(mode));
  if (unknown !== undefined) errors.push(notSupported("spec.accessModes", unknown, ACCESS_MODES));
  if (modes.includes("ReadWriteOncePod") && modes.length > 1) errors.push(forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes"));
  const storage = spec.resources?.requests?.["storage"];
  if (storage === undefined) errors.push(required("spec.resources[storage]"));
  else if (compareQuantities(storage, "0") <= 0) errors.push(invalid("spec.resources[storage]", storage, "must be greater than zero"));
  return errors;
}

/** Errors of a changed PersistentVolumeClaim. */
export function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors = validateClaim(claim);
  const before = { ...old.spec };
  const after = { ...claim.spec };
  if ((before.volumeName ?? "") === "" && after.volumeName !== undefined) before.volumeName = after.volumeName;
  if (claim.status?.phase === "Bound") {
    delete before.volumeAttributesClassName;
    delete after.volumeAttributesClassName;
    after.resources = { ...after.resources, requests: { ...after.resources?.requests, storage: before.resources?.requests?.["storage"] ?? "0" } };
  }
  if (!sameValue(after, before)) errors.push(forbidden("spec", "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"));
  const [now, then] = [claim.spec?.resources?.requests?.["storage"] ?? "0", old.spec?.resources?.requests?.["storage"] ?? "0"];
  if (compareQuantities(now, then) < 0 && compareQuantities(now, old.status?.capacity?.["storage"] ?? "0") <= 0) errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  return [...errors, ...immutable("volumeMode", claim.spec?.volumeMode, old.spec?.volumeMode)];
}

const NO_SOURCE = new Set(["accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName", "volumeMode"]);

/** Errors of a PersistentVolume. */
export function validateVolume({ spec = {} }: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.accessModes ?? []).length === 0) errors.push(required("spec.accessModes"));
  if (Object.keys(spec.capacity ?? {}).length === 0) errors.push(required("spec.capacity"));
  const storage = spec.capacity?.["storage"];
  if (storage === undefined || Object.keys(spec.capacity ?? {}).length > 1) errors.push(notSupported("spec.capacity", spec.capacity ?? null, ["storage"]));
  if (storage !== undefined && compareQuantities(storage, "0") <= 0) errors.push(invalid("spec.capacity[storage]", storage, "must be greater than zero"));
  const sources = Object.keys(spec).filter((key) => !NO_SOURCE.has(key));
  if (sources.length === 0) errors.push(required("spec", "must specify a volume type"));
  for (const extra of sources.slice(1)) errors.push(forbidden(`spec.${extra}`, "may not specify more than 1 volume type"));
  return errors;
}

/** Errors of a changed PersistentVolume. */
export function validateVolumeUpdate(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const source = (spec: PersistentVolume["spec"]): Record<string, unknown> => Object.fromEntries(Object.entries(spec ?? {}).filter(([key]) => !NO_SOURCE.has(key)));
  const errors = validateVolume(volume);
  if (!sameValue(source(volume.spec), source(old.spec))) errors.push(forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n"));
  return [...errors, ...immutable("volumeMode", volume.spec?.volumeMode, old.spec?.volumeMode)];
}

/** Errors of a Node. */
export function validateNode({ spec = {} }: Node): FieldError[] {
  const taken = new Set<string>();
  return (spec.taints ?? []).flatMap((taint, index) => {
    const at = `metadata.taints[${String(index)}]`;
    const errors = qualifiedName(`${at}.key`, taint.key);
    const key = `${taint.key}:${taint.effect}`;
    if (taken.has(key)) errors.push(duplicate(at, taint));
    taken.add(key);
    return errors;
  });
}

/** Errors of a changed Node. */
export function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  const errors: FieldError[] = [];
  const before = old.spec?.podCIDRs ?? [];
  if (before.length > 0 && !sameValue(before, node.spec?.podCIDRs)) errors.push(forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  const provider = old.spec?.providerID ?? "";
  if (provider !== "" && provider !== node.spec?.providerID) errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  return [...errors, ...validateNode(node)];
}

/** Errors of a Namespace. */
export function validateNamespace({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((finalizer, index) => {
    const at = `spec.finalizers[${String(index)}]`;
    const errors = qualifiedName(at, finalizer);
    if (errors.length === 0 && !finalizer.includes("/") && finalizer !== "kubernetes") errors.push(invalid(at, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
    return errors;
  });
}

/** Errors of a ResourceQuota. */
export function validateQuota({ spec }: ResourceQuota): FieldError[] {
  return Object.entries(spec?.hard ?? {}).flatMap(([name, quantity]) => {
    const at = `spec.hard[${name}]`;
    return [...qualifiedName(at, name), ...(compareQuantities(quantity, "0") < 0 ? [invalid(at, quantity, "must be greater than or equal to 0")] : [])];
  });
}

/** Errors of an Event of the core group. */
export function validateEvent(event: Event): FieldError[] {
  const namespace = event.metadata?.namespace ?? "";
  const about = event.involvedObject.namespace ?? "";
  if (about === "" ? namespace !== "" && namespace !== "default" && namespace !== "kube-system" : about !== namespace) {
    return [invalid("involvedObject.namespace", about, "does not match event.namespace")];
  }
  return [];
}
