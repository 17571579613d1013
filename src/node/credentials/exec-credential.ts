import { X509Certificate } from "node:crypto";
import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { requireToken } from "../../transport/require-token.js";
import { createConfigReader } from "../kubeconfig/config-reader.js";
import type { Connection } from "../kubeconfig/connection.js";
import type { KubeconfigExec } from "../kubeconfig/kubeconfig.js";
import { readPem, requireMatch } from "../kubeconfig/tls-material.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { FetchedCredential } from "./cached-credential.js";
import { createCachedCredential } from "./cached-credential.js";
import type { CredentialSource } from "./credential.js";
import { runExecProcess } from "./exec-process.js";

/**
 * Options for exec credential plugins.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({
 *   kubeconfig: "untrusted.yaml",
 *   allowedPlugins: ["aws"], // any other plugin throws a ConfigError before it runs
 *   execTimeoutMs: 10_000,
 * });
 * await client.close();
 * ```
 */
export interface ExecCredentialOptions {
  /**
   * Plugins that may run, for kubeconfigs you don't trust: commands as written in the kubeconfig, with relative paths
   * made absolute. `[]` allows none. Another plugin throws a `ConfigError` before anything starts. Default: all are
   * allowed.
   */
  readonly allowedPlugins?: readonly string[] | undefined;
  /**
   * Timeout for one run of a plugin, in milliseconds. Default 60,000, or 600,000 for a plugin that may prompt at the
   * terminal.
   */
  readonly execTimeoutMs?: number | undefined;
  /**
   * Destination of the plugin's standard error, which may contain secrets. Default: `inherit` if `process.stderr` is a
   * terminal, else `ignore`.
   */
  readonly execStderr?: "inherit" | "ignore" | undefined;
  /** True if plugins may read standard input. Default: true if `process.stdin` is a terminal. */
  readonly stdinAvailable?: boolean | undefined;
}

/** Gets credentials from a plugin, like kubectl: cached until they expire, one run at a time. */
export function createExecCredential(
  exec: KubeconfigExec,
  connection: Connection,
  {
    env,
    clock,
    settings,
  }: { readonly env: Environment; readonly clock: Clock; readonly settings: ExecCredentialOptions },
): CredentialSource {
  return createCachedCredential(async (signal) => {
    requireAllowed(exec, settings);
    const interactive = isInteractive(exec, settings);
    const output = await runExecProcess({
      where: exec.where,
      command: exec.command,
      args: exec.args,
      env: {
        ...env,
        ...Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(await execInfo(exec, connection, interactive)),
      },
      interactive,
      showStderr:
        interactive || (settings.execStderr === undefined ? process.stderr.isTTY : settings.execStderr === "inherit"),
      timeoutMs: settings.execTimeoutMs ?? (interactive ? 600_000 : 60_000),
      signal,
      clock,
      installHint: exec.installHint,
    });
    return readExecCredential(await parseOutput(output, exec), exec);
  }, clock);
}

function requireAllowed({ where, command }: KubeconfigExec, { allowedPlugins }: ExecCredentialOptions): void {
  if (allowedPlugins === undefined || allowedPlugins.includes(command)) return;
  throw new ConfigError(`${where}.command: plugin ${JSON.stringify(command)} is not in options.allowedPlugins`);
}

function isInteractive(exec: KubeconfigExec, settings: ExecCredentialOptions): boolean {
  const available = settings.stdinAvailable ?? process.stdin.isTTY;
  if (exec.interactiveMode === "Always" && !available)
    throw new ConfigError(`${exec.where}.interactiveMode: is Always, but standard input is not a terminal`);
  return exec.interactiveMode !== "Never" && available;
}

async function execInfo(exec: KubeconfigExec, connection: Connection, interactive: boolean): Promise<object> {
  const spec = exec.provideClusterInfo ? { cluster: await clusterInfo(connection), interactive } : { interactive };
  return { apiVersion: exec.apiVersion, kind: "ExecCredential", spec };
}

async function clusterInfo({
  server,
  tlsServerName,
  insecureSkipTlsVerify,
  ca,
  proxyUrl,
  disableCompression,
  execExtension,
}: Connection): Promise<object> {
  const authorities = ca && (await readPem(ca));
  return {
    server: server.href.replace(/\/$/, ""),
    ...(tlsServerName !== undefined && { "tls-server-name": tlsServerName }),
    ...(insecureSkipTlsVerify && { "insecure-skip-tls-verify": true }),
    ...(authorities && { "certificate-authority-data": Buffer.from(authorities).toString("base64") }),
    ...(proxyUrl !== undefined && { "proxy-url": proxyUrl }),
    ...(disableCompression && { "disable-compression": true }),
    ...(execExtension !== undefined && { config: execExtension }),
  };
}

async function parseOutput(output: string, exec: KubeconfigExec): Promise<unknown> {
  try {
    return JSON.parse(output);
  } catch {
    // Not JSON: try YAML, which is allowed too.
  }
  const { parseYaml } = await import("../../internal/yaml/yaml.js");
  try {
    return parseYaml(output);
  } catch {
    // The parser's message could quote the output, which may hold a token.
    throw new ConfigError(`${exec.where}: plugin ${JSON.stringify(exec.command)} printed neither JSON nor YAML`);
  }
}

function readExecCredential(value: unknown, exec: KubeconfigExec): FetchedCredential {
  const root = createConfigReader(value, `${exec.where}: output of plugin ${JSON.stringify(exec.command)}`);
  if (root.text("kind") !== "ExecCredential") root.fail("kind", "must be ExecCredential");
  if (root.text("apiVersion") !== exec.apiVersion) root.fail("apiVersion", `must be ${exec.apiVersion}`);
  const status = root.mapping("status") ?? root.fail("status", "is required");
  const token = status.text("token");
  const cert = status.text("clientCertificateData");
  const key = status.text("clientKeyData");
  if (token === undefined && cert === undefined && key === undefined)
    root.fail("status", "must contain a token, or a certificate and a key");
  if ((cert === undefined) !== (key === undefined))
    status.fail(
      cert === undefined ? "clientCertificateData" : "clientKeyData",
      `is required when ${cert === undefined ? "clientKeyData" : "clientCertificateData"} is set`,
    );
  const expiry = status.text("expirationTimestamp");
  const expiresAtMs = expiry === undefined ? undefined : Date.parse(expiry);
  if (Number.isNaN(expiresAtMs)) status.fail("expirationTimestamp", "is not an RFC 3339 time");
  return {
    credential: {
      authorization: token === undefined ? undefined : `Bearer ${requireToken(token, `${status.where}.token`)}`,
      certificate: cert === undefined || key === undefined ? undefined : requirePair(cert, key, status.where),
    },
    expiresAtMs,
  };
}

function requirePair(cert: string, key: string, where: string): { cert: string; key: string } {
  try {
    new X509Certificate(cert);
  } catch {
    // OpenSSL's reason adds nothing to this.
    throw new ConfigError(`${where}.clientCertificateData: contains no PEM certificate`);
  }
  requireMatch(cert, key, { where: `${where}.clientKeyData`, data: new Uint8Array() });
  return { cert, key };
}
