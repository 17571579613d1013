import { dirname, isAbsolute, resolve, sep } from "node:path";
import { ConfigError } from "../../errors/errors.js";
import { defined } from "../../internal/defined.js";
import type { ConfigReader } from "./config-reader.js";
import { createConfigReader } from "./config-reader.js";

/** Contents of `clusters[].cluster`. Paths are absolute. */
export interface KubeconfigCluster {
  /** File and field of the entry. */
  readonly where: string;
  /** URL of the server. */
  readonly server?: string;
  /** Host name that the server's certificate must match. */
  readonly tlsServerName?: string;
  /** True to accept any server certificate. */
  readonly insecureSkipTlsVerify: boolean;
  /** File with certificate authorities. */
  readonly caFile?: string;
  /** Certificate authorities. Takes precedence over `caFile`. */
  readonly caData?: Uint8Array;
  /** URL of a proxy. */
  readonly proxyUrl?: string;
  /** True to request uncompressed responses. */
  readonly disableCompression: boolean;
  /** Configuration for exec plugins, from the extension `client.authentication.k8s.io/exec`. */
  readonly execExtension?: unknown;
}

/** Exec plugin, from `users[].user.exec`. */
export interface KubeconfigExec {
  /** File and field of the entry. */
  readonly where: string;
  /** Program. Searched for on the `PATH` if it contains no slash. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Environment variables to add to those of this process. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Version of the ExecCredential protocol. */
  readonly apiVersion: string;
  /** Hint for a user who hasn't installed the plugin. */
  readonly installHint?: string;
  /** True to pass the cluster's settings to the plugin. */
  readonly provideClusterInfo: boolean;
  /** Controls the plugin's access to standard input. */
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}

/** Contents of `users[].user`. Paths are absolute. */
export interface KubeconfigUser {
  /** File and field of the entry. */
  readonly where: string;
  /** File of the entry. */
  readonly file: string;
  /** File of the client certificate. */
  readonly certFile?: string;
  /** Client certificate. Takes precedence over `certFile`. */
  readonly certData?: Uint8Array;
  /** File of the certificate's key. */
  readonly keyFile?: string;
  /** Key of the certificate. Takes precedence over `keyFile`. */
  readonly keyData?: Uint8Array;
  /** Bearer token. */
  readonly token?: string;
  /** File of the bearer token. */
  readonly tokenFile?: string;
  /** User name for basic authentication. */
  readonly username?: string;
  /** Password for basic authentication. */
  readonly password?: string;
  /** User to impersonate. */
  readonly impersonate?: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
  /** Exec plugin. */
  readonly exec?: KubeconfigExec;
  /** Built-in auth provider, such as `oidc`. */
  readonly authProvider?: {
    readonly where: string;
    readonly name: string;
    readonly config: Readonly<Record<string, string>>;
  };
}

/** Contents of `contexts[].context`. */
export interface KubeconfigContext {
  /** File and field of the entry. */
  readonly where: string;
  /** Name of the cluster entry. */
  readonly cluster?: string;
  /** Name of the user entry. */
  readonly user?: string;
  /** Default namespace. */
  readonly namespace?: string;
}

