import { randomBytes } from "node:crypto";
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { parseArgs } from "node:util";
import type { AuditSink } from "../../apiserver/audit/event.js";
import { parseAuditPolicy } from "../../apiserver/audit/policy.js";
import { parseAuthenticationConfiguration } from "../../apiserver/authentication/jwt/configuration.js";
import { parseTokenFile } from "../../apiserver/filters/authentication.js";
import type { UserInfo } from "../../apiserver/http/user-info.js";
import { dumpDirectory, loadDirectory } from "../../apiserver/node/directory.js";
import { nodeIssuerFetch } from "../../apiserver/node/issuer-fetch.js";
import { listen } from "../../apiserver/node/listen.js";
import { nodeWebhookCaller } from "../../apiserver/node/webhooks.js";
import type { ApiServerOptions } from "../../apiserver/options.js";
import type { ApiServer } from "../../apiserver/server.js";
import { createServerCertificate, type ServerCertificate } from "../../certificates/authority.js";
import { UsageError } from "../program/command.js";
import { programEnd } from "../program/program-end.js";
import { printError } from "../terminal/format.js";
import type { Control } from "./control.js";
import { nameFlag, withFlagFile } from "./flag-errors.js";
import { givenCertificate, kubeOptions, readFlagFile } from "./kube-flags.js";

/** Names of the API server inside a cluster. */
const serviceNames = ["kubernetes", "kubernetes.default.svc"];

/** Host of the URLs that are printed and written to the kubeconfig. */
function clientHost(bindAddress: string, external: readonly string[]): string {
  const [host = bindAddress === "0.0.0.0" || bindAddress === "::" ? "127.0.0.1" : bindAddress] = external;
  return host.includes(":") ? `[${host}]` : host;
}

/** Lines of the help for `serveFlags`. */
export const serveHelp = `  --port N                       port to listen on (default: any free port)
  --bind-address ADDRESS         address to listen on (default: 127.0.0.1); 0.0.0.0 or :: for all interfaces, as
                                 containers need
  --external-hostname NAME       host name that clients use: the server accepts it, its certificate and the kubeconfig
                                 contain it; can be repeated, the kubeconfig has the first
  --kubeconfig FILE              write an administrator's kubeconfig to this file (default: a new temporary file)
  --load PATH                    load manifests (YAML or JSON) from a file or folder at start; can be repeated
  --dump FOLDER                  write all objects to this folder at exit, one file per object
  --token-auth-file CSV          authenticate the users in this file: token,name,uid,"group1,group2"
  --anonymous-auth               allow requests without a token (default: only /healthz, /livez and /readyz);
                                 --anonymous-auth=false refuses these, too
  --tls                          use https: in the printed URL, too; the kubeconfig does unless --anonymous-auth is set
  --end-with-parent              end when the process that started this one ends
  --authorization-mode LIST      authorizers in order: AlwaysAllow (default), AlwaysDeny, ABAC, Node, RBAC,
                                 Webhook
  --enable-admission-plugins LIST
                                 admission plugins to run in addition to those that are on by default, such as
                                 ServiceAccount,NodeRestriction; can be repeated
  --disable-admission-plugins LIST
                                 admission plugins not to run; can be repeated
  --audit-policy-file FILE       audit requests by this policy (a Policy of audit.k8s.io/v1); needs --audit-log-path
  --audit-log-path FILE          append audit events to this file, one line of JSON each; - is standard output
  --cors-allowed-origins LIST    allow pages of these origins: comma-separated regular expressions`;

/** Flags of the subcommands that serve the Kubernetes API. */
export const serveFlags = {
  port: { type: "string" },
  "bind-address": { type: "string", default: "127.0.0.1" },
  "external-hostname": { type: "string", multiple: true, default: [] as string[] },
  kubeconfig: { type: "string" },
  load: { type: "string", multiple: true, default: [] as string[] },
  dump: { type: "string" },
  "token-auth-file": { type: "string" },
  "audit-policy-file": { type: "string" },
  "audit-log-path": { type: "string" },
  "cors-allowed-origins": { type: "string" },
  "authorization-mode": { type: "string" },
  "enable-admission-plugins": { type: "string", multiple: true, default: [] as string[] },
  "disable-admission-plugins": { type: "string", multiple: true, default: [] as string[] },
  "anonymous-auth": { type: "boolean" },
  tls: { type: "boolean", default: false },
  "end-with-parent": { type: "boolean", default: false },
} as const;

