import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseOptions } from "../../../../src/cli/program/parse-options.js";
import { givenCertificate, kubeFlags, kubeOptions } from "../../../../src/cli/server/kube-flags.js";

const shared = {
  "authorization-mode": { type: "string" },
  "anonymous-auth": { type: "boolean" },
  "enable-admission-plugins": { type: "string", multiple: true },
  "disable-admission-plugins": { type: "string", multiple: true },
} as const;

const parse = (...args: string[]): Record<string, unknown> =>
  parseOptions({ args, options: { ...kubeFlags, ...shared } as typeof shared }).values;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kube-flags-"));
  for (const name of ["ca.crt", "apiserver.crt", "apiserver.key"]) writeFileSync(join(folder, name), `the ${name}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("flags of kube-apiserver", () => {
  it("those that envtest passes give a server with client certificates and RBAC", () => {
    const values = parse(
      "--allow-privileged=true",
      "--authorization-mode=RBAC",
      `--cert-dir=${folder}`,
      `--client-ca-file=${folder}/ca.crt`,
      "--disable-admission-plugins=ServiceAccount",
      "--etcd-servers=http://127.0.0.1:2379",
      "--secure-port=6443",
      "--service-account-issuer=https://127.0.0.1:6443/",
      "--service-account-key-file=sa.crt",
      "--service-account-signing-key-file=sa.key",
      "--service-cluster-ip-range=10.0.0.0/24",
    );
    expect(kubeOptions(values)).toMatchObject({
      authorizationMode: ["RBAC"],
      clientCa: "the ca.crt",
      disableAdmissionPlugins: ["ServiceAccount"],
    });
    expect(givenCertificate(values)).toEqual({ cert: "the apiserver.crt", key: "the apiserver.key" });
  });

  it.each([
    [["--authorization-mode", "Node,RBAC,AlwaysAllow"], { authorizationMode: ["Node", "RBAC", "AlwaysAllow"] }],
    [["--enable-admission-plugins=A,B", "--enable-admission-plugins=C"], { enableAdmissionPlugins: ["A", "B", "C"] }],
    [["--enable-priority-and-fairness=false"], { enablePriorityAndFairness: false }],
    [["--max-requests-inflight=0"], { maxRequestsInflight: 0 }],
    [["--request-timeout=1m30s"], { requestTimeoutMs: 90_000 }],
    [["--enable-bootstrap-token-auth"], { bootstrapTokens: true }],
    [["--enable-bootstrap-token-auth=true"], { bootstrapTokens: true }],
    [["--enable-bootstrap-token-auth", "--enable-bootstrap-token-auth=false"], { bootstrapTokens: false }],
    [["--feature-gates=WatchList=false,MemoryQoS=true"], { featureGates: { WatchList: false } }],
    [
      ["--runtime-config=api/all=false,v1", "--watch-cache=false"],
      { runtimeConfig: { "api/all": false, v1: true }, watchCache: false },
    ],
    [
      ["--cluster-defaults"],
      {
        featureGates: { CBORServingAndStorage: false, PodLogsQuerySplitStreams: false, ShardedListAndWatch: false },
        runtimeConfig: { "api/alpha": false, "api/beta": false },
      },
    ],
    [
      ["--cluster-defaults", "--runtime-config=api/beta=true", "--feature-gates=CBORServingAndStorage=true"],
      {
        featureGates: { CBORServingAndStorage: true, PodLogsQuerySplitStreams: false, ShardedListAndWatch: false },
        runtimeConfig: { "api/alpha": false, "api/beta": true },
      },
    ],
    [
      ["--cluster-defaults", "--runtime-config=api/all=true", "--feature-gates=AllAlpha=true"],
      { featureGates: {}, runtimeConfig: { "api/all": true } },
    ],
    [["--v=4", "--profiling=false"], { authorizationMode: ["AlwaysAllow"] }],
  ])("%j give the server's options", (args, options) => {
    const all = kubeOptions(parse(...args)) as Record<string, unknown>;
    expect(Object.fromEntries(Object.keys(options).map((name) => [name, all[name]]))).toEqual(options);
  });

  it.each([
    [[], undefined],
    [["--anonymous-auth"], true],
    [["--anonymous-auth=true", "--anonymous-auth=false"], false],
    [["--anonymous-auth=false", "--anonymous-auth"], true],
  ])("%j set --anonymous-auth to %s", (args, expected) => {
    expect(parse(...args)["anonymous-auth"]).toBe(expected);
  });

  it.each([
    [["--authorization-mode=RBAC,Rbac"], '--authorization-mode RBAC,Rbac: unknown mode "Rbac"'],
    [["--client-ca-file=/absent"], "--client-ca-file /absent: ENOENT"],
    [["--max-requests-inflight=many"], "--max-requests-inflight many: must be a whole number"],
    [["--request-timeout=90"], "--request-timeout 90: must be a duration, such as 1m30s"],
    [["--enable-priority-and-fairness=no"], "--enable-priority-and-fairness=no: must be true or false"],
    [["--feature-gates=WatchLists=false"], '--feature-gates: unknown feature gate "WatchLists"'],
    [["--feature-gates=WatchList=off"], "--feature-gates WatchList=off: must be true or false"],
    [["--client-ca-fil"], "unknown option --client-ca-fil; did you mean --client-ca-file?"],
  ])("%j are refused with the flag's name", (args, message) => {
    expect(() => kubeOptions(parse(...args))).toThrow(message);
  });

  it("a certificate needs its key", () => {
    expect(() => givenCertificate({ "tls-cert-file": "a" })).toThrow("--tls-cert-file and --tls-private-key-file");
  });
});
