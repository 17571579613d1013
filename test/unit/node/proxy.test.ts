import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect as connectTcp, createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { TransportError } from "../../../src/errors/errors.js";
import { connect } from "../../../src/node/connection/connect.js";
import { parseProxyUrl, proxyFromEnvironment } from "../../../src/node/transport/proxy-environment.js";
import { pki, serve } from "./local-server.js";

describe("proxy from the environment, by Go's rules", () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ["https://h", {}, undefined],
    ["https://h", { HTTPS_PROXY: "http://p:1" }, "http://p:1/"],
    ["https://h", { https_proxy: "http://p:1" }, "http://p:1/"],
    ["https://h", { HTTPS_PROXY: "http://p:1", https_proxy: "http://q:1" }, "http://p:1/"],
    ["https://h", { HTTP_PROXY: "http://p:1" }, undefined],
    ["http://h", { HTTP_PROXY: "p:1" }, "http://p:1/"],
    ["http://h", { HTTP_PROXY: "p:1", REQUEST_METHOD: "GET" }, undefined],
    ["https://h", { HTTPS_PROXY: "socks5://p" }, "socks5://p"],
    ["https://localhost:6443", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://127.9.9.9", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://[::1]", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://h", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
    ["https://api.example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com" }, undefined],
    ["https://example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: " EXAMPLE.com ,x" }, undefined],
    ["https://badexample.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com" }, "http://p:1/"],
    ["https://example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: ".example.com" }, "http://p:1/"],
    ["https://a.example.com", { HTTPS_PROXY: "http://p:1", no_proxy: "*.example.com" }, undefined],
    ["https://h:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "h:6443" }, undefined],
    ["https://h:6444", { HTTPS_PROXY: "http://p:1", NO_PROXY: "h:6443" }, "http://p:1/"],
    ["https://h", { HTTPS_PROXY: "http://p:1", NO_PROXY: "h:443" }, undefined],
    ["https://10.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, undefined],
    ["https://11.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, "http://p:1/"],
    ["https://10.1.2.3:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.1.2.3:6443" }, undefined],
    ["https://[fd00::5]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "fd00::/8" }, undefined],
    ["https://[fd00::5]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "fd00::5" }, undefined],
    ["https://[fd00::5]:1", { HTTPS_PROXY: "http://p:1", NO_PROXY: "[fd00::5]:2" }, "http://p:1/"],
    ["https://10.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/99,,:443,[" }, "http://p:1/"],
  ])("for %s with %j is %s", (target, env, proxy) => {
    expect(proxyFromEnvironment(new URL(target), env)?.href).toBe(proxy);
  });

  it.each(["http://u:s3cret%@p", "http://%zzs3cret@p", "ftp://u:s3cret@p", "http://u:s3cret@[", "http://"])(
    "rejects %j without quoting it",
    (value) => {
      expect(() => parseProxyUrl(value, "X")).toThrow(/^X: /);
      expect(() => parseProxyUrl(value, "X")).not.toThrow(/s3cret/);
    },
  );
});

interface Proxy extends AsyncDisposable {
  readonly url: string;
  readonly targets: string[];
  readonly authorizations: (string | undefined)[];
}

/** HTTP proxy that connects every tunnel to the same port, whatever host was requested. */
async function httpProxy(port: number, tls: boolean, demand?: string): Promise<Proxy> {
  const targets: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const proxy = await serve((_request, response) => response.writeHead(405).end(), tls ? {} : undefined);
  proxy.server.on("connect", (request: IncomingMessage, client: Socket) => {
    targets.push(request.url ?? "");
    authorizations.push(request.headers["proxy-authorization"]);
    if (demand !== undefined && request.headers["proxy-authorization"] !== demand) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nx: s3cret\r\n\r\n");
      return;
    }
    relay(client, port, () => void client.write("HTTP/1.1 200 Connection established\r\nx: y\r\n\r\n"));
  });
  return Object.assign(proxy, { targets, authorizations });
}

function relay(client: Socket, port: number, ready: () => void): void {
  const upstream = connectTcp(port, "127.0.0.1", () => {
    ready();
    client.pipe(upstream).pipe(client);
  });
  upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
  client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
}