/** One kubeconfig file, or several merged. */
export interface KubeconfigContent {
  /** Files it was read from, in order. */
  readonly files: readonly string[];
  /** Name of the current context. */
  readonly currentContext?: string;
  /** Clusters by name. */
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  /** Users by name. */
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  /** Contexts by name. */
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

/** Extension of a cluster that configures exec plugins. */
const execExtensionName = "client.authentication.k8s.io/exec";

/**
 * Reads the parsed content of one kubeconfig file. Relative paths are resolved against its folder. Throws a
 * `ConfigError` that names the file and the field.
 */
export function readKubeconfig(value: unknown, file: string, folder: string = dirname(file)): KubeconfigContent {
  const root = createConfigReader(value ?? {}, file);
  const kind = root.text("kind");
  if (kind !== undefined && kind !== "Config") root.fail("kind", `must be Config`);
  const apiVersion = root.text("apiVersion");
  if (apiVersion !== undefined && apiVersion !== "v1") root.fail("apiVersion", "must be v1");
  const currentContext = root.text("current-context");
  return {
    files: [file],
    ...(currentContext !== undefined && { currentContext }),
    clusters: readNamed(root, "clusters", "cluster", (entry) => readCluster(entry, folder)),
    users: readNamed(root, "users", "user", (entry) => readUser(entry, folder, file)),
    contexts: readNamed(root, "contexts", "context", readContext),
  };
}

/**
 * Merges files in order, like kubectl: the first definition of a cluster, user, context or current context wins, in
 * full.
 */
export function mergeKubeconfigs(contents: readonly KubeconfigContent[]): KubeconfigContent {
  const first = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> => {
    const merged = new Map<string, T>();
    for (const map of maps) for (const [name, value] of map) if (!merged.has(name)) merged.set(name, value);
    return merged;
  };
  const currentContext = contents.find((content) => content.currentContext !== undefined)?.currentContext;
  return {
    files: contents.flatMap((content) => content.files),
    ...(currentContext !== undefined && { currentContext }),
    clusters: first(contents.map((content) => content.clusters)),
    users: first(contents.map((content) => content.users)),
    contexts: first(contents.map((content) => content.contexts)),
  };
}

function readNamed<T>(
  root: ConfigReader,
  list: string,
  field: string,
  read: (entry: ConfigReader) => T,
): Map<string, T> {
  const result = new Map<string, T>();
  for (const entry of root.mappings(list)) {
    const name = entry.text("name") ?? "";
    if (result.has(name)) entry.fail("name", `${quote(name)} is used twice`);
    result.set(name, read(entry.mapping(field) ?? createConfigReader({}, `${entry.where}.${field}`, ".")));
  }
  return result;
}

function readCluster(entry: ConfigReader, folder: string): KubeconfigCluster {
  const extension = [...entry.mappings("extensions")].find((candidate) => candidate.text("name") === execExtensionName);
  return defined({
    where: entry.where,
    server: entry.text("server"),
    tlsServerName: entry.text("tls-server-name"),
    insecureSkipTlsVerify: entry.flag("insecure-skip-tls-verify"),
    caFile: absolute(entry.text("certificate-authority"), folder),
    caData: entry.base64("certificate-authority-data"),
    proxyUrl: entry.text("proxy-url"),
    disableCompression: entry.flag("disable-compression"),
    execExtension: extension?.raw("extension"),
  });
}

function readContext(entry: ConfigReader): KubeconfigContext {
  return defined({
    where: entry.where,
    cluster: entry.text("cluster"),
    user: entry.text("user"),
    namespace: entry.text("namespace"),
  });
}

function readUser(entry: ConfigReader, folder: string, file: string): KubeconfigUser {
  const exec = entry.mapping("exec");
  const provider = entry.mapping("auth-provider");
  if (exec && provider) entry.fail("auth-provider", "cannot be combined with exec");
  return defined({
    where: entry.where,
    file,
    certFile: absolute(entry.text("client-certificate"), folder),
    certData: entry.base64("client-certificate-data"),
    keyFile: absolute(entry.text("client-key"), folder),
    keyData: entry.base64("client-key-data"),
    token: entry.text("token"),
    tokenFile: absolute(entry.text("tokenFile"), folder),
    username: entry.text("username"),
    password: entry.text("password"),
    impersonate: readImpersonation(entry),
    exec: exec && readExec(exec, folder),
    authProvider: provider && readProvider(provider),
  });
}

function readImpersonation(entry: ConfigReader): KubeconfigUser["impersonate"] {
  const extra = entry.mapping("as-user-extra");
  const values = new Map<string, readonly string[]>((extra?.fields() ?? []).map((key) => [key, extra!.texts(key)]));
  const found = defined({
    user: entry.text("as"),
    uid: entry.text("as-uid"),
    groups: entry.texts("as-groups"),
    extra: Object.fromEntries(values),
  });
  return found.user === undefined && found.uid === undefined && found.groups.length === 0 && values.size === 0
    ? undefined
    : found;
}

function readExec(entry: ConfigReader, folder: string): KubeconfigExec {
  const command = entry.requiredText("command");
  const apiVersion = entry.requiredText("apiVersion");
  if (apiVersion !== "client.authentication.k8s.io/v1" && apiVersion !== "client.authentication.k8s.io/v1beta1") {
    entry.fail("apiVersion", "must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
  }
  const interactiveMode = readInteractiveMode(entry, apiVersion);
  return defined({
    where: entry.where,
    command: command.includes("/") || command.includes(sep) ? resolve(folder, command) : command,
    args: entry.texts("args"),
    env: Array.from(entry.mappings("env"), (variable) => ({
      name: variable.requiredText("name"),
      value: variable.text("value") ?? "",
    })),
    apiVersion,
    installHint: entry.text("installHint"),
    provideClusterInfo: entry.flag("provideClusterInfo"),
    interactiveMode,
  });
}

function readInteractiveMode(entry: ConfigReader, apiVersion: string): KubeconfigExec["interactiveMode"] {
  const mode =
    entry.text("interactiveMode") ??
    (apiVersion.endsWith("/v1beta1") ? "IfAvailable" : entry.fail("interactiveMode", "is required"));
  if (mode === "Never" || mode === "IfAvailable" || mode === "Always") return mode;
  return entry.fail("interactiveMode", "must be Never, IfAvailable or Always");
}

function readProvider(entry: ConfigReader): NonNullable<KubeconfigUser["authProvider"]> {
  const config = entry.mapping("config");
  return {
    where: entry.where,
    name: entry.requiredText("name"),
    config: Object.fromEntries((config?.fields() ?? []).map((field) => [field, config!.text(field) ?? ""])),
  };
}

function absolute(path: string | undefined, folder: string): string | undefined {
  return path === undefined || isAbsolute(path) ? path : resolve(folder, path);
}

/** Throws a `ConfigError` for an unknown name and lists the known ones. */
export function failUnknown(kind: string, name: string, known: Iterable<string>, where: string): never {
  const names = [...known];
  const listed = names.slice(0, 10).map(quote).join(", ");
  throw new ConfigError(
    `${where}: no ${kind} is named ${quote(name)}; ${names.length === 0 ? "none are defined" : `available: ${listed}${names.length > 10 ? ` and ${names.length - 10} more` : ""}`}`,
  );
}

/** Quotes a name for a message and truncates it after 200 characters. */
export function quote(name: string): string {
  return name.length > 200 ? `${JSON.stringify(name.slice(0, 200))}…` : JSON.stringify(name);
}
