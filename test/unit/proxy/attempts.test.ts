import { request as httpRequest } from "node:http";
import { connect as tcpConnect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as ws from "ws";
import { createClient } from "../../../src/client/client.js";
import { type ServedProxy, serveProxy } from "../../../src/node/proxy/serve-proxy.js";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import { readRules } from "../../../src/proxy/rules.js";
import { runCommand } from "../../../src/streams/run-command.js";
import { fetchTransport } from "../../../src/transport/fetch.js";
import { type Backend, secretToken, startBackend } from "./setup.js";

let backend: Backend;
let open: ServedProxy;
let guarded: ServedProxy;
const opened: string[] = [];

beforeAll(async () => {
  backend = await startBackend();
  const clusters = { prod: { transport: backend.transport } };
  const allow = [...readRules, { verbs: ["create"], resources: ["pods/exec"], namespaces: ["web"] }];
  open = await serveProxy(createProxy({ clusters, authenticate: "none", allow }), { port: 0 });
  guarded = await serveProxy(
    createProxy({
      clusters,
      allow: [{ resources: ["*"] }, { resources: ["pods/exec"] }],
      audit: ({ status, path }) => opened.push(`${status} ${path}`),
      authenticate: (request) =>
        request.headers.get("cookie") === "session=jane" ? { name: "jane", groups: [] } : undefined,
    }),
    { port: 0 },
  );
});
afterAll(async () => {
  await open.close();
  await guarded.close();
  await backend[Symbol.asyncDispose]();
});

/** Sends a request with exactly these headers, and resolves with the status and the text. */
function send(url: string, path: string, { method = "GET", ...headers }: Record<string, string> = {}) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    });
    request.on("error", reject);
    request.end();
  });
}

/** Opens a WebSocket with exactly these headers, and resolves with the status. */
function upgrade(url: string, path: string, headers: Record<string, string>) {
  return new Promise<number>((resolve, reject) => {
    const socket = new ws.WebSocket(url.replace("http", "ws") + path, ["v5.channel.k8s.io"], { headers, agent: false });
    socket.on("open", () => {
      socket.on("close", () => resolve(101));
      socket.close();
    });
    socket.on("unexpected-response", (_, response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    });
    socket.on("error", (error) => reject(error));
  });
}

const pods = "/clusters/prod/api/v1/namespaces/web/pods";
const exec = `${pods}/shop/exec?command=echo&stdout=true`;

