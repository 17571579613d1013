import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAbacPolicies } from "../../apiserver/authorization/abac.js";
import {
  type AuthorizationConfiguration,
  parseAuthorizationConfiguration,
} from "../../apiserver/authorization/configuration.js";
import type { AuthorizationMode } from "../../apiserver/authorization/options.js";
import { createNodeApiCaller } from "../../apiserver/node/api-caller.js";
import type { ApiServerOptions } from "../../apiserver/options.js";
import { clusterDefaults, isFeatureGate } from "../../apiserver/registry/features.js";
import { UsageError } from "../program/command.js";
import { withFlagFile } from "./flag-errors.js";
import { knownGates } from "./known-gates.js";
import { oidcConfiguration, oidcFlags, oidcHelp } from "./kube-oidc.js";
import { flagDuration, readWebhookFile, webhookFlags, webhookHelp, webhookOptions } from "./kube-webhooks.js";

/** Lines of the help for `kubeFlags`. */
export const kubeHelp: string = `  --secure-port N                same as --port
  --tls-cert-file FILE           certificate of the port in PEM; needs --tls-private-key-file
  --tls-private-key-file FILE    private key of the certificate
  --cert-dir FOLDER              folder with apiserver.crt and apiserver.key, if they exist
  --client-ca-file FILE          accept client certificates of these authorities: CN is the user, O the groups
  --requestheader-client-ca-file FILE, --requestheader-allowed-names LIST, --requestheader-username-headers LIST,
  --requestheader-uid-headers LIST, --requestheader-group-headers LIST, --requestheader-extra-headers-prefix LIST
                                 accept users from the headers of a proxy with such a certificate
  --proxy-client-cert-file FILE, --proxy-client-key-file FILE
                                 certificate by which aggregated API servers recognize this one
  --enable-bootstrap-token-auth  accept bootstrap tokens
  --authentication-config FILE   AuthenticationConfiguration, such as issuers of JSON Web Tokens
${oidcHelp}
  --authorization-config FILE    AuthorizationConfiguration, instead of --authorization-mode
  --authorization-policy-file FILE
                                 policies of the mode ABAC, one line of JSON each
${webhookHelp}
  --enable-priority-and-fairness=false, --max-requests-inflight N, --max-mutating-requests-inflight N,
  --request-timeout DURATION     limits of concurrent requests, and of a request
  --feature-gates LIST           feature gates to switch: NAME=true or NAME=false, such as WatchList=false; those of
                                 kube-apiserver that the server doesn't implement have no effect
  --runtime-config LIST          API versions to serve: GROUP/VERSION=false, api/beta=false, api/all=true (default)
  --cluster-defaults             serve the API versions and features of a kube-apiserver without --runtime-config and
                                 --feature-gates: none that are alpha, no beta API; these flags switch them on
  --watch-cache=false            serve lists and watches like a kube-apiserver without watch cache
  --allow-privileged, --service-cluster-ip-range CIDR, --service-account-issuer URL, --etcd-servers LIST, --v N and
  other flags of a kube-apiserver that test rigs pass are accepted without effect`;

const lists: readonly string[] = [
  "requestheader-allowed-names",
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
];

/** Flags of a kube-apiserver that have no counterpart here. */
const unused: readonly string[] = [
  "advertise-address",
  "api-audiences",
  "audit-log-format",
  "audit-log-maxage",
  "audit-log-maxbackup",
  "audit-log-maxsize",
  "audit-log-mode",
  "default-not-ready-toleration-seconds",
  "default-unreachable-toleration-seconds",
  "default-watch-cache-size",
  "encryption-provider-config",
  "endpoint-reconciler-type",
  "etcd-cafile",
  "etcd-certfile",
  "etcd-compaction-interval",
  "etcd-keyfile",
  "etcd-prefix",
  "etcd-servers",
  "event-ttl",
  "kubelet-certificate-authority",
  "kubelet-client-certificate",
  "kubelet-client-key",
  "kubelet-preferred-address-types",
  "logging-format",
  "max-connection-bytes-per-sec",
  "min-request-timeout",
  "service-account-issuer",
  "service-account-jwks-uri",
  "service-account-key-file",
  "service-account-max-token-expiration",
  "service-account-signing-key-file",
  "service-cluster-ip-range",
  "service-node-port-range",
  "shutdown-delay-duration",
  "shutdown-grace-period",
  "shutdown-send-retry-after",
  "storage-backend",
  "storage-media-type",
  "tls-cipher-suites",
  "tls-min-version",
  "vmodule",
  "watch-cache-sizes",
];

