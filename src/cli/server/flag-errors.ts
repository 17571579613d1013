import { ConfigError } from "../../errors/errors.js";
import { UsageError } from "../program/command.js";

/** Flags by the option of the server that they set. */
const flags: Readonly<Record<string, string>> = {
  abacPolicies: "--authorization-policy-file",
  authenticationConfiguration: "--authentication-config",
  authorizationConfiguration: "--authorization-config",
  authorizationMode: "--authorization-mode",
  authorizationWebhook: "--authorization-webhook-config-file",
  clientCa: "--client-ca-file",
  corsAllowedOrigins: "--cors-allowed-origins",
  disableAdmissionPlugins: "--disable-admission-plugins",
  enableAdmissionPlugins: "--enable-admission-plugins",
  featureGates: "--feature-gates",
  maxMutatingRequestsInflight: "--max-mutating-requests-inflight",
  maxRequestsInflight: "--max-requests-inflight",
  "requestHeader.clientCa": "--requestheader-client-ca-file",
  requestTimeoutMs: "--request-timeout",
  runtimeConfig: "--runtime-config",
  tokenWebhook: "--authentication-token-webhook-config-file",
};

/** Returns the error of a server's options as one that names the flags, or the error itself. */
export function nameFlag(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const [word = ""] = /^[\w.]+/.exec(error.message) ?? [];
  const option = Object.keys(flags).find((name) => word === name || word.startsWith(`${name}.`));
  if (option === undefined) return error;
  const text = `${flags[option]!}${error.message.slice(option.length)}`;
  const other = text.replace(/\b[a-z]+[A-Z]\w+\b/g, (name) => (Object.hasOwn(flags, name) ? flags[name]! : name));
  return new UsageError(other, { cause: error });
}

/** Runs `work` with the file of a flag. Throws a failure as a `UsageError` that names both. */
export function withFlagFile<T>(flag: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`--${flag} ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