/** Returns the offset after the address in a SOCKS5 request: IPv4, IPv6, or a name with its length. */
const addressEnd = (request: Buffer): number => (request[3] === 1 ? 8 : request[3] === 4 ? 20 : 5 + request[4]!);

/** SOCKS5 proxy, by RFC 1928 and RFC 1929. */
async function socksProxy(port: number, login?: { user: string; password: string }): Promise<Proxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined).on("close", () => sockets.delete(client));
    let step: "greeting" | "login" | "request" = "greeting";
    let held = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      held = Buffer.concat([held, chunk]);
      if (step === "greeting" && held.length >= 2 && held.length >= 2 + held[1]!) {
        const methods = held.subarray(2, 2 + held[1]!);
        held = held.subarray(2 + held[1]!);
        step = login ? "login" : "request";
        client.write(Uint8Array.from([5, login ? (methods.includes(2) ? 2 : 255) : 0]));
      } else if (step === "login" && held.length > 2) {
        const user = held.subarray(2, 2 + held[1]!).toString();
        const password = held.subarray(3 + held[1]!).toString();
        held = Buffer.alloc(0);
        step = "request";
        client.write(Uint8Array.from([1, user === login?.user && password === login.password ? 0 : 1]));
      } else if (step === "request" && held.length >= 5 && held.length >= addressEnd(held) + 2) {
        const end = addressEnd(held);
        const host =
          held[3] === 3 ? held.subarray(5, end).toString() : `type ${held[3]!} ${held.toString("hex", 4, end)}`;
        targets.push(`${host}:${String(held.readUInt16BE(end))}`);
        client.off("data", onData);
        relay(client, port, () => void client.write(Uint8Array.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])));
      }
    };
    client.on("data", onData);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `socks5://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    targets,
    authorizations: [],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const answering = (tls: boolean) =>
  serve(
    (request, response) =>
      response.end(JSON.stringify({ url: request.url, authorization: request.headers.authorization ?? null })),
    tls ? {} : undefined,
  );
const login = (url: string): string => url.replace("://", "://us%40er:s3cret@");
const basic = `Basic ${Buffer.from("us@er:s3cret").toString("base64")}`;

describe("tunnel through", () => {
  it.each<[string, boolean, (port: number) => Promise<Proxy>, boolean]>([
    ["an http proxy to https", true, (port) => httpProxy(port, false), false],
    ["an http proxy with a login", true, (port) => httpProxy(port, false, basic), true],
    ["an http proxy to http", false, (port) => httpProxy(port, false), false],
    ["a SOCKS5 proxy to https", true, (port) => socksProxy(port), false],
    ["a SOCKS5 proxy with a login", true, (port) => socksProxy(port, { user: "us@er", password: "s3cret" }), true],
    ["a SOCKS5 proxy to http", false, (port) => socksProxy(port), false],
  ])("%s", async (_name, tls, start, withLogin) => {
    await using server = await answering(tls);
    await using proxy = await start(server.port);
    const url = `${tls ? "https" : "http"}://cluster.test:6443`;
    await using client = await connect({
      server: url,
      ca: pki("ca.crt"),
      token: "t0ken",
      env: { [tls ? "HTTPS_PROXY" : "HTTP_PROXY"]: withLogin ? login(proxy.url) : proxy.url },
    });
    for (let index = 0; index < 3; index++)
      expect(await (await client.request({ path: "/x" })).json()).toEqual({
        url: "/x",
        authorization: tls ? "Bearer t0ken" : null,
      });
    expect(proxy.targets).toEqual(["cluster.test:6443"]);
    expect(server.connections()).toBe(1);
  });

  it.each([
    ["10.1.2.3", "type 1 0a010203"],
    ["[fd00::5]", "type 4 fd000000000000000000000000000005"],
    ["[::ffff:10.1.2.3]", "type 4 00000000000000000000ffff0a010203"],
    ["[1:2:3:4:5:6:7:8]", "type 4 00010002000300040005000600070008"],
  ])("a SOCKS5 proxy sends the address %s as an address", async (host, target) => {
    await using server = await answering(false);
    await using proxy = await socksProxy(server.port);
    await using client = await connect({ server: `http://${host}:6443`, proxyUrl: proxy.url, env: {} });
    await client.request({ path: "/x" });
    expect(proxy.targets).toEqual([`${target}:6443`]);
  });

  it("an https proxy is accepted only with a certificate from the cluster's authority", async () => {
    await using server = await answering(true);
    await using proxy = await httpProxy(server.port, true);
    const options = { server: "https://cluster.test:6443", proxyUrl: proxy.url, env: {}, retry: false } as const;
    await using client = await connect({ ...options, ca: pki("ca.crt") });
    expect(await (await client.request({ path: "/x" })).json()).toMatchObject({ url: "/x" });
    await using other = await connect({ ...options, ca: pki("other-ca.crt") });
    await expect(other.request({ path: "/x" })).rejects.toMatchObject({
      name: "TransportError",
      code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    });
    expect(proxy.targets).toEqual(["cluster.test:6443"]);
  });
});