/** Values of `serveFlags`. */
export type ServeValues = ReturnType<typeof parseArgs<{ options: typeof serveFlags }>>["values"];

/** A started server. */
export interface Started {
  readonly server: ApiServer;
  readonly control?: Control | undefined;
  /** Called once the port is open, after its address was printed. */
  readonly onServing?: ((address: { readonly url: string; readonly kubeconfig: string }) => void) | undefined;
  /** Stops the server and everything that runs with it. */
  close(): Promise<void>;
}

/**
 * Serves the API until a signal ends it. `start` creates the server with the options that the flags stand for. `parents`:
 * the result of `ancestors` at the start of the program.
 */
export async function serve(
  values: ServeValues,
  parents: string,
  start: (options: ApiServerOptions) => Started | Promise<Started>,
): Promise<number> {
  const port = portOf(values);
  const { "bind-address": host, "external-hostname": external } = values;
  if (host === "") throw new UsageError("--bind-address is empty: expected an address, such as 0.0.0.0");
  const names = [...new Set([...external, host, "localhost", "127.0.0.1", "::1", ...serviceNames])];
  // One port serves HTTP and HTTPS. Go clients send tokens only over TLS, so the kubeconfig uses HTTPS if it's needed.
  const certificate = certificateFor(values, names);
  const { tokens, admin } = readTokens(values["token-auth-file"]);
  const options = serverOptions(values, tokens, certificate.ca);
  const { server, control, onServing, close } = await Promise.resolve()
    .then(async () => {
      const started = await start(options);
      await started.server.ready().catch(async (error: unknown) => {
        await started.close();
        throw error;
      });
      return started;
    })
    .catch((error: unknown) => {
      throw nameFlag(error);
    });
  for (const path of values.load)
    await load(server, path).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  const listener = await listen(server, {
    port,
    host,
    tls: certificate,
    allowedHosts: names,
    ...(control === undefined ? {} : { intercept: control.handle }),
  }).catch(async (error: unknown) => {
    await close();
    throw listenError(error, port, host);
  });
  const temporary = values.kubeconfig === undefined ? mkdtempSync(join(tmpdir(), "kubestream-")) : undefined;
  try {
    const kubeconfig = values.kubeconfig ?? join(temporary!, "kubeconfig");
    const mode = values["authorization-mode"] ?? "AlwaysAllow";
    const secure = values.tls || mode !== "AlwaysAllow" || values["anonymous-auth"] !== true;
    const authority = `${clientHost(host, external)}:${listener.port}`;
    const text = kubeconfigText(
      `${secure ? "https" : "http"}://${authority}`,
      secure ? certificate.ca : undefined,
      admin,
    );
    withFlagFile("kubeconfig", kubeconfig, () => writeFileSync(kubeconfig, text, { mode: 0o600 }));
    const url = `${values.tls ? "https" : "http"}://${authority}`;
    // Handles signals before the line below says that the server is ready.
    const end = programEnd(parents, values["end-with-parent"]);
    console.log(
      JSON.stringify({ url, kubeconfig, ...(control === undefined ? {} : { control: `${url}${control.path}` }) }),
    );
    onServing?.({ url, kubeconfig });
    await end;
    if (values.dump !== undefined) await dumpDirectory(server, values.dump);
  } finally {
    await close();
    await listener.close();
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  }
  return 0;
}

function portOf({ port, "secure-port": securePort }: ServeValues & { readonly "secure-port"?: string }): number {
  const flag = port === undefined && securePort !== undefined ? "--secure-port" : "--port";
  const text = port ?? securePort ?? "0";
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`${flag} ${text}: must be an integer from 0 to 65535`);
  return Number(text);
}

/** Returns the certificate of the port: that of the flags, which clients trust directly, or a new one. */
function certificateFor(values: ServeValues, names: readonly string[]): ServerCertificate {
  const given = givenCertificate(values);
  return given === undefined ? createServerCertificate(names, Date.now()) : { ...given, ca: given.cert };
}

