import { execFileSync } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../../../src/errors/errors.js";
import { openTransport } from "../../../../src/node/connection/open-transport.js";
import { findCluster } from "../../../../src/node/kubeconfig/cluster-source.js";
import { findInCluster } from "../../../../src/node/kubeconfig/in-cluster.js";
import { pki, pkiFile } from "../local-server.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "special-"));
  await mkdir(join(folder, "directory"));
  await writeFile(join(folder, "long"), "");
  await truncate(join(folder, "long"), 17 * 1024 * 1024);
  if (platform() !== "win32") {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    execFileSync("mkfifo", [join(folder, "fed")]);
  }
});
afterAll(() => rm(folder, { recursive: true }));

const pipes = platform() !== "win32";

/** Files that must not be read, and the reason. `fed` is a pipe with a writer that writes nothing. */
const unreadable: readonly (readonly [name: string, there: boolean, reason: string])[] = [
  ["pipe", pipes, "is not a regular file"],
  ["fed", pipes, "is not a regular file"],
  ["/dev/zero", existsSync("/dev/zero"), "is not a regular file"],
  ["directory", true, ""],
  ["long", true, "is longer than 16777216 bytes"],
];

/** Uses of a file in a configuration. The second part of a message is the field. */
const uses: readonly (readonly [use: string, open: (file: string) => Promise<unknown>, where: string])[] = [
  ["a kubeconfig", (file) => findCluster({ kubeconfig: file }, {}), ""],
  ["a token file", (file) => send({ tokenFile: file }), "users[0].user.tokenFile: "],
  [
    "a certificate authority",
    (file) => send({}, { "certificate-authority": file }),
    "clusters[0].cluster.certificate-authority: ",
  ],
  [
    "a client certificate",
    (file) => send({ "client-certificate": file, "client-key": pkiFile("client.key") }),
    "users[0].user.client-certificate: ",
  ],
  [
    "a client key",
    (file) => send({ "client-certificate": pkiFile("client.crt"), "client-key": file }),
    "users[0].user.client-key: ",
  ],
  [
    "the certificate authority of an OIDC provider",
    (file) => send({ "auth-provider": { name: "oidc", config: { ...oidc, "idp-certificate-authority": file } } }),
    "users[0].user.auth-provider.config.idp-certificate-authority: ",
  ],
];

const oidc = { "idp-issuer-url": "https://issuer.invalid", "client-id": "c", "refresh-token": "r" };

/** Opens a connection with the user and sends a request to a server that doesn't exist. */
async function send(user: object, cluster: object = {}): Promise<void> {
  const config = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", ...cluster } }],
    users: [{ name: "u", user }],
  };
  const { transport } = await openTransport({ kubeconfigText: JSON.stringify(config), env: {} });
  try {
    await transport.send({ method: "GET", path: "/api", headers: {}, signal: new AbortController().signal });
  } finally {
    await transport.close();
  }
}

describe.each(uses)("%s", (_use, read, where) => {
  it.each(unreadable)("that is %s is a ConfigError that names the field and the file", async (name, there, reason) => {
    if (!there) return;
    const file = name.startsWith("/") ? name : join(folder, name);
    // Opening for reading and writing doesn't wait for a reader.
    const writer = name === "fed" ? await open(file, constants.O_RDWR) : undefined;
    try {
      const failure = await read(file).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ConfigError);
      expect((failure as Error).message).toContain(`${where}${file}: ${reason}`);
    } finally {
      await writer?.close();
    }
  });
});

it.runIf(pipes)("a service account's token that is a pipe is a ConfigError", async () => {
  await mkdir(join(folder, "account"));
  execFileSync("mkfifo", [join(folder, "account", "token")]);
  await expect(
    findInCluster({ KUBERNETES_SERVICE_HOST: "h", KUBERNETES_SERVICE_PORT: "1" }, join(folder, "account")),
  ).rejects.toThrow("token: is not a regular file");
});

it.runIf(pipes)("a token file that becomes a pipe leaves the last token in use", async () => {
  const file = join(folder, "token");
  await writeFile(file, "first");
  const { createTokenFileSource } = await import("../../../../src/node/credentials/token-file.js");
  let now = 0;
  const clock = { now: () => now, monotonic: () => now, setTimer: () => ({ cancel: () => undefined }) };
  const source = createTokenFileSource(file, "user", clock);
  const caller = { signal: new AbortController().signal };
  expect((await source.current(caller)).authorization).toBe("Bearer first");
  await rm(file);
  execFileSync("mkfifo", [file]);
  now += 61_000;
  expect((await source.current(caller)).authorization).toBe("Bearer first");
});

it("the cluster info of an exec plugin names an authority that can't be read", async () => {
  const exec = {
    command: "none",
    apiVersion: "client.authentication.k8s.io/v1",
    interactiveMode: "Never",
    provideClusterInfo: true,
  };
  const ca = join(folder, "ca.crt");
  await writeFile(ca, pki("ca.crt"));
  const opened = await openTransport({
    kubeconfigText: JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", "certificate-authority": ca } }],
      users: [{ name: "u", user: { exec } }],
    }),
    env: {},
  });
  await rm(ca);
  const failure = await opened.transport
    .send({ method: "GET", path: "/api", headers: {}, signal: new AbortController().signal })
    .catch((error: unknown) => error);
  await opened.transport.close();
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as Error).message).toContain(`certificate-authority: ${ca}: cannot be read (ENOENT)`);
});
