import { readFileSync } from "node:fs";
import { parseDuration } from "../../apiserver/cel/values/time.js";
import type { ApiServerOptions } from "../../apiserver/options.js";
import { parseYaml } from "../../internal/yaml/yaml.js";
import { readKubeconfig } from "../../node/kubeconfig/kubeconfig.js";
import { selectContext } from "../../node/kubeconfig/select-context.js";
import type { PemSource } from "../../node/kubeconfig/tls-material.js";
import { UsageError } from "../program/command.js";

/** Lines of the help for `webhookFlags`. */
export const webhookHelp = `  --authentication-token-webhook-config-file FILE, --authentication-token-webhook-cache-ttl DURATION,
  --authentication-token-webhook-version VERSION
                                 webhook that reviews tokens, by a kubeconfig; sends v1beta1 (default) or v1
  --authorization-webhook-config-file FILE, --authorization-webhook-version VERSION,
  --authorization-webhook-cache-authorized-ttl DURATION, --authorization-webhook-cache-unauthorized-ttl DURATION
                                 webhook of the mode Webhook, by a kubeconfig; sends v1beta1 (default) or v1`;

/** Flags of a kube-apiserver for its own webhooks. */
export const webhookFlags: readonly string[] = [
  "authentication-token-webhook-config-file",
  "authentication-token-webhook-cache-ttl",
  "authentication-token-webhook-version",
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
];

/** Address and credentials of a webhook. */
interface WebhookPlace {
  readonly url: string;
  readonly caBundle?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Returns the options that the flags of the webhooks stand for. Throws a `UsageError` or a `ConfigError`. */
export function webhookOptions(
  text: (flag: string) => string | undefined,
): Pick<ApiServerOptions, "tokenWebhook" | "authorizationWebhook"> {
  const [tokens, access] = ["authentication-token-webhook", "authorization-webhook"] as const;
  const version = (flag: string): "v1" | "v1beta1" => {
    const value = text(flag) ?? "v1beta1";
    if (value !== "v1" && value !== "v1beta1") throw new UsageError(`--${flag} ${value}: must be v1 or v1beta1`);
    return value;
  };
  const place = (flag: string): WebhookPlace | undefined => {
    const file = text(flag);
    return file === undefined ? undefined : readWebhookFile(`--${flag}`, file);
  };
  const reviewer = place(`${tokens}-config-file`);
  const authorizer = place(`${access}-config-file`);
  return {
    tokenWebhook: reviewer && {
      ...reviewer,
      version: version(`${tokens}-version`),
      cacheTtlMs: flagDuration(`${tokens}-cache-ttl`, text(`${tokens}-cache-ttl`)),
    },
    authorizationWebhook: authorizer && {
      ...authorizer,
      version: version(`${access}-version`),
      authorizedTtlMs: flagDuration(`${access}-cache-authorized-ttl`, text(`${access}-cache-authorized-ttl`)),
      unauthorizedTtlMs: flagDuration(`${access}-cache-unauthorized-ttl`, text(`${access}-cache-unauthorized-ttl`)),
    },
  };
}

/**
 * Reads the kubeconfig of a webhook: `cluster` is the webhook, `user` the credentials of this server. `option` opens the
 * errors. Throws a `UsageError` or a `ConfigError`.
 */
export function readWebhookFile(option: string, file: string): WebhookPlace {
  const unsupported = (what: string): never => {
    throw new UsageError(`${option} ${file}: ${what} isn't supported for a webhook`);
  };
  const connection = selectContext(readKubeconfig(parseYaml(readText(option, file)), file), {});
  const { user, ca } = connection;
  if (connection.insecureSkipTlsVerify) unsupported("insecure-skip-tls-verify");
  if (user.exec !== undefined) unsupported("exec");
  if (user.authProvider !== undefined) unsupported("auth-provider");
  const pem = (source: PemSource): Buffer =>
    source.data === undefined ? Buffer.from(readText(option, source.file!)) : Buffer.from(source.data);
  const { token = user.tokenFile === undefined ? undefined : readText(option, user.tokenFile).trim() } = user;
  const authorization =
    token === undefined
      ? user.username === undefined
        ? undefined
        : `Basic ${Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64")}`
      : `Bearer ${token}`;
  const cert = { where: option, data: user.certData, file: user.certFile };
  const key = { where: option, data: user.keyData, file: user.keyFile };
  const given = (source: PemSource): boolean => source.data !== undefined || source.file !== undefined;
  if (given(cert) !== given(key))
    throw new UsageError(`${option} ${file}: client-certificate and client-key: one needs the other`);
  return {
    url: connection.server.href,
    ...(ca === undefined ? {} : { caBundle: pem(ca).toString("base64") }),
    ...(authorization === undefined ? {} : { headers: { authorization } }),
    ...(given(cert) ? { clientCertificate: { cert: pem(cert).toString(), key: pem(key).toString() } } : {}),
  };
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${option} ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Parses a duration in Go's form, such as `1m30s`, to milliseconds. Throws a `UsageError` that names the flag. */
export function flagDuration(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return Number(parseDuration(text)) / 1_000_000;
  } catch (error) {
    throw new UsageError(`--${flag} ${text}: must be a duration, such as 1m30s`, { cause: error });
  }
}
