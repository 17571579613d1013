import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeIssuerFetch } from "../../../src/apiserver/node/issuer-fetch.js";
import { nodeWebhookCaller } from "../../../src/apiserver/node/webhooks.js";
import { connect } from "../../../src/node/connection/connect.js";
import { pki, serve } from "./local-server.js";

const name = "NODE_TLS_REJECT_UNAUTHORIZED";
const before = process.env[name];
beforeAll(() => {
  process.env[name] = "0";
});
afterAll(() => {
  if (before === undefined) delete process.env[name];
  else process.env[name] = before;
});

const { signal } = new AbortController();
const encoded = Buffer.from(pki("other-ca.crt")).toString("base64");

describe("NODE_TLS_REJECT_UNAUTHORIZED=0 doesn't disable the verification of", () => {
  it.each<[string, (url: string) => Promise<unknown>]>([
    ["a server with a configured authority", (server) => get({ server, ca: pki("other-ca.crt") })],
    ["a server without a configured authority", (server) => get({ server })],
    ["a server over HTTP/2", (server) => get({ server, ca: pki("other-ca.crt"), http2: true })],
    ["a server that a WebSocket goes to", (server) => webSocket({ server, ca: pki("other-ca.crt") })],
    ["a proxy", (proxyUrl) => get({ server: "https://127.0.0.1:1", ca: pki("other-ca.crt"), proxyUrl })],
    [
      "a webhook",
      (url) =>
        Promise.resolve(
          nodeWebhookCaller({ url, caBundle: encoded, headers: {}, body: {}, timeoutMs: 10_000, signal } as never),
        ),
    ],
    [
      "a token issuer",
      (url) => Promise.resolve(nodeIssuerFetch(url, { certificateAuthority: pki("other-ca.crt"), signal } as never)),
    ],
  ])("%s", async (_what, call) => {
    let requests = 0;
    await using server = await serve((_request, response) => {
      requests++;
      response.end("{}");
    }, {});
    await expect(call(server.url)).rejects.toThrow(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|unable to (?:verify|get)/);
    expect(requests).toBe(0);
  });

  it("but insecureSkipTlsVerify does", async () => {
    await using server = await serve((_request, response) => response.end("{}"), { certificate: "elsewhere" });
    await expect(get({ server: server.url, insecureSkipTlsVerify: true })).resolves.toEqual({});
  });
});

async function get(options: Parameters<typeof connect>[0]): Promise<unknown> {
  await using client = await connect({ env: {}, retry: false, ...options });
  return (await client.request({ path: "/api" })).json();
}

async function webSocket(options: Parameters<typeof connect>[0]): Promise<void> {
  await using client = await connect({ env: {}, retry: false, ...options });
  await client.openWebSocket({ path: "/api", protocols: ["a"] });
}
