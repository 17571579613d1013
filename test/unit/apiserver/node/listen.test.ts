import { connect } from "node:http2";
import { get } from "node:https";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Listener } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../../src/certificates/authority.js";

const certificate = createServerCertificate(["localhost", "127.0.0.1"], Date.now());
let server: ApiServer;
let listener: Listener;
beforeEach(async () => {
  server = createApiServer();
  listener = await listen(server, { tls: certificate });
});
afterEach(async () => {
  await listener.close();
  await server.close();
});

function overHttp2(origin: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connect(origin, { ca: certificate.ca });
    session.on("error", reject);
    const stream = session.request({ ":path": path });
    let text = "";
    stream
      .setEncoding("utf8")
      .on("data", (chunk: string) => (text += chunk))
      .on("error", reject)
      .on("end", () => {
        session.close();
        resolve(text);
      });
  });
}

function overHttps(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca: certificate.ca, agent: false }, (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve(text));
    }).on("error", reject);
  });
}

describe("listen on one port", () => {
  it.each([
    ["HTTP/1.1", () => fetch(`${listener.url}/version`).then((response) => response.text())],
    ["HTTP/2 without TLS", () => overHttp2(listener.url, "/version")],
    ["HTTPS", () => overHttps(`${listener.secureUrl!}/version`)],
    ["HTTP/2 over TLS", () => overHttp2(listener.secureUrl!, "/version")],
  ])("speaks %s", async (_name, read) => {
    expect(JSON.parse(await read())).toMatchObject({ gitVersion: "v1.36.3" });
  });

  it.each([
    ["GET", "/version", "known"],
    ["HEAD", "/version", "known"],
    ["GET", "/api/v1", "known"],
    ["HEAD", "/api/v1", "known"],
    ["HEAD", "/apis", "known"],
    ["GET", "/openapi/v3", "known"],
    ["GET", "/openapi/v3/nothing", "0"],
    ["HEAD", "/openapi/v3/nothing", "none"],
  ])("sends the content length of %s %s: %s", async (method, path, told) => {
    const response = await fetch(`${listener.url}${path}`, { method });
    await response.arrayBuffer();
    const length = response.headers.get("content-length");
    expect(length === null ? "none" : length === "0" ? "0" : "known").toBe(told);
  });

  it("ends a watch over HTTP/2 when the client disconnects", async () => {
    const watches = async (): Promise<boolean> =>
      (await (await fetch(`${listener.url}/metrics`)).text()).includes('resource="secrets",verb="WATCH"');
    const session = connect(listener.secureUrl!, { ca: certificate.ca });
    const stream = session.request({ ":path": "/api/v1/secrets?watch=1" });
    await new Promise((resolve) => stream.once("response", resolve));
    expect(await watches()).toBe(true);
    session.destroy();
    await expect.poll(watches, { timeout: 15_000 }).toBe(false);
  });

  it("ends a watch when the client disconnects", async () => {
    const controller = new AbortController();
    const response = await fetch(`${listener.url}/api/v1/namespaces?watch=1&resourceVersion=1`, {
      signal: controller.signal,
    });
    const reader = response.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    const count = async (): Promise<number> =>
      Number(
        /apiserver_longrunning_requests\{[^}]*resource="namespaces"[^}]*\} (\d+)/.exec(
          await (await fetch(`${listener.url}/metrics`)).text(),
        )?.[1] ?? 0,
      );
    expect(await count()).toBe(1);
    controller.abort();
    await expect.poll(count, { timeout: 15_000 }).toBe(0);
  });
});
