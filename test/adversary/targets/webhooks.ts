import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { createAuthority } from "../../../src/certificates/authority.js";
import { serveWebhooks } from "../../../src/node/webhooks/serve-webhooks.js";
import { admissionWebhook, conversionWebhook } from "../../../src/webhook/serve.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { exchange, httpWords } from "./port.js";

const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
const review = (kind: string, request: string): string =>
  `{"apiVersion":"${kind === "AdmissionReview" ? "admission" : "apiextensions"}.k8s.io/v1","kind":"${kind}","request":${request}}`;
const admission = review("AdmissionReview", '{"uid":"1","operation":"CREATE","object":{"metadata":{}}}');
const conversion = review("ConversionReview", '{"uid":"1","desiredAPIVersion":"a/v1","objects":[{}]}');
const reviews: Vocabulary = {
  ...httpWords,
  frames: [
    ...httpWords.frames,
    ["POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n", ""],
    ["POST /convert HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n"],
  ],
  values: [
    ...httpWords.values,
    ...[post("/validate", admission), post("/convert", conversion), post("/validate", "["), post("/convert", "{}")],
    ...[post("/validate", review("AdmissionReview", "null")), post("/none", "{}"), post("/validate?a", admission)],
    post("/validate", review("AdmissionReview", `{"uid":"1","object":${"[".repeat(500)}${"]".repeat(500)}}`)),
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n",
  ],
};
let pair: { readonly cert: string; readonly key: string } | undefined;

function portTarget(): Target {
  let cleanUp: (() => Promise<void>) | undefined;
  return {
    chunked: true,
    maxBytes: 64 * 1024,
    vocabulary: reviews,
    wellFormed: (bytes) => ordinary(bytes, ["", ""], "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    async prepare({ chunks }) {
      pair ??= createAuthority({ nowMs: Date.now(), lifetimeMs: 3_600_000 }).server(["127.0.0.1"]);
      const folder = await mkdtemp(join(tmpdir(), "kubestream-webhooks-"));
      const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
      await writeFile(certFile, pair.cert);
      await writeFile(keyFile, pair.key);
      const handlers = {
        "/validate": admissionWebhook(() => undefined),
        "/convert": conversionWebhook((object) => object),
      };
      const log = (): void => undefined;
      const served = await serveWebhooks({
        port: 0,
        host: "127.0.0.1",
        handlers,
        certificate: { certFile, keyFile },
        log,
      });
      let close = (): void => undefined;
      cleanUp = async () => {
        close();
        await served.close();
        await rm(folder, { recursive: true });
      };
      return () =>
        exchange(
          served.port,
          chunks,
          (socket) => {
            close = () => socket.destroy();
            // The server may wait for the rest of a request for as long as its limits allow.
            socket.setTimeout(500, close);
          },
          (port) => connect({ port, host: "127.0.0.1", rejectUnauthorized: false }),
        );
    },
    async cleanUp() {
      await cleanUp?.();
    },
  };
}

/** The server of webhooks as its callers reach it. */
export const webhooks: Record<string, Target> = { "webhook-port": portTarget() };
