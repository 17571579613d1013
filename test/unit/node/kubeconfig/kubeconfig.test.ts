import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { openTransport } from "../../../../src/node/connection/open-transport.js";
import { findCluster } from "../../../../src/node/kubeconfig/cluster-source.js";
import { loadKubeconfigFiles } from "../../../../src/node/kubeconfig/kubeconfig-files.js";
import { listContexts } from "../../../../src/node/kubeconfig/list-contexts.js";
import { useFolder } from "./use-folder.js";

const folder = useFolder();

const simple = (name: string, server: string, more = ""): string =>
  `apiVersion: v1\nkind: Config\ncurrent-context: ${name}\ncontexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}, namespace: ns-${name}}}]\nclusters: [{name: ${name}, cluster: {server: "${server}"}}]\nusers: [{name: ${name}, user: {token: token-of-${name}${more}}}]\n`;

describe("kubeconfig files", () => {
  it("merge with the first file winning for whole entries and the current context, and skip missing files", async () => {
    const first = await folder.write(
      "first",
      "contexts: [{name: dev, context: {cluster: dev, user: dev}}]\nclusters: [{name: dev, cluster: {server: 'https://first', tls-server-name: one}}]\n",
    );
    const second = await folder.write("second", `${simple("dev", "https://second")}preferences: {}\n`);
    const third = await folder.write("third", simple("prod", "https://third"));
    const { content, missing } = await loadKubeconfigFiles(undefined, {
      KUBECONFIG: [join(folder.path, "none"), "", first, second, first, third].join(":"),
    });
    expect(missing).toEqual([join(folder.path, "none")]);
    expect(content.files).toEqual([first, second, third]);
    expect(content.currentContext).toBe("dev");
    expect([
      content.clusters.get("dev")?.server,
      content.clusters.get("dev")?.tlsServerName,
      content.clusters.get("prod")?.server,
    ]).toEqual(["https://first", "one", "https://third"]);
    expect([...content.contexts.keys()].sort()).toEqual(["dev", "prod"]);
    expect(content.contexts.get("dev")).not.toHaveProperty("namespace");
    expect(content.users.get("dev")?.token).toBe("token-of-dev");
  });

  it("fall back to the home folder, then to the pod's cluster, then to an error that lists the places", async () => {
    const home = await folder.write("home/.kube/config", simple("home", "https://home"));
    expect((await findCluster({}, { HOME: join(folder.path, "home") })).server.href).toBe("https://home/");
    await rm(home);
    await expect(findCluster({}, { HOME: join(folder.path, "home") })).rejects.toThrow(
      `no cluster is configured: tried ${home} and the pod's service account (KUBERNETES_SERVICE_HOST is not set)`,
    );
    await expect(findCluster({ context: "x" }, { HOME: join(folder.path, "home") })).rejects.toThrow(
      "options.context, options.cluster and options.user need a kubeconfig, but none was found",
    );
  });

  it("resolve paths against their own folder, and commands only if they contain a slash", async () => {
    const file = await folder.write(
      "sub/config",
      "users: [{name: a, user: {client-certificate: pki/a.crt, client-key: /abs/a.key, tokenFile: ../token, exec: {command: ./bin/login, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}}, {name: b, user: {exec: {command: login, apiVersion: client.authentication.k8s.io/v1beta1}}}]\nclusters: [{name: a, cluster: {server: 'https://a', certificate-authority: ca.crt}}]",
    );
    const { content } = await loadKubeconfigFiles(file, {});
    const user = content.users.get("a")!;
    expect([
      user.certFile,
      user.keyFile,
      user.tokenFile,
      user.exec?.command,
      content.users.get("b")?.exec?.command,
    ]).toEqual([
      join(folder.path, "sub/pki/a.crt"),
      "/abs/a.key",
      join(folder.path, "token"),
      join(folder.path, "sub/bin/login"),
      "login",
    ]);
    expect(content.users.get("b")?.exec?.interactiveMode).toBe("IfAvailable");
    expect(content.clusters.get("a")?.caFile).toBe(join(folder.path, "sub/ca.crt"));
  });

  it("may be UTF-16, as written by Windows tools", async () => {
    const file = await folder.write(
      "utf16",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(simple("dev", "https://dev"), "utf16le")]),
    );
    expect((await findCluster({ kubeconfig: file }, {})).server.href).toBe("https://dev/");
  });
});

