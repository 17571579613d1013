import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { openTransport } from "../../../../src/node/connection/open-transport.js";
import { findCluster } from "../../../../src/node/kubeconfig/cluster-source.js";
import { findInCluster } from "../../../../src/node/kubeconfig/in-cluster.js";
import { loadKubeconfigFiles } from "../../../../src/node/kubeconfig/kubeconfig-files.js";
import { listContexts } from "../../../../src/node/kubeconfig/list-contexts.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
});
afterEach(() => rm(folder, { recursive: true }));

const write = async (name: string, content: string | Uint8Array): Promise<string> => {
  const file = join(folder, name);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, content);
  return file;
};

const simple = (name: string, server: string, more = ""): string =>
  `apiVersion: v1\nkind: Config\ncurrent-context: ${name}\ncontexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}, namespace: ns-${name}}}]\nclusters: [{name: ${name}, cluster: {server: "${server}"}}]\nusers: [{name: ${name}, user: {token: token-of-${name}${more}}}]\n`;

describe("kubeconfig files", () => {
  it("merge with the first file winning for whole entries and the current context, and skip missing files", async () => {
    const first = await write(
      "first",
      "contexts: [{name: dev, context: {cluster: dev, user: dev}}]\nclusters: [{name: dev, cluster: {server: 'https://first', tls-server-name: one}}]\n",
    );
    const second = await write("second", `${simple("dev", "https://second")}preferences: {}\n`);
    const third = await write("third", simple("prod", "https://third"));
    const { content, missing } = await loadKubeconfigFiles(undefined, {
      KUBECONFIG: [join(folder, "none"), "", first, second, first, third].join(":"),
    });
    expect(missing).toEqual([join(folder, "none")]);
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
    const home = await write("home/.kube/config", simple("home", "https://home"));
    expect((await findCluster({}, { HOME: join(folder, "home") })).server.href).toBe("https://home/");
    await rm(home);
    await expect(findCluster({}, { HOME: join(folder, "home") })).rejects.toThrow(
      `no cluster is configured: tried ${home}`,
    );
    await expect(findCluster({ context: "x" }, { HOME: join(folder, "home") })).rejects.toThrow(
      "options.context, options.cluster and options.user need a kubeconfig, but none was found",
    );
  });

  it("resolve paths against their own folder, and commands only if they contain a slash", async () => {
    const file = await write(
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
      join(folder, "sub/pki/a.crt"),
      "/abs/a.key",
      join(folder, "token"),
      join(folder, "sub/bin/login"),
      "login",
    ]);
    expect(content.users.get("b")?.exec?.interactiveMode).toBe("IfAvailable");
    expect(content.clusters.get("a")?.caFile).toBe(join(folder, "sub/ca.crt"));
  });

  it("may be UTF-16, as written by Windows tools", async () => {
    const file = await write(
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
      { KUBECONFIG: join(folder, "none") },
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
    const file = await write(
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
    const file = await write(
      "config",
      `current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\nclusters: [{name: a, cluster: {${cluster}}}]\n`,
    );
    expect((await findCluster({ kubeconfig: file }, {})).server.href).toBe(url);
  });
});

it("listContexts returns the contexts in the files' order without secrets", async () => {
  const first = await write("first", simple("dev", "https://dev"));
  const second = await write("second", `${simple("prod", "https://prod")}`);
  expect(await listContexts({ env: { KUBECONFIG: `${first}:${second}` } })).toEqual([
    { name: "dev", current: true, cluster: "dev", server: "https://dev", user: "dev", namespace: "ns-dev" },
    { name: "prod", current: false, cluster: "prod", server: "https://prod", user: "prod", namespace: "ns-prod" },
  ]);
  expect(await listContexts({ env: { HOME: folder } })).toEqual([]);
  const [odd] = await listContexts({ kubeconfigText: simple("odd", "https://user:s3cret@odd:6443/base") });
  expect(odd?.server).toBe("https://odd:6443/base");
});

describe("kubeconfig error names file and field, and no secret values, for", () => {
  const context =
    "current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a, cluster: {server: 'https://a'}}]\n";
  it.each([
    ["not YAML", "a: [1\n", "is not valid YAML: line "],
    ["a list", "[1]\n", "must be a mapping, not a list"],
    ["another kind", "kind: Pod\n", "kind: must be Config"],
    ["another version", "apiVersion: v2\n", "apiVersion: must be v1"],
    ["clusters as a mapping", "clusters: {a: {server: x}}\n", "clusters: must be a list, not a mapping"],
    ["a cluster that is a string", "clusters: [a]\n", "clusters[0]: must be a mapping, not a string"],
    [
      "a server that is a list",
      "clusters: [{name: a, cluster: {server: [x]}}]\n",
      "clusters[0].cluster.server: must be a string, not a list",
    ],
    ["a duplicate name", "users: [{name: a}, {name: a}]\n", 'users[1].name: "a" is used twice'],
    [
      "invalid base64",
      "clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: 's3cret!'}}]\n",
      "clusters[0].cluster.certificate-authority-data: is not valid base64",
    ],
    [
      "text instead of a boolean",
      "clusters: [{name: a, cluster: {server: 'https://a', insecure-skip-tls-verify: 'maybe s3cret'}}]\n",
      "insecure-skip-tls-verify: must be true or false, not a string",
    ],
    [
      "a token that is a mapping",
      `${context}users: [{name: a, user: {token: {x: s3cret}}}]\n`,
      "users[0].user.token: must be a string, not a mapping",
    ],
    [
      "exec without a command",
      `${context}users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1}}}]\n`,
      "users[0].user.exec.command: is required",
    ],
    [
      "exec with an old version",
      `${context}users: [{name: a, user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}}}]\n`,
      "users[0].user.exec.apiVersion: must be",
    ],
    [
      "exec v1 without interactiveMode",
      `${context}users: [{name: a, user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1}}}]\n`,
      "users[0].user.exec.interactiveMode: is required",
    ],
    [
      "exec together with auth-provider",
      `${context}users: [{name: a, user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}, auth-provider: {name: oidc}}}]\n`,
      "users[0].user.auth-provider: cannot be combined with exec",
    ],
    [
      "impersonated groups without a user",
      `${context}users: [{name: a, user: {as-groups: [x]}}]\n`,
      "users[0].user.as: is required",
    ],
    [
      "an unknown cluster",
      "current-context: a\ncontexts: [{name: a, context: {cluster: b}}]\n",
      'contexts[0].context: no cluster is named "b"; none are defined',
    ],
    ["an unknown user", context, 'contexts[0].context: no user is named "a"; none are defined'],
    [
      "an unknown context",
      "current-context: b\ncontexts: [{name: a, context: {cluster: a}}]\n",
      'current-context: no context is named "b"; available: "a"',
    ],
    [
      "a missing current-context",
      "contexts: [{name: a, context: {cluster: a}}]\n",
      'current-context is not set: set it or pass options.context; available: "a"',
    ],
    [
      "a context without a cluster",
      "current-context: a\ncontexts: [{name: a, context: {}}]\n",
      "contexts[0].context: cluster is required",
    ],
    [
      "a cluster without a server",
      "current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\nclusters: [{name: a, cluster: {}}]\n",
      "clusters[0].cluster.server: is required",
    ],
    [
      "an invalid server URL",
      "current-context: a\ncontexts: [{name: a, context: {cluster: a}}]\nclusters: [{name: a, cluster: {server: 'https://user:s3cret@a b'}}]\n",
      "clusters[0].cluster.server: invalid server URL",
    ],
    ["an empty file", "", "contains no cluster, user or context"],
  ])("%s", async (_name, content, message) => {
    const file = await write("config", content);
    const failure = await findCluster({ kubeconfig: file }, {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toContain(message);
    expect((failure as Error).message).toContain(file);
    expect((failure as Error).message).not.toContain("s3cret");
  });

  it("any value replaced by something odd", async () => {
    const whole = (): Record<string, unknown> => ({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "c", user: "u", namespace: "n" } }],
      clusters: [
        {
          name: "c",
          cluster: {
            server: "https://127.0.0.1:1",
            "certificate-authority-data": "",
            "insecure-skip-tls-verify": false,
            "tls-server-name": "x",
            "proxy-url": "http://127.0.0.1:1",
            "disable-compression": true,
            extensions: [{ name: "e", extension: {} }],
          },
        },
      ],
      users: [
        {
          name: "u",
          user: {
            token: "s3cret",
            "client-certificate-data": "",
            as: "x",
            "as-groups": ["g"],
            "as-uid": "1",
            "as-user-extra": { k: ["v"] },
            username: "",
            password: "",
            exec: null,
            "auth-provider": null,
            tokenFile: "",
          },
        },
      ],
    });
    const odd = [
      null,
      0,
      1.5,
      true,
      "",
      "\u0000",
      "s3cret\r\nb",
      "é",
      "x".repeat(100_000),
      [],
      [null],
      [[]],
      {},
      { a: null },
      "__proto__",
      "http://[",
      "//x",
      "\ud800",
    ];
    const places = (value: object, path: string[]): string[][] =>
      Object.entries(value).flatMap(([key, member]) => [
        [...path, key],
        ...(typeof member === "object" && member !== null ? places(member as object, [...path, key]) : []),
      ]);
    const file = join(folder, "config");
    let refused = 0;
    for (const path of places(whole(), [])) {
      for (const value of odd) {
        const content = whole();
        let at: Record<string, unknown> = content;
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
        at[path.at(-1)!] = value;
        await writeFile(file, JSON.stringify(content));
        const place = `${path.join(".")} is ${JSON.stringify(value).slice(0, 40)}`;
        try {
          await (await openTransport({ kubeconfig: file, env: {} })).transport.close();
        } catch (error) {
          refused++;
          if (!(error instanceof ConfigError)) throw new Error(place, { cause: error });
          // The message may contain names, truncated if they are long, and no values.
          if (!["current-context", "name", "cluster", "user"].includes(path.at(-1)!))
            expect(error.message, place).not.toContain("s3cret");
          expect(error.message, place).toContain(file);
          expect(error.message.length, place).toBeLessThan(1000);
        }
      }
    }
    expect(refused).toBeGreaterThan(300);
  });

  it("a configured file that does not exist", async () => {
    await expect(findCluster({ kubeconfig: join(folder, "none") }, {})).rejects.toThrow(
      `${join(folder, "none")}: no such file`,
    );
  });
});

describe("in-cluster configuration", () => {
  it("uses the service account's files and namespace", async () => {
    await write("sa/token", "t");
    await write("sa/ca.crt", "ca");
    await write("sa/namespace", "web\n");
    const connection = await findInCluster(
      { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" },
      join(folder, "sa"),
    );
    expect(connection).toMatchObject({
      namespace: "web",
      ca: { file: join(folder, "sa/ca.crt") },
      user: { tokenFile: join(folder, "sa/token") },
    });
    expect(connection?.server.href).toBe("https://[fd00::1]/");
  });

  it("reports missing files, and is unavailable outside of a pod", async () => {
    expect(await findInCluster({}, folder)).toBeUndefined();
    await expect(
      findInCluster({ KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }, folder),
    ).rejects.toThrow("automountServiceAccountToken");
  });
});