/** Flags without effect that may be given without a value. */
const unusedSwitches: readonly string[] = [
  "allow-privileged",
  "contention-profiling",
  "enable-aggregator-routing",
  "enable-garbage-collector",
  "enable-logs-handler",
  "logtostderr",
  "profiling",
  "service-account-extend-token-expiration",
  "service-account-lookup",
];

/** A flag in the form of `parseArgs`. */
interface Flag {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly short?: string;
}

const named = (names: readonly string[], flag: Flag): Record<string, Flag> =>
  Object.fromEntries(names.map((name) => [name, flag]));

/** Flags of a kube-apiserver, as test rigs such as envtest pass them. */
export const kubeFlags: Readonly<Record<string, Flag>> = {
  "secure-port": { type: "string" },
  "tls-cert-file": { type: "string" },
  "tls-private-key-file": { type: "string" },
  "cert-dir": { type: "string" },
  "client-ca-file": { type: "string" },
  "requestheader-client-ca-file": { type: "string" },
  "enable-bootstrap-token-auth": { type: "boolean" },
  "authentication-config": { type: "string" },
  "authorization-config": { type: "string" },
  "authorization-policy-file": { type: "string" },
  "enable-priority-and-fairness": { type: "string" },
  "max-requests-inflight": { type: "string" },
  "max-mutating-requests-inflight": { type: "string" },
  "request-timeout": { type: "string" },
  "proxy-client-cert-file": { type: "string" },
  "proxy-client-key-file": { type: "string" },
  "feature-gates": { type: "string", multiple: true },
  "runtime-config": { type: "string", multiple: true },
  "cluster-defaults": { type: "boolean" },
  "watch-cache": { type: "string" },
  v: { type: "string", short: "v" },
  "oidc-required-claim": { type: "string", multiple: true },
  ...named(webhookFlags, { type: "string" }),
  ...named(oidcFlags, { type: "string" }),
  ...named(lists, { type: "string", multiple: true }),
  ...named(unused, { type: "string", multiple: true }),
  ...named(unusedSwitches, { type: "boolean" }),
};

type KubeValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Returns the options for the server that kube-apiserver's flags stand for. Throws a `UsageError`. */
export function kubeOptions(given: object): ApiServerOptions {
  const values = given as KubeValues;
  const text = (flag: string): string | undefined => values[flag] as string | undefined;
  const file = (flag: string): string | undefined => readFlagFile(flag, text(flag));
  const names = (flag: string): string[] =>
    ((values[flag] ?? []) as readonly string[])
      .flatMap((list) => list.split(",").map((name) => name.trim()))
      .filter((name) => name !== "");
  const some = (flag: string): string[] | undefined => (names(flag).length === 0 ? undefined : names(flag));
  const proxyCa = file("requestheader-client-ca-file");
  const policies = file("authorization-policy-file");
  const configuration = file("authorization-config");
  const mode = text("authorization-mode");
  if (configuration !== undefined && mode !== undefined)
    throw new UsageError("--authorization-config: can't be combined with --authorization-mode");
  const authentication = file("authentication-config");
  const oidc = oidcConfiguration(text, file, (values["oidc-required-claim"] ?? []) as readonly string[]);
  if (authentication !== undefined && oidc !== undefined)
    throw new UsageError("--authentication-config: can't be combined with --oidc-issuer-url");
  const [proxyCert, proxyKey] = [file("proxy-client-cert-file"), file("proxy-client-key-file")];
  if ((proxyCert === undefined) !== (proxyKey === undefined))
    throw new UsageError("--proxy-client-cert-file and --proxy-client-key-file: one needs the other");
  const toggle = (flag: string): boolean | undefined => truth(`--${flag}`, text(flag));
  return {
    clientCa: file("client-ca-file"),
    requestHeader:
      proxyCa === undefined
        ? undefined
        : {
            clientCa: proxyCa,
            allowedNames: some("requestheader-allowed-names"),
            usernameHeaders: some("requestheader-username-headers"),
            uidHeaders: some("requestheader-uid-headers"),
            groupHeaders: some("requestheader-group-headers"),
            extraHeaderPrefixes: some("requestheader-extra-headers-prefix"),
          },
    bootstrapTokens: values["enable-bootstrap-token-auth"] === true,
    authenticationConfiguration: authentication ?? oidc,
    ...(configuration === undefined
      ? { authorizationMode: parseModes(mode ?? "AlwaysAllow") }
      : { authorizationConfiguration: withWebhookFiles(configuration) }),
    ...webhookOptions(text),
    abacPolicies:
      policies === undefined
        ? undefined
        : parseAbacPolicies(policies, `--authorization-policy-file ${text("authorization-policy-file")!}`),
    enableAdmissionPlugins: names("enable-admission-plugins"),
    disableAdmissionPlugins: names("disable-admission-plugins"),
    enablePriorityAndFairness: toggle("enable-priority-and-fairness"),
    maxRequestsInflight: count("max-requests-inflight", text("max-requests-inflight")),
    maxMutatingRequestsInflight: count("max-mutating-requests-inflight", text("max-mutating-requests-inflight")),
    ...featureOptions(values),
    watchCache: toggle("watch-cache"),
    callApi: createNodeApiCaller({ cert: proxyCert, key: proxyKey }),
    requestTimeoutMs: flagDuration("request-timeout", text("request-timeout")),
  };
}