describe("kubeconfig as text", () => {
  const text = simple("dev", "https://dev", ", client-certificate: pki/a.crt");

  it("replaces files, may be JSON, and resolves paths against the working directory", async () => {
    const connection = await findCluster(
      { kubeconfigText: text, namespace: "mine" },
      { KUBECONFIG: join(folder.path, "none") },
    );
    expect([connection.server.href, connection.namespace, connection.user.token, connection.user.certFile]).toEqual([
      "https://dev/",
      "mine",
      "token-of-dev",
      join(process.cwd(), "pki/a.crt"),
    ]);
    const asJson = JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "a" } }],
      clusters: [{ name: "a", cluster: { server: "https://a" } }],
    });
    expect((await findCluster({ kubeconfigText: asJson }, {})).server.href).toBe("https://a/");
    expect((await listContexts({ kubeconfigText: asJson })).map(({ name, server }) => [name, server])).toEqual([
      ["a", "https://a"],
    ]);
  });

  it.each<[object, string]>([
    [
      { kubeconfigText: text, kubeconfig: "/etc/x" },
      "options.kubeconfigText: cannot be combined with options.kubeconfig",
    ],
    [{ kubeconfigText: {} }, "options.kubeconfigText: must be a string"],
    [{ kubeconfigText: "a: [" }, "options.kubeconfigText: is not valid YAML: line 1"],
    [{ kubeconfigText: "" }, "options.kubeconfigText: current-context is not set"],
    [{ kubeconfigText: "clusters: 7" }, "options.kubeconfigText: clusters: must be a list, not a number"],
    [{ kubeconfigText: text, context: "x" }, 'options.kubeconfigText: no context is named "x"; available: "dev"'],
    [
      { kubeconfigText: text, persistTokens: true },
      "options.persistTokens: cannot be combined with options.kubeconfigText",
    ],
  ])("rejects %j", async (options, message) => {
    const failure: unknown = await openTransport({ ...options, env: {} }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toContain(message);
    expect((failure as Error).message).not.toContain("token-of-dev");
  });
});

describe("kubeconfig context", () => {
  it("is the current one, or the one in the options", async () => {
    const file = await folder.write(
      "config",
      `${simple("dev", "https://dev")}`
        .replace("users:", "users: [{name: other, user: {token: other}}]\nx-users:")
        .replace("user: dev", "user: other"),
    );
    const connection = await findCluster({ kubeconfig: file, namespace: "mine" }, {});
    expect([connection.namespace, connection.user.token]).toEqual(["mine", "other"]);
    expect((await findCluster({ kubeconfig: file, cluster: "dev", user: "other", context: "dev" }, {})).namespace).toBe(
      "ns-dev",
    );
  });

  it.each([
    ["server: 'localhost:8080'", "http://localhost:8080/"],
    ["server: 'localhost:8443', insecure-skip-tls-verify: true", "https://localhost:8443/"],
    ["server: 'https://h/base/?q=1'", "https://h/base/?q=1"],
  ])("with cluster {%s} connects to %s", async (cluster, url) => {
    const file = await folder.write(
      "config",
      `current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\nclusters: [{name: a, cluster: {${cluster}}}]\n`,
    );
    expect((await findCluster({ kubeconfig: file }, {})).server.href).toBe(url);
  });
});

it("listContexts returns the contexts in the files' order without secrets", async () => {
  const first = await folder.write("first", simple("dev", "https://dev"));
  const second = await folder.write("second", `${simple("prod", "https://prod")}`);
  expect(await listContexts({ env: { KUBECONFIG: `${first}:${second}` } })).toEqual([
    { name: "dev", current: true, cluster: "dev", server: "https://dev", user: "dev", namespace: "ns-dev" },
    { name: "prod", current: false, cluster: "prod", server: "https://prod", user: "prod", namespace: "ns-prod" },
  ]);
  expect(await listContexts({ env: { HOME: folder.path } })).toEqual([]);
  const [odd] = await listContexts({ kubeconfigText: simple("odd", "https://user:s3cret@odd:6443/base") });
  expect(odd?.server).toBe("https://odd:6443/base");
});
