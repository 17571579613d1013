import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { openTransport } from "../../../../src/node/connection/open-transport.js";
import { findCluster } from "../../../../src/node/kubeconfig/cluster-source.js";
import { useFolder } from "./use-folder.js";

const folder = useFolder();

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
    const file = await folder.write("config", content);
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
    const file = join(folder.path, "config");
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
    await expect(findCluster({ kubeconfig: join(folder.path, "none") }, {})).rejects.toThrow(
      `${join(folder.path, "none")}: no such file`,
    );
  });
});
