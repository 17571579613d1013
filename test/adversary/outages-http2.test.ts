import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants, createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { connect as connectTcp, createServer } from "node:net";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { createApiServer } from "../../src/apiserver/server.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import type { InformerStatus } from "../../src/cache/informer/informer-status.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import type { ConnectOptions } from "../../src/node/connection/connect.js";
import { connect } from "../../src/node/connection/connect.js";
import { createVirtualClock } from "../support/virtual-clock.js";
import { pki, until } from "../unit/node/local-server.js";

/** Serves over HTTP/2, behind a line of TCP that can fall silent without a FIN. */
async function serveHttp2(
  handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  maxConcurrentStreams = 100,
) {
  const server = createSecureServer(
    { cert: pki("server.crt"), key: pki("server.key"), settings: { maxConcurrentStreams } },
    handle,
  );
  const sockets = new Set<Socket>();
  const lines = new Set<{ dead: boolean }>();
  let pings = 0;
  server.on("session", (session: ServerHttp2Session) => {
    session.on("error", () => undefined).on("ping", () => pings++);
    session.on("stream", (stream: ServerHttp2Stream) => stream.on("error", () => undefined));
  });
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const listen = (what: typeof server | ReturnType<typeof createServer>): Promise<number> =>
    new Promise((resolve) => what.listen(0, "127.0.0.1", () => resolve((what.address() as AddressInfo).port)));
  const port = await listen(server);
  let connections = 0;
  const front = createServer((near) => {
    connections++;
    const line = { dead: false };
    lines.add(line);
    const far = keep(connectTcp(port, "127.0.0.1"));
    keep(near).on("data", (data) => line.dead || far.write(data));
    far.on("data", (data) => line.dead || near.write(data));
    near.on("close", () => line.dead || far.destroy());
    far.on("close", () => line.dead || near.destroy());
  });
  const frontPort = await listen(front);
  return {
    connections: () => connections,
    pings: () => pings,
    /** Loses everything that is sent on the open connections, in both directions. */
    fallSilent() {
      for (const line of lines) line.dead = true;
      lines.clear();
    },
    /** Closes the open connections. */
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    client: (options: ConnectOptions) =>
      connect({
        server: `https://127.0.0.1:${String(frontPort)}`,
        ca: pki("ca.crt"),
        token: "t",
        env: {},
        http2: true,
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([server, front].map((each) => new Promise((resolve) => each.close(resolve))));
    },
  };
}

/** Leaves watches open, and answers everything else. */
const watchesAndReads = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
  if (request.url.startsWith("/watch")) response.write("first");
  else response.end("{}");
};

it("HTTP/2 transport replaces a connection whose peer is gone without a FIN", async () => {
  const clock = createVirtualClock();
  await using served = await serveHttp2(watchesAndReads);
  const client = await served.client({ retry: false, clock });
  const watch = (await client.request({ path: "/watch", stream: true })).body[Symbol.asyncIterator]();
  await watch.next();
  served.fallSilent();
  const lost = expect(watch.next()).rejects.toMatchObject({ code: "ERR_HTTP2_SESSION_ERROR" });
  const read = expect(client.request({ path: "/read" })).rejects.toMatchObject({ code: "ERR_HTTP2_SESSION_ERROR" });
  await clock.advance(90_000);
  await Promise.all([lost, read]);
  expect(await (await client.request({ path: "/read" })).json()).toEqual({});
  expect(served.connections()).toBe(2);
  await client.close();
  expect(clock.pending).toBe(0);
});

it("HTTP/2 transport keeps a silent connection whose server answers a PING", async () => {
  const clock = createVirtualClock();
  await using served = await serveHttp2(watchesAndReads);
  const client = await served.client({ retry: false, clock });
  const watch = await client.request({ path: "/watch", stream: true });
  await watch.body[Symbol.asyncIterator]().next();
  for (let pings = 1; pings <= 3; pings++) {
    await clock.advance(pings === 1 ? 60_000 : 30_000);
    await until(() => served.pings() === pings);
    // The answer of the server follows its acknowledgement.
    await (await client.request({ path: "/read" })).json();
    await clock.advance(15_000);
  }
  expect(served.connections()).toBe(1);
  watch.close();
  await client.close();
  expect(clock.pending).toBe(0);
});

it("HTTP/2 transport opens another connection when the server's limit of streams is reached", async () => {
  await using served = await serveHttp2(watchesAndReads, 3);
  const client = await served.client({ retry: false });
  for (let count = 0; count < 7; count++) {
    const { body } = await client.request({ path: `/watch${String(count)}`, stream: true });
    await body[Symbol.asyncIterator]().next();
  }
  expect(await (await client.request({ path: "/read" })).json()).toEqual({});
  expect(served.connections()).toBe(3);
  await client.close();
});