describe("a proxy without users", () => {
  it("runs a command in a pod over a WebSocket", async () => {
    const client = createClient({
      transport: fetchTransport({ url: `${open.url}/clusters/prod`, WebSocket: ws.WebSocket as never }),
    });
    const input = "x".repeat(100_000);
    const result = await runCommand(client, { namespace: "web", name: "shop" }, { command: ["cat"], input });
    expect([result.code, result.stdout.length]).toEqual([0, 100_000]);
    await client.close();
  });

  it.each<[string, string, Record<string, string>, number]>([
    ["its own page", pods, { "sec-fetch-site": "same-origin" }, 200],
    ["a program", pods, {}, 200],
    ["a page with another DNS name for the address", pods, { host: "evil.example" }, 403],
    ["a page of another site", pods, { "sec-fetch-site": "cross-site" }, 403],
    ["a sibling site", pods, { "sec-fetch-site": "same-site" }, 403],
    ["a form of another site", pods, { method: "POST", origin: "https://evil.example" }, 403],
    ["a form with a hidden origin", pods, { method: "POST", origin: "null" }, 403],
    ["a path with dot segments", "/clusters/prod/api/../../../etc/passwd", {}, 400],
    ["a path with encoded dot segments", "/clusters/prod/api/%2e%2e/%2E%2e/x", {}, 400],
    ["a path with an encoded slash", "/clusters/prod/api/v1/namespaces/web%2Fpods%2Fshop", {}, 400],
    ["a path with a doubly encoded slash", "/clusters/prod/api/v1/namespaces/web%252Fpods", {}, 400],
    ["a path with an empty segment", "/clusters/prod/api/v1//secrets", {}, 400],
    ["a path with a backslash", "/clusters/prod/api\\v1/secrets", {}, 400],
    ["a path that names another host", "//evil.example/clusters/prod/version", {}, 400],
    ["an absolute request target", "http://evil.example/clusters/prod/version", {}, 400],
    ["a name from the prototype", "/clusters/__proto__/version", {}, 404],
    ["another name from the prototype", "/clusters/constructor/version", {}, 404],
    ["the deprecated watch prefix", "/clusters/prod/api/v1/watch/namespaces/bank/secrets", {}, 400],
    ["a proxy within the proxy", `${pods}/shop/proxy/`, {}, 403],
    ["a write", "/clusters/prod/api/v1/namespaces/web/configmaps", { method: "POST" }, 403],
    ["a token request", "/clusters/prod/api/v1/namespaces/web/serviceaccounts/default/token", { method: "POST" }, 403],
    ["the metrics of the cluster", "/clusters/prod/metrics", {}, 403],
  ])("answers %s with the right status: %s %j", async (_, path, headers, status) => {
    const answer = await send(open.url, path, headers);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(secretToken);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ["its own page", exec, { "sec-fetch-site": "same-origin" }, 101],
    ["a page of another site", exec, { origin: "https://evil.example" }, 403],
    ["a page with another DNS name", exec, { host: "evil.example", origin: "http://evil.example" }, 403],
    ["a namespace that no rule names", exec.replace("/web/", "/bank/"), {}, 403],
    ["a port", `${pods}/shop/portforward?ports=80`, {}, 403],
    ["a pod that doesn't exist", exec.replace("shop", "none"), {}, 404],
  ])("answers a WebSocket of %s: %s %j", async (_, path, headers, status) => {
    expect(await upgrade(open.url, path, headers)).toBe(status);
  });
});

describe("a proxy with users", () => {
  const cookie = "session=jane";

  it.each<[string, string, Record<string, string>, number]>([
    ["the user's page", pods, { cookie, "sec-fetch-site": "same-origin" }, 200],
    ["no session", pods, {}, 401],
    ["another session", pods, { cookie: "session=root" }, 401],
    ["a token instead of a session", pods, { authorization: `Bearer ${secretToken}` }, 401],
    ["a page of another site with the session", pods, { cookie, "sec-fetch-site": "cross-site" }, 403],
    ["an impersonation", pods.replace("web", "bank"), { cookie, "impersonate-group": "system:masters" }, 403],
    ["a hop-by-hop impersonation", pods.replace("web", "bank"), { cookie, connection: "impersonate-user" }, 403],
    ["a namespace without rights", "/clusters/prod/api/v1/namespaces/bank/secrets/vault", { cookie }, 403],
    ["all namespaces", "/clusters/prod/api/v1/secrets", { cookie }, 403],
  ])("answers %s with the right status: %s %j", async (_, path, headers, status) => {
    const answer = await send(guarded.url, path, headers);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/the-proxys-own-token|gold|Z29sZA/);
  });

  it("leaves commands to the cluster's rights, too", async () => {
    expect(await upgrade(guarded.url, exec, { cookie })).toBe(403);
    expect(opened.at(-1)).toBe("403 /api/v1/namespaces/web/pods/shop/exec");
  });
});

it("a proxy refuses a smuggled request with two lengths", async () => {
  const { port } = new URL(open.url);
  const socket = tcpConnect(Number(port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.write(
    "POST /clusters/prod/api/v1/pods HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
      "GET /clusters/prod/api/v1/namespaces/bank/secrets HTTP/1.1\r\nHost: localhost\r\n\r\n",
  );
  await new Promise((resolve) => socket.on("close", resolve));
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
});
