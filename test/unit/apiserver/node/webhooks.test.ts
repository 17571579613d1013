import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createServerCertificate } from "../../../../src/apiserver/node/self-signed.js";
import { nodeWebhookCaller } from "../../../../src/apiserver/node/webhooks.js";

const base64 = (pem: string): string => Buffer.from(pem).toString("base64");

async function callWith(caBundle: string, cert: string, key: string): Promise<unknown> {
  const server = createServer({ cert, key }, (_request, response) => response.end('{"answered":true}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    const signal = new AbortController().signal;
    return await nodeWebhookCaller({ url, caBundle, body: {}, timeoutMs: 10_000, signal });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

it("webhook caller trusts a caBundle that is the authority or the webhook's own certificate", async () => {
  const { ca, cert, key } = createServerCertificate(["127.0.0.1"], Date.now());
  await expect(callWith(base64(ca), cert, key)).resolves.toEqual({ answered: true });
  await expect(callWith(base64(cert), cert, key)).resolves.toEqual({ answered: true });
});

it("webhook caller rejects a certificate that the caBundle doesn't cover", async () => {
  const { cert, key } = createServerCertificate(["127.0.0.1"], Date.now());
  const other = createServerCertificate(["127.0.0.1"], Date.now());
  await expect(callWith(base64(other.ca), cert, key)).rejects.toThrow(/certificate/);
});