type Trouble = (request: Http2ServerRequest, response: Http2ServerResponse, count: number) => boolean;

const isWatch = ({ url }: Http2ServerRequest): boolean => url.includes("watch=");
/** Breaks a response off after its first bytes. */
const breakOff = (response: Http2ServerResponse, code: number): true => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write("\n");
  response.stream.close(code);
  return true;
};

const table: readonly {
  readonly outage: string;
  /** Returns true if it has dealt with the request. */
  readonly trouble: Trouble;
  readonly during: Partial<Record<keyof InformerStatus | "kind", unknown>>;
  readonly maxConcurrentStreams?: number;
  /** True if the store follows the server even so. */
  readonly current?: true;
}[] = [
  {
    outage: "GOAWAY for every request",
    trouble: (request) => {
      request.stream.session!.goaway(constants.NGHTTP2_NO_ERROR, 0);
      return true;
    },
    during: { type: "backingOff", kind: "transport" },
  },
  {
    outage: "GOAWAY for every third request",
    trouble: (request, _response, count) => {
      if (count % 3 > 0) return false;
      request.stream.session!.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0);
      return true;
    },
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "RST_STREAM for every request",
    trouble: (_request, response) => {
      response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return true;
    },
    during: { type: "backingOff", kind: "transport" },
  },
  {
    outage: "REFUSED_STREAM for every third request",
    trouble: (_request, response, count) => {
      if (count % 3 > 0) return false;
      response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return true;
    },
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "RST_STREAM within every watch",
    trouble: (request, response) => isWatch(request) && breakOff(response, constants.NGHTTP2_INTERNAL_ERROR),
    during: { type: "backingOff", kind: "transport" },
  },
  {
    outage: "RST_STREAM within every list",
    trouble: (request, response) => {
      if (!isWatch(request)) return breakOff(response, constants.NGHTTP2_PROTOCOL_ERROR);
      response.writeHead(410).end();
      return true;
    },
    during: { type: "backingOff" },
  },
  {
    outage: "RST_STREAM with CANCEL within every watch",
    trouble: (request, response) => isWatch(request) && breakOff(response, constants.NGHTTP2_CANCEL),
    during: { type: "backingOff", kind: "transport" },
  },
  {
    outage: "a limit of one stream for each connection",
    maxConcurrentStreams: 1,
    trouble: () => false,
    during: { type: "watching" },
    current: true,
  },
];

it.each(table)("informer over HTTP/2 during $outage says so and shows the server's objects after it", async (row) => {
  await using api = createApiServer({ controllers: false });
  let trouble: Trouble | undefined;
  let count = 0;
  const handle = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    if (trouble?.(request, response, count++) === true) return;
    const left = new AbortController();
    response.stream.once("close", () => left.abort());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const type = request.headers["content-type"];
    const { accept } = request.headers;
    const answer = await api.handle(
      new Request(`http://localhost${request.url}`, {
        method: request.method,
        signal: left.signal,
        headers: { ...(type !== undefined && { "content-type": type }), ...(accept !== undefined && { accept }) },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type")! });
    if (answer.body === null) response.end();
    else
      Readable.fromWeb(answer.body as never)
        .on("error", () => response.stream.close(constants.NGHTTP2_INTERNAL_ERROR))
        .pipe(response.stream);
  };
  await using served = await serveHttp2(
    (request, response) => void handle(request, response).catch(() => response.stream.close()),
    row.maxConcurrentStreams,
  );
  const client = await served.client({ retry: { maxRetries: 2, initialMs: 1 } });
  const write = (name: string): Promise<unknown> =>
    api.handle(
      new Request("http://localhost/api/v1/namespaces/default/configmaps", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name } }),
      }),
    );
  await write("before");
  await using informer = createInformer(client.resource(ConfigMap).namespace("default"), {
    backoff: { initialMs: 1, factor: 2, capMs: 20, jitter: 0 },
  });
  const isLive = (name: string): boolean =>
    informer.status.type === "watching" && informer.store.has(`default/${name}`);
  informer.start();
  await until(() => isLive("before"));

  trouble = row.trouble;
  const statuses: InformerStatus[] = [];
  informer.onStatus((status) => statuses.push(status));
  served.cut();
  await until(() => statuses.some(({ type }) => type === row.during.type));
  expect(statuses.find(({ type }) => type === row.during.type)).toMatchObject(row.during);
  await write("during");
  if (row.current === true) await until(() => informer.store.has("default/during"));
  else expect([...informer.store.list()].map(({ metadata }) => metadata?.name)).toEqual(["before"]);

  trouble = undefined;
  await until(() => isLive("during"));
  await write("after");
  await until(() => isLive("after"));
  expect(informer.store.size).toBe(3);
  await informer.close();
  await client.close();
});
