import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createCertificateAuthority } from "../../src/certificates/authority.js";
import type { LogEntry } from "../../src/controller/reconcile/controller-log.js";
import { serveWebhooks, type WebhookServer } from "../../src/node/webhooks/serve-webhooks.js";
import { authenticationWebhook } from "../../src/webhook/serve.js";
import { missingReason, startRealApiServer } from "./real-apiserver.js";

const missing = missingReason();
const log: LogEntry[] = [];

/** Serves an authentication webhook that requires client certificates. Returns it and the configuration for its caller. */
async function serve(folder: string): Promise<{ readonly webhooks: WebhookServer; readonly configFile: string }> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = createCertificateAuthority(Date.now());
  const server = authority.server(["127.0.0.1"]);
  const caller = authority.client("kube-apiserver");
  const webhooks = await serveWebhooks({
    port: 0,
    host: "127.0.0.1",
    log: (entry) => log.push(entry),
    clientCa: authority.ca,
    certificate: { certFile: file("tls.crt", server.cert), keyFile: file("tls.key", server.key) },
    handlers: {
      "/authenticate": authenticationWebhook(({ token }) => {
        if (token === "broken") throw new Error(`no connection for ${token}`);
        return token === "jane-token"
          ? { username: "jane", uid: "7", groups: ["developers"], extra: { "example.com/team": ["a", "b"] } }
          : undefined;
      }),
    },
  });
  const cluster = { server: `${webhooks.url}/authenticate`, "certificate-authority": file("ca.crt", authority.ca) };
  const user = { "client-certificate": file("c.crt", caller.cert), "client-key": file("c.key", caller.key) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "w", cluster }],
    users: [{ name: "w", user }],
    contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
    "current-context": "w",
  };
  return { webhooks, configFile: file("webhook.yaml", JSON.stringify(config)) };
}

/** Sends a request without checking the server's certificate. */
function send(url: string, token?: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const method = body === undefined ? "GET" : "POST";
    request(url, { method, rejectUnauthorized: false, agent: false, headers }, (response) => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    })
      .on("error", reject)
      .end(body && JSON.stringify(body));
  });
}

it.skipIf(missing !== undefined)(
  `kube-apiserver authenticates tokens with a webhook that requires its client certificate${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubestream-tokens-"));
    const { webhooks, configFile } = await serve(folder);
    const real = await startRealApiServer([
      `--authentication-token-webhook-config-file=${configFile}`,
      "--authentication-token-webhook-version=v1",
    ]);
    try {
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const whoAmI = (token: string) =>
        send(`${real.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, token, review);
      expect(JSON.parse((await whoAmI("jane-token")).text)).toMatchObject({
        status: {
          userInfo: {
            username: "jane",
            uid: "7",
            groups: ["developers", "system:authenticated"],
            extra: { "example.com/team": ["a", "b"] },
          },
        },
      });
      expect(await whoAmI("other-token")).toMatchObject({ status: 401 });
      expect(await whoAmI("broken")).toMatchObject({ status: 401 });
      expect(log).toEqual([]);
      // Probes have no client certificate.
      for (const [path, status] of [
        ["/healthz", 200],
        ["/readyz", 200],
        ["/authenticate", 401],
      ] as const)
        expect(await send(`${webhooks.url}${path}`), path).toMatchObject({ status });
    } finally {
      await real.stop();
      await webhooks.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
