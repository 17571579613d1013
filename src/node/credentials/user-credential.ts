import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { requireToken } from "../../transport/require-token.js";
import type { Connection } from "../kubeconfig/connection.js";
import type { PemSource, TlsMaterial } from "../kubeconfig/tls-material.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { CredentialSource } from "./credential.js";
import { staticCredential } from "./credential.js";
import type { ExecCredentialOptions } from "./exec-credential.js";
import { createTokenFileSource } from "./token-file.js";

/** Inputs for a credential in addition to the connection. */
export interface CredentialContext {
  /** Clock for timeouts and expiry. */
  readonly clock: Clock;
  /** Environment variables. */
  readonly env: Environment;
  /** Settings for exec plugins and for persisting tokens. */
  readonly settings: ExecCredentialOptions & { readonly persistTokens?: boolean | undefined };
}

/**
 * Creates the credentials of a connection's user. The precedence is kubectl's: token file, token, user name and
 * password, client certificate, exec plugin, auth provider. Rejects with a `ConfigError` for contradictory settings and
 * for auth providers that no longer exist.
 */
export async function createUserCredential(
  connection: Connection,
  { clock, env, settings }: CredentialContext,
): Promise<CredentialSource> {
  const { user } = connection;
  const basic = user.username !== undefined || user.password !== undefined;
  const hasCertificate = user.certData !== undefined || user.certFile !== undefined;
  if (basic && (user.token !== undefined || user.tokenFile !== undefined))
    throw new ConfigError(`${user.where}: sets both a token and a username: use only one`);
  // Like kubectl: with both set, newer tokens come from the file, and the token is used as long as the file has none.
  if (user.tokenFile !== undefined) return createTokenFileSource(user.tokenFile, user.where, clock, user.token);
  if (user.token !== undefined)
    return staticCredential({ authorization: `Bearer ${requireToken(user.token, `${user.where}.token`)}` });
  if (basic)
    return staticCredential({
      authorization: basicAuthorization(user.username ?? "", user.password ?? "", user.where),
    });
  if (hasCertificate) return staticCredential({});
  if (user.exec) {
    const { createExecCredential } = await import("./exec-credential.js");
    return createExecCredential(user.exec, connection, { env, clock, settings });
  }
  if (user.authProvider) {
    const { createProviderCredential } = await import("./auth-provider.js");
    const persist = settings.persistTokens ?? false;
    return createProviderCredential(user.authProvider, user, { env, clock, persist });
  }
  return staticCredential({});
}

function basicAuthorization(username: string, password: string, where: string): string {
  if (username.includes(":")) throw new ConfigError(`${where}.username: must not contain a colon`);
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

/**
 * Returns the sources of the client certificate, its key and the authorities. Throws a `ConfigError` for a certificate
 * without a key.
 */
export function tlsSources(connection: Connection): Partial<Record<keyof TlsMaterial, PemSource>> {
  const { user, ca, clientCertificate } = connection;
  const cert = clientCertificate?.cert ?? pem(user.where, "client-certificate", user.certData, user.certFile);
  const key = clientCertificate?.key ?? pem(user.where, "client-key", user.keyData, user.keyFile);
  if (cert && !key) throw new ConfigError(`${user.where}.client-key: is required when client-certificate is set`);
  if (ca && connection.insecureSkipTlsVerify)
    throw new ConfigError(`${connection.where}: certificate-authority and insecure-skip-tls-verify cannot be combined`);
  return { ...(ca && { ca }), ...(cert && key && { cert, key }) };
}

function pem(
  where: string,
  field: string,
  data: Uint8Array | undefined,
  file: string | undefined,
): PemSource | undefined {
  if (data) return { where: `${where}.${field}-data`, data };
  return file === undefined ? undefined : { where: `${where}.${field}`, file };
}
