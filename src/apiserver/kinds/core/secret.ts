import { base64Encode } from "../../../internal/base64.js";
import { utf8Encode } from "../../../internal/bytes.js";
import type { Secret } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required, tooLong } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { decodedLength, frozenErrors, keyErrors, mostData } from "./data-errors.js";

const accountAnnotation = "kubernetes.io/service-account.name";

/** Moves the values of the write-only `stringData` to `data`. */
function mergeStringData(secret: Secret): void {
  if (secret.stringData === undefined) return;
  for (const [key, value] of Object.entries(secret.stringData))
    (secret.data ??= {})[key] = base64Encode(utf8Encode(value));
  delete secret.stringData;
}

function jsonErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const text = data[key];
  if (text === undefined) return [required(`data[${key}]`)];
  try {
    const value: unknown = JSON.parse(atob(text));
    if (typeof value === "object" && !Array.isArray(value)) return [];
  } catch {
    // Reported like other values.
  }
  return [invalid(`data[${key}]`, "<secret contents redacted>", "must be a JSON object")];
}

/** Validates the data that a Secret of this type requires. */
function typeErrors({ type, metadata, data = {} }: Secret): FieldError[] {
  const needs = (...keys: string[]): FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`));
  switch (type) {
    case "kubernetes.io/service-account-token":
      return (metadata?.annotations?.[accountAnnotation] ?? "") === ""
        ? [required(`metadata.annotations[${accountAnnotation}]`)]
        : [];
    case "kubernetes.io/dockercfg":
      return jsonErrors(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return jsonErrors(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth":
      return Object.hasOwn(data, "username") || Object.hasOwn(data, "password") ? [] : needs("username", "password");
    case "kubernetes.io/ssh-auth":
      return (data["ssh-privatekey"] ?? "") === "" ? [required("data[ssh-privatekey]")] : [];
    case "kubernetes.io/tls":
      return needs("tls.crt", "tls.key");
    default:
      return [];
  }
}

function validate(secret: Secret): FieldError[] {
  const { data = {} } = secret;
  return [
    ...keyErrors("data", data),
    ...(decodedLength(data) > mostData ? [tooLong("data", mostData)] : []),
    ...typeErrors(secret),
  ];
}

export const secret: KindDefinition = defineBuiltin<Secret>({
  resource: "/secrets",
  metadata: { checksOnUpdate: 2 },
  defaults: {
    "io.k8s.api.core.v1.Secret": (object: Secret) => {
      object.type ||= "Opaque";
      mergeStringData(object);
    },
  },
  validate: {
    create: validate,
    update: (object, old) => [
      ...check.immutable("type", object.type, old.type),
      ...frozenErrors(object, old, ["data"]),
      ...validate(object),
    ],
  },
  warnings({ type, data }) {
    const certificate = type === "kubernetes.io/tls" ? data?.["tls.crt"] : undefined;
    return certificate === undefined || atob(certificate).includes("-----BEGIN ")
      ? []
      : ["data[tls.crt]: contains no PEM data"];
  },
  printer: {
    columns: "Type,Data,Age",
    cells: ({ type = "", data = {} }, age) => [type, Object.keys(data).length, age],
  },
  selectableFields: ({ type = "" }) => ({ type }),
});