/** Returns the users by token, and the token of an administrator. */
function readTokens(file: string | undefined): { tokens: Map<string, UserInfo>; admin: string } {
  const tokens =
    file === undefined
      ? new Map<string, UserInfo>()
      : new Map(parseTokenFile(readFlagFile("token-auth-file", file) ?? "", `--token-auth-file ${file}`));
  let admin = [...tokens].find(([, user]) => user.groups.includes("system:masters"))?.[0];
  if (admin === undefined) {
    admin = randomBytes(24).toString("hex");
    tokens.set(admin, { name: "kubernetes-admin", uid: "kubernetes-admin", groups: ["system:masters"], extra: {} });
  }
  return { tokens, admin };
}

/** Returns the options for the server that the flags stand for. */
function serverOptions(values: ServeValues, tokens: Map<string, UserInfo>, rootCa: string): ApiServerOptions {
  const { "audit-policy-file": policyFile, "audit-log-path": auditLog, "cors-allowed-origins": origins } = values;
  if (policyFile === undefined && auditLog !== undefined)
    console.error("--audit-log-path has no effect without --audit-policy-file");
  const options = kubeOptions(values);
  return {
    ...options,
    tokens,
    rootCa,
    issuerFetch: nodeIssuerFetch,
    anonymousAuth: configuresAnonymous(options) ? undefined : (values["anonymous-auth"] ?? healthPaths),
    webhooks: nodeWebhookCaller,
    ...(policyFile === undefined || auditLog === undefined
      ? {}
      : {
          audit: {
            policy: parseAuditPolicy(
              readFlagFile("audit-policy-file", policyFile) ?? "",
              `--audit-policy-file ${policyFile}`,
            ),
            sink: auditLogWriter(auditLog),
          },
        }),
    ...(origins === undefined ? {} : { corsAllowedOrigins: origins.split(",") }),
    onError: printError,
  };
}

const healthPaths: readonly string[] = ["/healthz", "/livez", "/readyz"];

/** True if the file of `--authentication-config` decides about requests without credentials. */
function configuresAnonymous({ authenticationConfiguration: given }: ApiServerOptions): boolean {
  const name = "--authentication-config";
  const parsed = typeof given === "string" ? parseAuthenticationConfiguration(given, name) : given;
  return parsed?.anonymous !== undefined;
}

/** Returns the mistake on the command line that made opening the port fail, or else the error itself. */
function listenError(error: unknown, port: number, host: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith("ERR_OSSL") === true)
    return new UsageError(`--tls-cert-file and --tls-private-key-file: ${message}`);
  if (code === "EADDRINUSE") return new UsageError(`--port ${port}: the port is already in use`);
  if (code === "EACCES") return new UsageError(`--port ${port}: no permission to open the port`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new UsageError(`--bind-address ${host}: not an address of this machine`);
  return error;
}

/** Loads a file or a folder of manifests. */
async function load(server: ApiServer, path: string): Promise<void> {
  try {
    if (statSync(path).isDirectory()) await loadDirectory(server, path);
    else await server.load(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--load ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns an audit sink that appends one line of JSON per event. */
function auditLogWriter(path: string): AuditSink {
  if (path === "-") return (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);
  const file = withFlagFile("audit-log-path", path, () => openSync(path, "a", 0o600));
  return (event) => void writeSync(file, `${JSON.stringify(event)}\n`);
}

/** First line of the kubeconfigs that this program writes. */
const ownMark = "# Written by kubestream.";

/** Returns true for the text of a kubeconfig that this program wrote. */
export function isOwnKubeconfig(text: string): boolean {
  return text.startsWith(ownMark);
}

function kubeconfigText(url: string, ca: string | undefined, token: string): string {
  return `${ownMark}
apiVersion: v1
kind: Config
clusters:
- name: kubestream
  cluster:
    server: ${url}${ca === undefined ? "\n    insecure-skip-tls-verify: true" : `\n    certificate-authority-data: ${Buffer.from(ca).toString("base64")}`}
users:
- name: admin
  user:
    token: ${token}
contexts:
- name: kubestream
  context:
    cluster: kubestream
    user: admin
current-context: kubestream
`;
}
