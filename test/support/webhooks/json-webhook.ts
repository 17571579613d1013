import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { createServerCertificate } from "../../../src/certificates/authority.js";

/** Request that a webhook received. */
export interface JsonCall {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Common name of the client certificate. */
  readonly client: string | undefined;
}

/** HTTPS server that answers JSON with JSON. */
export interface JsonWebhook {
  readonly url: string;
  /** Certificate of the server, in PEM. */
  readonly ca: string;
  /** Returns the calls since the last time. */
  take(): JsonCall[];
  close(): Promise<void>;
}

/** Starts a server over TLS. `answer` returns an object for a status of 200, or a number for another status. */
export async function startJsonWebhook(
  answer: (call: JsonCall) => object | number | Promise<object | number>,
): Promise<JsonWebhook> {
  const { ca, cert, key } = createServerCertificate(["127.0.0.1", "localhost"], Date.now());
  let calls: JsonCall[] = [];
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const chunks: Buffer[] = [];
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const certificate = (request.socket as TLSSocket).getPeerCertificate();
        const call: JsonCall = {
          path: request.url!,
          body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
          headers: request.headers,
          client: certificate?.subject?.CN as string | undefined,
        };
        calls.push(call);
        void Promise.resolve(answer(call)).then((given) => {
          response.writeHead(typeof given === "number" ? given : 200, {
            "content-type": "application/json",
            connection: "close",
          });
          response.end(typeof given === "number" ? "" : JSON.stringify(given));
        });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${String(port)}`,
    ca,
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Returns a kubeconfig for a webhook, as kube-apiserver reads it. */
export function webhookKubeconfig(url: string, ca: string, user: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "webhook",
        cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") },
      },
    ],
    users: [{ name: "server", user }],
    contexts: [{ name: "webhook", context: { cluster: "webhook", user: "server" } }],
    "current-context": "webhook",
  });
}
