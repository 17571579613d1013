import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificateAuthority } from "../../../../src/certificates/authority.js";
import { run } from "../../../../src/cli/commands/apiserver.js";

let folder: string;
const { ca } = createCertificateAuthority(Date.now());
const jwt = (more: object): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: "https://issuer.example", audiences: ["a"] },
        claimMappings: { username: { claim: "sub", prefix: "" } },
        ...more,
      },
    ],
  });
const authorizers = (...list: object[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers: list });
const webhook = (connectionInfo: object, more: object = {}): object => ({
  type: "Webhook",
  name: "w",
  webhook: {
    authorizedTTL: "1s",
    unauthorizedTTL: "1s",
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo,
    ...more,
  },
});
const kubeconfig = (user: object, cluster: object = { server: "https://127.0.0.1:1" }): string =>
  JSON.stringify({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });

/** Content of the files that the flags name as `@NAME`. */
const files: Readonly<Record<string, string>> = {
  "ca.crt": ca,
  garbage: "not a certificate",
  "tokens.csv": "a,b",
  "audit.yaml": "kind: Other",
  "policy.yaml": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: None }]",
  "not-yaml": "a: [",
  "pod.yaml": "apiVersion: v1\nkind: Pod",
  "jwt-http.yaml": jwt({ issuer: { url: "http://issuer.example", audiences: ["a"] } }),
  "jwt-cel.yaml": jwt({ claimMappings: { username: { expression: "claims.sub +" } } }),
  "jwt-rule.yaml": jwt({ userValidationRules: [{ expression: "user.username" }] }),
  "authz-empty.yaml": authorizers(),
  "authz-twice.yaml": authorizers({ type: "RBAC", name: "a" }, { type: "RBAC", name: "b" }),
  "authz-cel.yaml": authorizers(
    webhook({ type: "Url", url: "https://a" }, { matchConditions: [{ expression: "request.x" }] }),
  ),
  "authz-file.yaml": authorizers(webhook({ type: "KubeConfigFile", kubeConfigFile: "/absent" })),
  "authz-cluster.yaml": authorizers(webhook({ type: "InClusterConfig" })),
  "policies.jsonl": '{"user":"a"}\nnot JSON',
  "exec.yaml": kubeconfig({
    exec: { apiVersion: "client.authentication.k8s.io/v1", command: "c", interactiveMode: "Never" },
  }),
  "insecure.yaml": kubeconfig({}, { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true }),
  "half.yaml": kubeconfig({ "client-certificate-data": Buffer.from(ca).toString("base64") }),
  "hook.yaml": kubeconfig({ token: "t" }),
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bad-flags-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("kubestream apiserver", () => {
  it.each<[flags: string, message: string | RegExp]>([
    ["--client-ca-file=/absent", "--client-ca-file /absent: ENOENT"],
    ["--client-ca-file=@garbage", "--client-ca-file: expected a certificate in PEM"],
    ["--requestheader-client-ca-file=@garbage", "--requestheader-client-ca-file: expected a certificate in PEM"],
    ["--token-auth-file=/absent", "--token-auth-file /absent: ENOENT"],
    ["--token-auth-file=@tokens.csv", /--token-auth-file .*, line 1: expected at least 3 columns/],
    ["--audit-policy-file=/absent --audit-log-path=-", "--audit-policy-file /absent: ENOENT"],
    ["--audit-policy-file=@audit.yaml --audit-log-path=-", /--audit-policy-file .*audit.yaml: /],
    ["--audit-policy-file=@policy.yaml --audit-log-path=/absent/log", "--audit-log-path /absent/log: ENOENT"],
    ["--kubeconfig=/absent/config", "--kubeconfig /absent/config: ENOENT"],
    ["--tls-cert-file=@ca.crt", "--tls-cert-file and --tls-private-key-file: one needs the other"],
    ["--tls-cert-file=@garbage --tls-private-key-file=@garbage", "--tls-cert-file and --tls-private-key-file: "],
    ["--proxy-client-cert-file=@ca.crt", "--proxy-client-cert-file and --proxy-client-key-file: one needs the other"],
    ["--authentication-config=/absent", "--authentication-config /absent: ENOENT"],
    ["--authentication-config=@not-yaml", "--authentication-config: not valid YAML"],
    ["--authentication-config=@pod.yaml", "--authentication-config: expected an AuthenticationConfiguration"],
    ["--authentication-config=@jwt-http.yaml", "--authentication-config: jwt[0].issuer.url: the scheme must be https"],
    ["--authentication-config=@jwt-cel.yaml", "--authentication-config: jwt[0].claimMappings.username.expression: "],
    ["--authentication-config=@jwt-rule.yaml", "--authentication-config: jwt[0].userValidationRules[0].expression"],
    ["--oidc-issuer-url=https://a", "--oidc-issuer-url and --oidc-client-id: one needs the other"],
    ["--oidc-groups-claim=g", "--oidc-groups-claim: needs --oidc-issuer-url and --oidc-client-id"],
    [
      "--oidc-issuer-url=https://a --oidc-client-id=b --oidc-required-claim=c",
      "--oidc-required-claim c: must be NAME=VALUE",
    ],
    [
      "--oidc-issuer-url=https://a --oidc-client-id=b --authentication-config=@jwt-cel.yaml",
      "--authentication-config: can't be combined with --oidc-issuer-url",
    ],
    ["--authorization-mode=RBAC,Rbac", '--authorization-mode RBAC,Rbac: unknown mode "Rbac"'],
    ["--authorization-mode=RBAC,RBAC", "--authorization-mode: duplicate mode RBAC"],
    ["--authorization-mode=ABAC", "--authorization-policy-file is required for the mode ABAC"],
    [
      "--authorization-mode=ABAC --authorization-policy-file=@policies.jsonl",
      /--authorization-policy-file .*, line 2: /,
    ],
    ["--authorization-mode=Webhook", "--authorization-webhook-config-file is required for the mode Webhook"],
    ["--authorization-webhook-config-file=/absent", "--authorization-webhook-config-file /absent: ENOENT"],
    [
      "--authorization-webhook-config-file=@hook.yaml --authorization-webhook-version=v2",
      "--authorization-webhook-version v2: must be v1 or v1beta1",
    ],
    [
      "--authentication-token-webhook-config-file=@exec.yaml",
      /--authentication-token-webhook-config-file .*: exec isn't supported/,
    ],
    ["--authentication-token-webhook-config-file=@insecure.yaml", /: insecure-skip-tls-verify isn't supported/],
    [
      "--authentication-token-webhook-config-file=@half.yaml",
      /: client-certificate and client-key: one needs the other/,
    ],
    ["--authentication-token-webhook-config-file=@pod.yaml", /pod.yaml: kind: must be Config/],
    [
      "--authentication-token-webhook-config-file=@hook.yaml --authentication-token-webhook-cache-ttl=5",
      "--authentication-token-webhook-cache-ttl 5: must be a duration",
    ],
    [
      "--authorization-config=@authz-empty.yaml",
      "--authorization-config: authorizers: at least one authorizer is required",
    ],
    [
      "--authorization-config=@authz-twice.yaml",
      "--authorization-config: authorizers[1].type: duplicate authorizer RBAC",
    ],
    [
      "--authorization-config=@authz-cel.yaml",
      "--authorization-config: authorizers[0].webhook.matchConditions[0].expression: ",
    ],
    ["--authorization-config=@authz-file.yaml", "--authorization-config /absent: ENOENT"],
    ["--authorization-config=@authz-cluster.yaml", "--authorization-config: authorizers[0].webhook.connectionInfo: "],
    [
      "--authorization-config=@authz-twice.yaml --authorization-mode=RBAC",
      "--authorization-config: can't be combined with --authorization-mode",
    ],
    ["--enable-admission-plugins=Unknown", '--enable-admission-plugins[0]: unknown admission plugin "Unknown"'],
    ["--disable-admission-plugins=Unknown", '--disable-admission-plugins[0]: unknown admission plugin "Unknown"'],
    [
      "--enable-admission-plugins=EventRateLimit",
      "--enable-admission-plugins[0]: this server doesn't implement the plugin EventRateLimit",
    ],
    [
      "--enable-admission-plugins=Priority --disable-admission-plugins=Priority",
      "--enable-admission-plugins[0]: Priority is also in --disable-admission-plugins",
    ],
    ["--feature-gates=Unknown=true", '--feature-gates: unknown feature gate "Unknown"'],
    ["--feature-gates=WatchList=maybe", "--feature-gates WatchList=maybe: must be true or false"],
    ["--runtime-config=example.com/v1=true", '--runtime-config["example.com/v1"]: unknown API version'],
    ["--runtime-config=v1=false", '--runtime-config["v1"]: the server can\'t run without v1'],
    [
      "--max-requests-inflight=0 --max-mutating-requests-inflight=0",
      "--max-requests-inflight and --max-mutating-requests-inflight can't both be 0",
    ],
    ["--max-requests-inflight=-1", "--max-requests-inflight -1: must be a whole number"],
    ["--request-timeout=0s", "--request-timeout must be greater than 0"],
    ["--secure-port=99999", "--secure-port 99999: must be an integer from 0 to 65535"],
    ["--cors-allowed-origins=(", "--cors-allowed-origins"],
    ["--bind-address=", "--bind-address is empty"],
    ["--controllers=unknown", "--controllers: unknown controller unknown"],
    ["--load=/absent", "--load /absent: ENOENT"],
    ["--client-ca-fil=x", "unknown option --client-ca-fil; did you mean --client-ca-file?"],
  ])("refuses %s at start and names the flag", async (flags, message) => {
    const words = flags.split(" ").map((word) => word.replace("@", `${folder}/`));
    const failed = await run([`--kubeconfig=${folder}/kubeconfig`, ...words]).then(
      () => new Error("started"),
      (error: unknown) => error as Error,
    );
    if (message instanceof RegExp) expect(failed.message).toMatch(message);
    else expect(failed.message.slice(0, message.length)).toBe(message);
  });
});
