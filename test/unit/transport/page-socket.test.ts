import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, fetch as undiciFetch } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as ws from "ws";
import { type Listener, listen } from "../../../src/apiserver/node/listen.js";
import { createClient } from "../../../src/client/client.js";
import { withImpersonation } from "../../../src/client/decorators/with-impersonation.js";
import type { Cluster } from "../../../src/cluster/cluster.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { type Clock, systemClock } from "../../../src/internal/clock.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import { connectPort } from "../../../src/streams/port-forward.js";
import { runCommand } from "../../../src/streams/run-command.js";
import { bearerToken } from "../../../src/transport/bearer-token.js";
import { type FetchTransportOptions, fetchTransport } from "../../../src/transport/fetch.js";

/** A class with the interface of the platform's WebSocket, on every version of Node. */
const PageWebSocket = ws.WebSocket as unknown as typeof WebSocket;
/** The platform's fetch keeps connections open for four seconds. */
const agent = new Agent({ keepAliveTimeout: 1, pipelining: 0 });
const shortFetch = ((url: string, init: object) =>
  undiciFetch(url, { ...init, dispatcher: agent })) as unknown as typeof fetch;
const target = { namespace: "default", name: "web" };
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

let cluster: Cluster;
let listener: Listener;

beforeAll(async () => {
  const user = (name: string, ...groups: string[]) => ({ name, uid: "", groups, extra: {} });
  cluster = await createCluster({
    images: {
      "web:*": {
        ports: {
          async 80(connection) {
            for await (const bytes of connection.input) await connection.write(bytes);
          },
        },
      },
    },
    server: {
      authorizationMode: "RBAC",
      tokens: new Map([
        ["s/e+c=ret", user("admin", "system:masters")],
        ["guest", user("guest")],
      ]),
    },
  });
  const containers = [{ name: "main", image: "web:1", ports: [{ containerPort: 80 }] }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { containers } });
  await cluster.until(Pod, "default/web", (pod) => pod?.status?.phase === "Running");
  listener = await listen(cluster.server);
});
afterAll(async () => {
  await listener.close();
  await cluster.close();
  await agent.close();
});

function pageClient(token?: string, options: Partial<FetchTransportOptions> = {}) {
  return createClient({
    transport: fetchTransport({ url: listener.url, WebSocket: PageWebSocket, fetch: shortFetch, ...options }),
    ...(token !== undefined && { interceptors: [bearerToken(token)] }),
  });
}

describe("fetchTransport with the WebSocket of a page", () => {
  it("runs a command, with the bearer token as a subprotocol", async () => {
    const client = pageClient("s/e+c=ret");
    const input = "x".repeat(300_000);
    const result = await runCommand(client, target, { command: ["cat"], input });
    expect([result.code, decode(result.stdout) === input]).toEqual([0, true]);
    await client.close();
  });

  it("forwards a port", async () => {
    const client = pageClient("s/e+c=ret");
    const connection = await connectPort(client, target, 80);
    await connection.write(new TextEncoder().encode("ping"));
    const { value } = await connection.data.next();
    expect(decode(value as Uint8Array)).toBe("ping");
    await connection.close();
    await client.close();
  });

  it.each([
    ["a user without the right", "guest", "main", 403, "guest"],
    ["an unknown token", "wrong", "main", 401, "Unauthorized"],
    ["a container that the pod doesn't have", "s/e+c=ret", "other", 400, "container other is not valid for pod web"],
  ])("says why the server refuses %s", async (_user, token, container, code, message) => {
    const client = pageClient(token);
    await expect(runCommand(client, target, { command: ["true"], container })).rejects.toMatchObject({
      name: "StatusError",
      code,
      message: expect.stringMatching(new RegExp(`^exec in pod "web" in "default": ${code} .*${message}`)) as string,
    });
    await client.close();
  });

  it("rejects when the server can't be reached", async () => {
    const client = pageClient(undefined, { url: "http://127.0.0.1:9" });
    await expect(runCommand(client, target, { command: ["true"] })).rejects.toMatchObject({ name: "TransportError" });
    await client.close();
  });

  it("names the header that a page can't send", async () => {
    const client = withImpersonation(pageClient("s/e+c=ret"), { user: "jane" });
    await expect(runCommand(client, target, { command: ["true"] })).rejects.toThrow(/header impersonate-user: a page/);
    await client.close();
  });

  it("ends when the caller's signal aborts", async () => {
    const client = pageClient("s/e+c=ret");
    const stop = new AbortController();
    const running = runCommand(client, target, { command: ["sleep", "1000"], signal: stop.signal });
    setImmediate(() => stop.abort(new Error("enough")));
    await expect(running).rejects.toThrow("enough");
    await client.close();
  });
});