describe("proxy error is a TransportError without the password for", () => {
  it.each<[string, (port: number) => Promise<Proxy>, boolean, RegExp]>([
    [
      "an http proxy that requires a login",
      (port) => httpProxy(port, false, basic),
      false,
      /requires a valid user name and password/,
    ],
    [
      "a SOCKS5 proxy that requires a login",
      (port) => socksProxy(port, { user: "a", password: "b" }),
      false,
      /requires another authentication method/,
    ],
    [
      "a SOCKS5 proxy that requires another login",
      (port) => socksProxy(port, { user: "a", password: "b" }),
      true,
      /rejected the user name or password/,
    ],
  ])("%s", async (_name, start, withLogin, message) => {
    await using server = await answering(true);
    await using proxy = await start(server.port);
    await using client = await connect({
      server: "https://cluster.test",
      ca: pki("ca.crt"),
      proxyUrl: withLogin ? login(proxy.url) : proxy.url,
      env: {},
    });
    const failure = await client.request({ path: "/x" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect((failure as Error).message).toMatch(message);
    expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
  });

  it("a proxy that refuses connections", async () => {
    const proxy = await httpProxy(0, false);
    await proxy[Symbol.asyncDispose]();
    await using client = await connect({ server: "https://cluster.test", proxyUrl: login(proxy.url), env: {} });
    const failure = await client.request({ path: "/x" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "TransportError", code: "ECONNREFUSED" });
    expect((failure as Error).message).toBe(`GET /x: proxy ${proxy.url}: connection refused (ECONNREFUSED)`);
    expect(inspect(failure, { depth: 10 })).not.toContain("s3cret");
  });

  it("a proxy that does not respond in time", async () => {
    const silent = createServer((socket) => void socket.on("error", () => undefined).resume());
    const sockets = new Set<Socket>();
    silent.on("connection", (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
    await using client = await connect({
      server: "https://cluster.test",
      proxyUrl: `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`,
      connectTimeoutMs: 100,
      env: {},
      retry: false,
    });
    await expect(client.request({ path: "/x" })).rejects.toMatchObject({
      name: "TransportError",
      code: "UND_ERR_CONNECT_TIMEOUT",
    });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});

it.each<[string, boolean, (port: number) => Promise<Proxy>]>([
  ["an http proxy elsewhere", false, (port) => httpProxy(port, false)],
  ["a SOCKS5 proxy elsewhere", false, (port) => socksProxy(port)],
  ["an http proxy on the loopback interface", true, (port) => httpProxy(port, false)],
])(
  "transport sends the token for http://localhost in clear text only through the loopback interface: %s",
  async (_name, sent, start) => {
    await using server = await answering(false);
    const { port } = new URL(server.url);
    await using proxy = await start(Number(port));
    // On the machine itself 0.0.0.0 is reachable, but it isn't a loopback name.
    const proxyUrl = sent ? proxy.url : proxy.url.replace("127.0.0.1", "0.0.0.0");
    await using client = await connect({ server: `http://localhost:${port}`, proxyUrl, token: "s3cret", env: {} });
    const { authorization } = (await (await client.request({ path: "/x" })).json()) as { authorization: string | null };
    expect(authorization).toBe(sent ? "Bearer s3cret" : null);
  },
);