/** Parses an AuthorizationConfiguration, and reads the kubeconfigs of its webhooks. */
function withWebhookFiles(text: string): AuthorizationConfiguration {
  return parseAuthorizationConfiguration(text, "--authorization-config", (file) =>
    readWebhookFile("--authorization-config", file),
  );
}

function truth(what: string, value: string | undefined): boolean | undefined {
  if (value !== undefined && value !== "true" && value !== "false")
    throw new UsageError(`${what}=${value}: must be true or false`);
  return value === undefined ? undefined : value === "true";
}

/** Parses a list of `NAME=true` and `NAME=false`; without a value, a name is on. */
function switches(flag: string, values: KubeValues): Record<string, boolean> {
  const lists = (values[flag] ?? []) as readonly string[];
  const words = lists.flatMap((list) => list.split(",").map((word) => word.trim()));
  return Object.fromEntries(
    words
      .filter((word) => word !== "")
      .map((word) => {
        const [name = "", value = "true"] = word.split(/=(.*)/s);
        return [name, truth(`--${flag} ${name}`, value)!];
      }),
  );
}

/** Returns the features that the flags switch, in addition to the defaults of a cluster if these are requested. */
function featureOptions(values: KubeValues): Pick<ApiServerOptions, "featureGates" | "runtimeConfig"> {
  const given = switches("feature-gates", values);
  const [featureGates, runtimeConfig] = [implementedGates(given), switches("runtime-config", values)];
  if (values["cluster-defaults"] !== true) return { featureGates, runtimeConfig };
  const { AllAlpha: alphaGates = false } = given;
  return {
    featureGates: alphaGates ? featureGates : { ...clusterDefaults.featureGates, ...featureGates },
    runtimeConfig:
      runtimeConfig["api/all"] === undefined ? { ...clusterDefaults.runtimeConfig, ...runtimeConfig } : runtimeConfig,
  };
}

/** Returns the feature gates without those of kube-apiserver that have no effect here. Throws for unknown ones. */
function implementedGates(given: Readonly<Record<string, boolean>>): NonNullable<ApiServerOptions["featureGates"]> {
  const unknown = Object.keys(given).find((name) => !knownGates.has(name) && name !== "AllAlpha" && name !== "AllBeta");
  if (unknown !== undefined) throw new UsageError(`--feature-gates: unknown feature gate ${JSON.stringify(unknown)}`);
  return Object.fromEntries(Object.entries(given).filter(([name]) => isFeatureGate(name)));
}

/** Returns the certificate that the flags name, or `undefined` to create one. Throws a `UsageError`. */
export function givenCertificate(given: object): { readonly cert: string; readonly key: string } | undefined {
  const values = given as Readonly<Record<string, string | undefined>>;
  const { "tls-cert-file": certFile, "tls-private-key-file": keyFile, "cert-dir": folder } = values;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new UsageError("--tls-cert-file and --tls-private-key-file: one needs the other");
  if (certFile !== undefined)
    return { cert: readFlagFile("tls-cert-file", certFile)!, key: readFlagFile("tls-private-key-file", keyFile)! };
  if (folder === undefined) return undefined;
  const [cert, key] = [join(folder, "apiserver.crt"), join(folder, "apiserver.key")];
  return existsSync(cert) && existsSync(key)
    ? { cert: readFlagFile("cert-dir", cert)!, key: readFlagFile("cert-dir", key)! }
    : undefined;
}

/** Returns the content of a flag's file. Throws a `UsageError` that names the flag. */
export function readFlagFile(flag: string, path: string | undefined): string | undefined {
  if (path === undefined || path === "") return undefined;
  return withFlagFile(flag, path, () => readFileSync(path, "utf8"));
}

const modes: readonly string[] = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Node", "RBAC", "Webhook"];

function parseModes(list: string): AuthorizationMode[] {
  return list.split(",").map((mode) => {
    if (!modes.includes(mode))
      throw new UsageError(
        `--authorization-mode ${list}: unknown mode ${JSON.stringify(mode)}; expected ${modes.join(", ")}`,
      );
    return mode as AuthorizationMode;
  });
}

function count(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${flag} ${text}: must be a whole number`);
  return Number(text);
}