describe("relative URLs of fetchTransport", () => {
  const urlOf = async (url: string): Promise<string> => {
    const urls: string[] = [];
    const transport = fetchTransport({
      url,
      fetch: (input) => {
        urls.push(String(input));
        return Promise.resolve(new Response("{}"));
      },
    });
    const { signal } = new AbortController();
    const { body } = await transport.send({ method: "GET", path: "/api", headers: {}, signal });
    await body[Symbol.asyncIterator]().return!();
    return urls[0]!;
  };

  it.each([
    ["/clusters/prod", "https://page.example/clusters/prod/api"],
    ["k8s/", "https://page.example/app/k8s/api"],
    ["https://other.example/x", "https://other.example/x/api"],
  ])("resolve %s against the page", async (url, expected) => {
    vi.stubGlobal("location", { href: "https://page.example/app/index.html?a#b" });
    expect(await urlOf(url)).toBe(expected);
    vi.unstubAllGlobals();
  });

  it("are an error outside of a page", () => {
    expect(() => fetchTransport({ url: "/clusters/prod" })).toThrow("it is relative, and only a page");
  });
});

describe("a page whose watches hold all connections", () => {
  /** Clock whose timers fire when `pass` is called. */
  function manualClock(): { clock: Clock; pass(): void } {
    let timers: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      setTimer(callback) {
        timers.push(callback);
        return { cancel: () => (timers = timers.filter((each) => each !== callback)) };
      },
    };
    return { clock, pass: () => timers.splice(0).forEach((callback) => callback()) };
  }

  async function page(origin: string, watches: number) {
    vi.stubGlobal("location", { href: `${origin}/` });
    const warnings: string[] = [];
    const { clock, pass } = manualClock();
    const stop = new AbortController();
    const transport = fetchTransport({
      url: "/k8s",
      clock,
      onWarning: (message) => warnings.push(message),
      fetch: (url) =>
        String(url).endsWith("/late")
          ? new Promise(() => undefined)
          : Promise.resolve(new Response(new ReadableStream())),
    });
    const send = (path: string) => transport.send({ method: "GET", path, headers: {}, signal: stop.signal });
    const open = [];
    for (let index = 0; index < watches; index++) open.push(await send("/watch"));
    send("/late").catch(() => undefined);
    pass();
    send("/late").catch(() => undefined);
    pass();
    stop.abort();
    for (const { body } of open) await body[Symbol.asyncIterator]().return!();
    vi.unstubAllGlobals();
    return warnings;
  }

  it("is warned once when a request waits behind six of them", async () => {
    const warnings = await page("https://busy.example", 6);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/6 open responses hold all connections .* to https:\/\/busy\.example over HTTP\/1\.1/);
  });

  it("isn't warned with five of them, or when they have ended", async () => {
    expect(await page("https://calm.example", 5)).toEqual([]);
    expect(await page("https://calm.example", 5)).toEqual([]);
  });
});

it("fetchTransport closes a WebSocket whose reader falls 64 MiB behind", async () => {
  const http = createServer();
  const server = new ws.WebSocketServer({ server: http });
  server.on("connection", (socket) => {
    const part = new Uint8Array(8 * 1024 * 1024);
    for (let index = 0; index < 10; index++) socket.send(part);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const transport = fetchTransport({ url, WebSocket: PageWebSocket });
  const { signal } = new AbortController();
  const socket = await transport.connect!({ method: "GET", path: "/", headers: {}, signal }, []);
  await expect.poll(() => server.clients.size, { timeout: 20_000 }).toBe(0);
  let read = 0;
  const all = (async () => {
    for await (const message of socket.messages) read += message.length;
  })();
  await expect(all).rejects.toThrow(/over 67108864 bytes waited for the reader/);
  expect(read).toBeGreaterThan(60_000_000);
  server.close();
  await new Promise((resolve) => http.close(resolve));
});
