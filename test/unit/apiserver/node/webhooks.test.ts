import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { fetchWebhookCaller } from "../../../../src/apiserver/http/webhook-caller.js";
import { createServerCertificate } from "../../../../src/apiserver/node/self-signed.js";
import { nodeWebhookCaller } from "../../../../src/apiserver/node/webhooks.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { serve } from "../../node/local-server.js";

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

describe.each([
  ["for Node", nodeWebhookCaller],
  ["with fetch", fetchWebhookCaller(systemClock)],
])("webhook caller %s", (_name, call) => {
  it.each<[string, number, string, RegExp]>([
    ["a response longer than 3 MiB", 200, "x".repeat(3 * 1024 * 1024 + 1), /longer than 3145728 bytes/],
    ["a response that isn't JSON", 200, "{", /the response is not JSON/],
    ["a status, with the start of the response", 500, "no ".repeat(1_000_000), /status 500: no no[no ]{0,2100}$/],
  ])("rejects %s", async (_what, status, body, message) => {
    await using server = await serve((request, response) => {
      request.resume();
      response.writeHead(status).end(body);
    });
    const { signal } = new AbortController();
    const calling = call({ url: server.url, caBundle: undefined, body: {}, timeoutMs: 10_000, signal });
    await expect(calling).rejects.toThrow(message);
  });
});
