import type { ConfigMap, Secret } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { forbidden, immutableNamed, invalid, required, sameValue, tooLong } from "../shared/field-errors.js";

const MOST_DATA = 1024 * 1024;
const FROZEN = "field is immutable when `immutable` is set";

/** Errors of a ConfigMap. */
export function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors = [...keyErrors("data", data), ...keyErrors("binaryData", binaryData)];
  for (const key of Object.keys(data))
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
  const size =
    Object.values(data).reduce((sum, value) => sum + byteLength(value), 0) +
    Object.values(binaryData).reduce((sum, value) => sum + decodedLength(value), 0);
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
  if (Object.values(data).reduce((sum, value) => sum + decodedLength(value), 0) > MOST_DATA)
    errors.push(tooLong("data", MOST_DATA));
  const needs = (...keys: string[]): void => {
    for (const key of keys) if (!Object.hasOwn(data, key)) errors.push(required(`data[${key}]`));
  };
  const account = "kubernetes.io/service-account.name";
  switch (secret.type) {
    case "kubernetes.io/service-account-token":
      if ((secret.metadata?.annotations?.[account] ?? "") === "")
        errors.push(required(`metadata.annotations[${account}]`));
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
  return [
    ...immutableNamed("type", secret.type, old.type),
    ...frozenErrors(secret, old, ["data"]),
    ...validateSecret(secret),
  ];
}

function frozenErrors<T extends { immutable?: boolean }>(
  object: T,
  old: T,
  keys: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  return [
    ...(object.immutable === true ? [] : [forbidden("immutable", FROZEN)]),
    ...keys.filter((key) => !sameValue(object[key], old[key])).map((key) => forbidden(key, FROZEN)),
  ];
}

function keyErrors(field: string, data: Readonly<Record<string, string>>): FieldError[] {
  return Object.keys(data).flatMap((key) => configKey(`${field}[${key}]`, key));
}

/** Errors of a key of a ConfigMap or Secret. */
export function configKey(at: string, key: string): FieldError[] {
  return nameErrors(key, "configKey").map((detail) => invalid(at, key, detail));
}

function jsonErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const text = data[key];
  if (text === undefined) return [required(`data[${key}]`)];
  try {
    JSON.parse(atob(text));
    return [];
  } catch {
    const detail =
      text === ""
        ? "unexpected end of JSON input"
        : `invalid character '${atob(text).charAt(0)}' looking for beginning of value`;
    return [invalid(`data[${key}]`, "<secret contents redacted>", detail)];
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function decodedLength(text: string): number {
  return Math.floor((text.replace(/=+$/, "").length * 3) / 4);
}
