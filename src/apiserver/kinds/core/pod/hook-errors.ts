import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid, required } from "../../shared/field-errors.js";

/** Validates lifecycle hooks and probes. `grace` is the termination grace period in seconds. */
export function validateHooks(container: core.Container, at: string, grace: number | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["postStart", "preStop"] as const) {
    const handler = container.lifecycle?.[name];
    if (handler !== undefined) pushAll(errors, validateHandler(handler, `${at}.lifecycle.${name}`, grace));
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[name];
    if (probe !== undefined) pushAll(errors, validateProbe(probe, name, `${at}.${name}`));
  }
  return errors;
}

function validateProbe(probe: core.Probe, name: string, at: string): FieldError[] {
  const errors = validateHandler(probe, at);
  const numbers = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
  pushAll(errors, check.nonNegativeFields(probe as Readonly<Record<string, number>>, at, numbers));
  const { terminationGracePeriodSeconds: grace } = probe;
  pushAll(errors, check.atLeast(`${at}.terminationGracePeriodSeconds`, grace, 1));
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
