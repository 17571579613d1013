import type { IncomingMessage } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { connect } from "../../../../src/node/connection/connect.js";
import { pki, pkiData, pkiFile, serve } from "../local-server.js";
import { call, clusterServer, loginFiles, open } from "./login-setup.js";

const { kubeconfig } = loginFiles();

describe("static credentials", () => {
  it.each<[string, object, string | undefined]>([
    ["a token", { token: "t0ken" }, "Bearer t0ken"],
    [
      "a user name and password",
      { username: "jané", password: "p:w" },
      `Basic ${Buffer.from("jané:p:w").toString("base64")}`,
    ],
    ["no credentials", {}, undefined],
    [
      "a token rather than an exec plugin",
      {
        token: "t0ken",
        exec: { command: "/none", apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" },
      },
      "Bearer t0ken",
    ],
  ])("send %s", async (_name, user, authorization) => {
    await using server = await clusterServer();
    await using client = await open(await kubeconfig(server.url, user));
    await call(client);
    expect(server.seen.map((seen) => seen.authorization)).toEqual([authorization]);
  });

  it("send a client certificate from data or files", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    for (const user of [
      { "client-certificate-data": pkiData("client.crt"), "client-key-data": pkiData("client.key") },
      { "client-certificate": pkiFile("client2.crt"), "client-key": pkiFile("client2.key") },
      {
        "client-certificate": "/none",
        "client-certificate-data": pkiData("client.crt"),
        "client-key-data": pkiData("client.key"),
        "client-key": "/none",
      },
    ]) {
      await using client = await open(await kubeconfig(server.url, user));
      await call(client);
    }
    expect(server.seen.map((seen) => seen.subject)).toEqual(["jane", "joan", "jane"]);
  });

  it("prefer the caller's client certificate to all credentials of the user", async () => {
    await using server = await clusterServer(undefined, { mutual: true });
    const [cert, key] = [pki("client2.crt"), pki("client2.key")];
    for (const options of [
      { server: server.url, ca: pki("ca.crt") },
      {
        kubeconfig: await kubeconfig(server.url, {
          token: "t0ken",
          "client-certificate": pkiFile("client.crt"),
          "client-key": pkiFile("client.key"),
        }),
      },
    ]) {
      await using client = await connect({ ...options, cert, key });
      await call(client);
    }
    expect(server.seen.map((seen) => [seen.subject, seen.authorization])).toEqual([
      ["joan", undefined],
      ["joan", undefined],
    ]);
    await expect(connect({ server: server.url, cert })).rejects.toThrow(
      "options.key is required when options.cert is set",
    );
    for (const name of ["kubeconfig", "kubeconfigText", "context", "cluster", "user"])
      await expect(connect({ server: server.url, [name]: "x" })).rejects.toThrow(
        `options.${name}: cannot be combined with options.server`,
      );
    await expect(connect({ server: server.url, key })).rejects.toThrow(
      "options.cert is required when options.key is set",
    );
    await expect(connect({ server: server.url, cert: "x", key })).rejects.toThrow(
      "options.cert: contains no PEM certificate",
    );
    await expect(connect({ server: server.url, cert, key: pki("client.key") })).rejects.toThrow(
      "options.key: does not match the client certificate",
    );
  });

  it("are not sent over plain http to another machine, like kubectl", async () => {
    await using server = await clusterServer(undefined, undefined as never);
    await using plain = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const file = await kubeconfig("http://cluster.test", { token: "t0ken" });
    // The proxy stands in for the other machine.
    await using proxy = await serve((request, response) =>
      response.end(JSON.stringify({ url: request.url, authorization: request.headers.authorization ?? null })),
    );
    proxy.server.on("connect", (_request: IncomingMessage, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", (data: Buffer) =>
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${JSON.stringify(data.toString())}`,
        ),
      );
    });
    await using client = await open(file, { proxyUrl: proxy.url });
    expect(String(await call(client))).not.toMatch(/authorization/i);
    await using near = await open(await kubeconfig(plain.url, { token: "t0ken" }));
    expect(await call(near)).toMatchObject({ authorization: "Bearer t0ken" });
    void server;
  });

  it("that are contradictory or broken are rejected before any request", async () => {
    await using server = await clusterServer();
    for (const [user, cluster, message] of [
      [{ token: "a", username: "b" }, {}, "users[0].user: sets both a token and a username"],
      [
        { "client-certificate-data": pkiData("client.crt") },
        {},
        "users[0].user.client-key: is required when client-certificate is set",
      ],
      [
        { "client-certificate-data": pkiData("client.crt"), "client-key-data": pkiData("client2.key") },
        {},
        "client-key-data: does not match the client certificate",
      ],
      [
        {
          "client-certificate-data": Buffer.from("s3cret").toString("base64"),
          "client-key-data": pkiData("client.key"),
        },
        {},
        "client-certificate-data: contains no PEM certificate",
      ],
      [
        {
          "client-certificate-data": pkiData("client.crt"),
          "client-key-data": Buffer.from("s3cret").toString("base64"),
        },
        {},
        "client-key-data: contains no usable PEM key",
      ],
      [
        { "client-certificate": "/none/a.crt", "client-key": "/none/a.key" },
        {},
        "client-certificate: /none/a.crt: cannot be read (ENOENT)",
      ],
      [
        {},
        { "certificate-authority-data": Buffer.from("s3cret").toString("base64") },
        "certificate-authority-data: contains no PEM certificate",
      ],
      [
        {},
        { "insecure-skip-tls-verify": true },
        "certificate-authority and insecure-skip-tls-verify cannot be combined",
      ],
      [{ token: "s3cret\r\nx: y" }, {}, "users[0].user.token: invalid token"],
      [{ tokenFile: "/none/token" }, {}, ""],
      [{ username: "a:b", password: "s3cret" }, {}, "users[0].user.username: must not contain a colon"],
      [
        { "auth-provider": { name: "gcp" } },
        {},
        'unknown auth provider "gcp": Kubernetes removed it; use the exec plugin gke-gcloud-auth-plugin',
      ],
      [{ "auth-provider": { name: "other" } }, {}, 'unknown auth provider "other"'],
      [{}, { "proxy-url": "ftp://user:s3cret@proxy" }, "proxy-url: must be http, https or socks5, not ftp"],
    ] as const) {
      const failure = await open(await kubeconfig(server.url, user, cluster))
        .then(async (client) => {
          await using open = client;
          return await call(open);
        })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ConfigError);
      expect((failure as Error).message).toContain(message);
      expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
    }
    expect(server.seen).toEqual([]);
  });
});

describe("impersonation", () => {
  it("sends each group and each extra value in a header of its own, encoded as UTF-8", async () => {
    await using server = await clusterServer();
    await using client = await open(
      await kubeconfig(server.url, {
        token: "t",
        as: "jané",
        "as-uid": "u",
        "as-groups": ["a, b", "c"],
        "as-user-extra": { "Acme.com/Scope": ["x", "y"] },
      }),
    );
    await call(client);
    const raw = server.seen[0]!.raw;
    const lines = raw.flatMap((name, index) =>
      index % 2 === 0 && name.startsWith("impersonate-")
        ? [`${name}: ${Buffer.from(raw[index + 1]!, "latin1").toString()}`]
        : [],
    );
    expect(lines.sort()).toEqual([
      "impersonate-extra-acme.com%2fscope: x",
      "impersonate-extra-acme.com%2fscope: y",
      "impersonate-group: a, b",
      "impersonate-group: c",
      "impersonate-uid: u",
      "impersonate-user: jané",
    ]);
  });

  it.each([
    ["as", "a\r\nx: y"],
    ["as", "a\n"],
    ["as", " a"],
    ["as-uid", "\u0000"],
  ])("rejects %s: %j", async (field, value) => {
    await using server = await clusterServer();
    await expect(open(await kubeconfig(server.url, { as: "a", [field]: value }))).rejects.toThrow(/impersonat/);
    expect(server.seen).toEqual([]);
  });
});
