import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { words } from "../../../internal/words.js";
import * as check from "../../shared/checks.js";
import { invalid } from "../../shared/field-errors.js";
import { noBacksteps } from "../../shared/volume-paths.js";
import { objectFieldErrors, resourceFieldErrors } from "../volume/volume-errors.js";

const envFields = words(
  "metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName status.hostIP",
  "status.hostIPs status.podIP status.podIPs",
);
const envNamePattern = /^[ -<>-~]+$/;
const wrongEnvName = "a valid environment variable name must consist only of printable ASCII characters other than '='";
function envName(field: string, name: string): FieldError[] {
  return envNamePattern.test(name) ? [] : [invalid(field, name, wrongEnvName)];
}

const envSources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

/** Validates an environment variable. */
export function validateEnv(env: core.EnvVar, at: string): FieldError[] {
  const errors = check.requiredText(`${at}.name`, env.name, envName);
  const { valueFrom } = env;
  if (valueFrom === undefined) return errors;
  const path = `${at}.valueFrom`;
  const sources = envSources.filter((source) => valueFrom[source] !== undefined);
  for (const source of ["configMapKeyRef", "secretKeyRef"] as const) {
    const reference = valueFrom[source];
    if (reference === undefined) continue;
    pushAll(
      errors,
      check.dnsSubdomain(`${path}.${source}.name`, reference.name ?? ""),
      check.requiredText(`${path}.${source}.key`, reference.key, check.configKey),
    );
  }
  if (valueFrom.fileKeyRef !== undefined) pushAll(errors, fileKeyErrors(valueFrom.fileKeyRef, `${path}.fileKeyRef`));
  if (valueFrom.fieldRef !== undefined)
    pushAll(errors, objectFieldErrors(valueFrom.fieldRef, `${path}.fieldRef`, envFields));
  if (valueFrom.resourceFieldRef !== undefined)
    pushAll(errors, resourceFieldErrors(valueFrom.resourceFieldRef, `${path}.resourceFieldRef`));
  if (sources.length === 0) errors.push(invalid(path, "", `must specify one of: ${envSources.join(", ")}`));
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

/** Validates the sources of environment variables. */
export function envFromErrors(sources: readonly core.EnvFromSource[], at: string): FieldError[] {
  return check.eachItem(sources, at, (source, path) => {
    const { prefix, configMapRef, secretRef } = source;
    const errors = check.optionalText(`${path}.prefix`, prefix, envName);
    for (const kind of ["configMapRef", "secretRef"] as const)
      if (source[kind] !== undefined)
        pushAll(errors, check.requiredText(`${path}.${kind}.name`, source[kind].name, check.dnsSubdomain));
    // kube-apiserver reports these errors on the whole list.
    if (configMapRef === undefined && secretRef === undefined)
      errors.push(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (configMapRef !== undefined && secretRef !== undefined)
      errors.push(invalid(at, "", "may not have more than one field specified at a time"));
    return errors;
  });
}
