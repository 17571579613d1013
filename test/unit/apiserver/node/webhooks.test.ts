import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { fetchWebhookCaller } from "../../../../src/apiserver/http/webhook-caller.js";
import { nodeWebhookCaller } from "../../../../src/apiserver/node/webhooks.js";
import { createCertificateAuthority, createServerCertificate } from "../../../../src/certificates/authority.js";
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

it("webhook caller presents its client certificate to the first host only", async () => {
  const authority = createCertificateAuthority(Date.now());
  const clients: unknown[] = [];
  const start = async (answer: (response: ServerResponse) => void): Promise<Server> => {
    const server = createServer(
      { ...authority.server(["127.0.0.1", "localhost"]), requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        request.resume();
        clients.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
        answer(response);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  };
  const second = await start((response) => response.end("{}"));
  const urlOf = (server: Server): string => `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const first = await start((response) => response.writeHead(307, { location: urlOf(second) }).end());
  try {
    await nodeWebhookCaller({
      url: urlOf(first),
      caBundle: base64(authority.ca),
      clientCertificate: authority.client("the-server"),
      body: {},
      timeoutMs: 10_000,
      signal: new AbortController().signal,
    });
    expect(clients).toEqual(["the-server", undefined]);
  } finally {
    await Promise.all([first, second].map((server) => new Promise((resolve) => server.close(resolve))));
  }
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

interface Seen {
  readonly method: string | undefined;
  readonly body: string;
  readonly host: string | undefined;
  readonly secret: string | undefined;
}

/** Serves redirects with a status from `/` to `target`, and answers with what arrives elsewhere. */
function redirecting(status: number, target: (port: string) => string): ReturnType<typeof serve> {
  return serve((request, response) => {
    const { method, url = "" } = request;
    const { host, authorization } = request.headers;
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      if (url.startsWith("/?")) response.writeHead(status, { location: target(host!.split(":")[1]!) }).end();
      else response.end(JSON.stringify({ method, body, host, secret: authorization } satisfies Seen));
    });
  });
}

const ask = (url: string, more: object = {}): Promise<unknown> => {
  const { signal } = new AbortController();
  return nodeWebhookCaller({ url, caBundle: undefined, body: { a: 1 }, timeoutMs: 10_000, signal, ...more });
};
const secret = { headers: { authorization: "Bearer x" } };

it.each([
  [307, (): string => "/next", { method: "POST", body: '{"a":1}', secret: "Bearer x" }],
  [308, (): string => "/next", { method: "POST", body: '{"a":1}', secret: "Bearer x" }],
  [303, (): string => "/next", { method: "GET", body: "", secret: "Bearer x" }],
  // Credentials aren't sent to another host.
  [307, (port: string): string => `http://localhost:${port}/next`, { method: "POST", body: '{"a":1}' }],
])("webhook caller follows a %i", async (status, target, seen) => {
  await using server = await redirecting(status, target);
  expect(await ask(server.url, secret)).toEqual({ host: expect.any(String) as string, ...seen });
});

it("webhook caller stops after ten redirects", async () => {
  await using server = await redirecting(307, () => "/?again");
  await expect(ask(server.url)).rejects.toThrow(/stopped after 10 redirects/);
});

it("webhook caller connects to an endpoint and verifies the certificate for the host of the URL", async () => {
  const { ca, cert, key } = createServerCertificate(["hooks.system.svc"], Date.now());
  const server = createServer({ cert, key }, ({ headers }, response) => {
    response.end(JSON.stringify({ host: headers.host }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connectTo = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const more = { connectTo, caBundle: base64(ca) };
  await expect(ask("https://hooks.system.svc/v", more)).resolves.toEqual({ host: "hooks.system.svc" });
  await expect(ask("https://other.system.svc/v", more)).rejects.toThrow(/other\.system\.svc/);
  await new Promise((resolve) => server.close(resolve));
});
