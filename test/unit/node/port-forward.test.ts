import type { AddressInfo, Socket } from "node:net";
import { connect as connectTcp, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { ConfigError, ProtocolError, TransportError } from "../../../src/errors/errors.js";
import { isForbidden } from "../../../src/errors/predicates.js";
import { createSpdyReader } from "../../../src/internal/streams/spdy-frames.js";
import { connect } from "../../../src/node/connection/connect.js";
import { forwardPorts } from "../../../src/node/pods/forward-ports.js";
import { connectPort } from "../../../src/streams/port-forward.js";
import { resolveService } from "../../../src/streams/service-target.js";
import { fakeCluster } from "./fake-cluster.js";
import type { FakeKubeletOptions } from "./fake-kubelet.js";
import { fakeKubelet } from "./fake-kubelet.js";
import { frames, readFrames } from "./fake-tunnel.js";
import { pki, serve, until } from "./local-server.js";

const pod = { namespace: "apps", name: "web-0" };
const [tunnel, channels] = ["SPDY/3.1+portforward.k8s.io", "v4.channel.k8s.io"];

async function echoServer(): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on("error", () => undefined)
      .on("close", () => sockets.delete(socket))
      .pipe(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const echo = (port: number, data: Buffer): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const socket = connectTcp(port, "127.0.0.1", () => void socket.write(data));
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= data.length) socket.destroy();
    });
    socket.on("error", () => undefined).on("close", () => resolve(Buffer.concat(chunks)));
  });

describe.each([tunnel, channels])("port forward over %s", (protocol) => {
  const options = { protocols: [protocol] };

  it("carries bytes in both directions over one connection", async () => {
    await using fixture = await fakeCluster({ ...options, tls: true });
    await using upstream = await echoServer();
    await using connection = await connectPort(fixture.client, pod, upstream.port);
    expect(connection.protocol).toBe(protocol);
    const sent = Buffer.alloc(300_000, "ab");
    void connection.write(sent);
    const got: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of connection.data) {
      got.push(chunk);
      if ((length += chunk.length) === sent.length) break;
    }
    expect(Buffer.compare(Buffer.concat(got), sent)).toBe(0);
    await until(() => fixture.kubelet.open() === 0);
  });

  it("reports the kubelet's message if the pod cannot be reached", async () => {
    await using fixture = await fakeCluster(options);
    await using connection = await connectPort(fixture.client, pod, 1);
    await expect(connection.data.next()).rejects.toThrow(
      /^forward port 1 of pod "web-0" in "apps": an error occurred forwarding 1: connect ECONNREFUSED/,
    );
  });

  it("rejects an invalid port", async () => {
    await using fixture = await fakeCluster(options);
    for (const port of [0, 65_536, 1.5])
      await expect(connectPort(fixture.client, pod, port)).rejects.toThrow(RangeError);
  });

  it("listens on local ports for many connections and leaves nothing behind", async () => {
    await using fixture = await fakeCluster(options);
    await using upstream = await echoServer();
    const forward = await forwardPorts(fixture.client, pod, { ports: [upstream.port, { remote: upstream.port }] });
    expect(forward.ports.map(({ remote }) => remote)).toEqual([upstream.port, upstream.port]);
    const data = Array.from({ length: 10 }, (_, index) => Buffer.alloc(100_000 + index, String(index)));
    const back = await Promise.all(data.map((bytes, index) => echo(forward.ports[index % 2]!.local, bytes)));
    expect(back.map((bytes, index) => Buffer.compare(bytes, data[index]!))).toEqual(data.map(() => 0));
    const idle = connectTcp(forward.ports[0]!.local, "127.0.0.1").on("error", () => undefined);
    await until(() => fixture.kubelet.open() > 0);
    await forward.close();
    await until(() => idle.destroyed && fixture.kubelet.open() === 0);
  });

  it("delivers the answer after the local side has half-closed", async () => {
    await using fixture = await fakeCluster(options);
    await using upstream = await echoServer();
    await using forward = await forwardPorts(fixture.client, pod, { ports: [upstream.port] });
    const data = Buffer.alloc(200_000, "z");
    const answer = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = [];
      const socket = connectTcp(
        { port: forward.ports[0]!.local, host: "127.0.0.1", allowHalfOpen: true },
        () => void socket.end(data),
      );
      socket.on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks)));
    });
    expect(Buffer.compare(answer, data)).toBe(0);
    await until(() => fixture.kubelet.open() === 0);
  });

  it("reports failed connections and keeps running; a port in use throws a ConfigError", async () => {
    await using fixture = await fakeCluster(options);
    const errors: unknown[] = [];
    await using forward = await forwardPorts(fixture.client, pod, {
      ports: [1],
      onError: (error) => errors.push(error),
    });
    expect(await echo(forward.ports[0]!.local, Buffer.from("x"))).toEqual(Buffer.alloc(0));
    await until(() => errors.length > 0);
    expect(String(errors[0])).toContain("an error occurred forwarding 1");
    await expect(
      forwardPorts(fixture.client, pod, { ports: [{ remote: 80, local: forward.ports[0]!.local }] }),
    ).rejects.toThrow(ConfigError);
    await expect(
      forwardPorts(fixture.client, pod, { ports: [80], signal: AbortSignal.abort(new Error("no")) }),
    ).rejects.toThrow("no");
    const controller = new AbortController();
    const leaving = forwardPorts(fixture.client, pod, { ports: [80, 81], signal: controller.signal });
    controller.abort(new Error("while it begins"));
    await expect(leaving).rejects.toThrow("while it begins");
  });

  it("resolves a ready pod and a named port of a service for each connection", async () => {
    await using upstream = await echoServer();
    const pods = [
      {
        metadata: { name: "gone", deletionTimestamp: "x" },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      },
      { metadata: { name: "starting" }, status: { phase: "Running" } },
      {
        metadata: { name: "ready" },
        spec: { containers: [{ ports: [{ name: "http", containerPort: upstream.port }] }] },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      },
    ];
    const seen: string[] = [];
    await using server = await serve((request, response) => {
      seen.push(request.url ?? "");
      const service = {
        spec: {
          selector: { app: "web", tier: "a" },
          ports: [
            { name: "web", port: 80, targetPort: "http" },
            { port: 81, targetPort: "none" },
          ],
        },
      };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url?.includes("/services/") ? service : { items: pods }));
    });
    const kubelet = fakeKubelet(server.server, options);
    await using client = await connect({ server: server.url, env: {}, retry: false });
    const errors: unknown[] = [];
    await using forward = await forwardPorts(
      client,
      { namespace: "apps", service: "web" },
      { ports: [80, { remote: "web" }, 81, 82], onError: (error) => errors.push(error) },
    );
    for (const { local } of forward.ports.slice(0, 2))
      expect((await echo(local, Buffer.from("hello"))).toString()).toBe("hello");
    pods.pop();
    for (const { local } of forward.ports.slice(2)) await echo(local, Buffer.from("x"));
    expect(kubelet.requests.map((url) => url.split("?")[0])).toEqual([
      "/api/v1/namespaces/apps/pods/ready/portforward",
      "/api/v1/namespaces/apps/pods/ready/portforward",
    ]);
    expect(seen[1]).toBe("/api/v1/namespaces/apps/pods?labelSelector=app%3Dweb%2Ctier%3Da");
    expect(errors.map(String)).toEqual([
      expect.stringContaining('pod "starting" has no port named "none"'),
      expect.stringContaining("has no port 82; it has 80, 81"),
    ]);
  });
});

it("port forward to a service without a selector never reaches a pod", async () => {
  const paths: string[] = [];
  const request = ({ path }: { path: string }): Promise<object> => {
    paths.push(path);
    return Promise.resolve({
      json: () =>
        Promise.resolve({
          spec: { ports: [{ port: 80 }] },
          items: [{ metadata: { name: "any" }, status: { phase: "Running" } }],
        }),
    });
  };
  await expect(resolveService({ request } as never, { namespace: "apps", service: "web" }, 80)).rejects.toThrow(
    'service "web" in "apps" has no selector',
  );
  expect(paths).toEqual(["/api/v1/namespaces/apps/services/web"]);
});

describe("port forward protocol", () => {
  const upstreamless = { protocols: [channels] };

  it("is negotiated in one request", async () => {
    for (const [options, chosen] of [
      [{}, tunnel],
      [upstreamless, channels],
    ] as const) {
      await using fixture = await fakeCluster(options);
      await using connection = await connectPort(fixture.client, pod, 1);
      expect([connection.protocol, fixture.kubelet.requests]).toEqual([
        chosen,
        ["/api/v1/namespaces/apps/pods/web-0/portforward?ports=1"],
      ]);
    }
  });

  it("falls back to v4 for good if a proxy rejects the tunnel", async () => {
    await using fixture = await fakeCluster({ strict: true });
    await using upstream = await echoServer();
    for (const requests of [2, 3]) {
      await using connection = await connectPort(fixture.client, pod, upstream.port);
      expect([connection.protocol, fixture.kubelet.requests.length]).toEqual([channels, requests]);
    }
  });

  it("is not requested twice if the server refuses", async () => {
    await using fixture = await fakeCluster();
    expect(
      isForbidden(
        await connectPort(fixture.client, { ...pod, name: "forbidden" }, 80).catch((error: unknown) => error),
      ),
    ).toBe(true);
    expect(fixture.kubelet.requests).toHaveLength(1);
  });

  it("v4 cannot half-close a connection and checks the port", async () => {
    await using fixture = await fakeCluster(upstreamless);
    await using upstream = await echoServer();
    await using connection = await connectPort(fixture.client, pod, upstream.port);
    await expect(connection.end()).rejects.toThrow(
      /^forward port \d+ of pod "web-0" in "apps": the server only supports v4.channel.k8s.io, which cannot half-close/,
    );
    await using other = await connectPort(fixture.client, pod, 2);
    await expect(other.data.next()).rejects.toThrow(ProtocolError);
  });
});

/** Server that sends scripted messages through a tunnel and records what the client sends. */
async function scripted(act: (webSocket: WebSocket, heard: string[]) => void) {
  const server = await serve((_, response) => void response.end());
  const heard: string[] = [];
  const webSockets = new WebSocketServer({ noServer: true, handleProtocols: () => "x" });
  webSockets.on("headers", (headers) =>
    headers.forEach((line, at) => (headers[at] = line.replace(/Protocol: x$/, `Protocol: ${tunnel}`))),
  );
  server.server.on("upgrade", (request, socket, head) => {
    request.headers["sec-websocket-protocol"] = "x";
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const read = readFrames(
        (kind, id, fin, payload, opened) =>
          void heard.push(
            `${kind} ${String(id)}${opened ? ` ${JSON.stringify(opened.headers)}` : kind === "data" ? ` ${payload.toString()}` : ""}${fin ? " fin" : ""}`,
          ),
      );
      webSocket.on("message", (data: Buffer) => read(data));
      webSocket.on("error", () => undefined);
      act(webSocket, heard);
    });
  });
  const client = await connect({ server: server.url, env: {}, retry: false });
  const connection = await connectPort(client, pod, 8080);
  return {
    heard,
    connection,
    async rest(): Promise<string> {
      let text = "";
      for await (const chunk of connection.data) text += Buffer.from(chunk).toString();
      return text;
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("port forward tunnel", () => {
  const opened = [
    'open 1 {"streamtype":"error","port":"8080","requestid":"0"} fin',
    'open 3 {"streamtype":"data","port":"8080","requestid":"0"}',
  ];

  it("opens two streams and writes after the server has accepted the data stream", async () => {
    let reply: () => void;
    await using fixture = await scripted(
      (webSocket) => (reply = () => webSocket.send(Buffer.concat([frames.reply(1), frames.reply(3)]))),
    );
    const writing = fixture.connection.write(Buffer.from("hello"));
    await until(() => fixture.heard.length === 2);
    expect(fixture.heard).toEqual(opened);
    reply!();
    await writing;
    await fixture.connection.end();
    await until(() => fixture.heard.length === 4);
    expect(fixture.heard.slice(2)).toEqual(["data 3 hello", "data 3  fin"]);
  });

  it.each<[string, (send: (...all: Buffer[]) => void, webSocket: WebSocket) => void, string | RegExp, string[]?]>([
    [
      "handles data until both streams end",
      (send) => send(frames.reply(3), frames.data(3, "ab"), frames.data(3, "cd", true), frames.data(1, "", true)),
      "abcd",
      ["reset 3"],
    ],
    [
      "handles an end of the data before the error message",
      (send) => send(frames.data(3, "ab", true), frames.data(1, "no  such\nport"), frames.reset(1)),
      /^forward port 8080 of pod "web-0" in "apps": no such port$/,
      ["reset 3"],
    ],
    [
      "handles an error message before the data",
      (send) => send(frames.data(1, "a "), frames.data(1, "failure", true), frames.reset(3)),
      /: a failure$/,
    ],
    [
      "handles a stream that is refused without a message",
      (send) => send(frames.reset(3), frames.reset(1)),
      /: the connection was reset$/,
    ],
    [
      "answers a ping",
      (send) => send(frames.ping(2), frames.ping(7), frames.data(3, "", true), frames.data(1, "", true)),
      "",
      ["ping 2", "reset 3"],
    ],
    [
      "ignores irrelevant frames",
      (send) =>
        send(
          frames.goAway(),
          frames.windowUpdate(),
          frames.data(3, "x", true),
          frames.data(3, "late"),
          frames.data(1, "", true),
        ),
      "x",
      ["reset 3"],
    ],
    [
      "handles a server that closes in the middle",
      (send, webSocket) => (send(frames.reply(3), frames.data(3, "ab")), webSocket.close(1000)),
      /: the connection closed before the pod ended it$/,
    ],
    [
      "handles a connection that breaks",
      (send, webSocket) => (send(frames.reply(3)), webSocket.terminate()),
      /: the peer closed the connection$/,
    ],
    ["rejects a stream it did not open", (send) => send(frames.data(5, "x")), /: unexpected frame on stream 5$/],
    [
      "rejects data that is not SPDY",
      (send) => send(Buffer.from("HTTP/1.1 200 OK\r\n\r\n").fill(0x80, 0, 1)),
      /data other than SPDY\/3.1/,
    ],
    [
      "rejects a frame that never ends",
      (send) => send(Buffer.from("8003000200ffffff", "hex")),
      /data other than SPDY\/3.1/,
    ],
    ["rejects a truncated frame", (send) => send(Buffer.from("8003000300000000", "hex")), /truncated SPDY frame/],
  ])("%s", async (_, act, outcome, said = []) => {
    await using fixture = await scripted(
      (webSocket, heard) =>
        void until(() => heard.length >= 2).then(() => act((...all) => webSocket.send(Buffer.concat(all)), webSocket)),
    );
    if (typeof outcome === "string") expect(await fixture.rest()).toBe(outcome);
    else await expect(fixture.rest()).rejects.toThrow(outcome);
    await until(() => fixture.heard.length >= 2 + said.length);
    expect(fixture.heard.slice(2)).toEqual(said);
    await expect(fixture.connection.write(Buffer.from("x"))).rejects.toThrow();
  });

  it("ends with its signal, even before the server has accepted it", async () => {
    await using fixture = await fakeCluster();
    await using upstream = await echoServer();
    const controller = new AbortController();
    const connection = await connectPort(fixture.client, pod, upstream.port, { signal: controller.signal });
    const next = connection.data.next();
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    await expect(connection.write(Buffer.from("x"))).rejects.toThrow();
    await until(() => fixture.kubelet.open() === 0);
  });

  it("parses frames from chunks of any size", () => {
    const all = Buffer.concat([
      frames.reply(3),
      frames.data(3, "hello"),
      frames.ping(2),
      frames.data(3, ""),
      frames.data(3, "x".repeat(300), true),
      frames.reset(1),
    ]);
    const whole = (pieces: Buffer[]) => {
      const reader = createSpdyReader((message) => new ProtocolError(message));
      const got: string[] = [];
      let text = "";
      for (const { type, id, fin, data } of pieces.flatMap((piece) => reader.push(piece))) {
        text += Buffer.from(data).toString();
        if (type !== "data" || fin) got.push(`${type} ${String(id)} ${String(fin)} ${text}`);
        if (type !== "data" || fin) text = "";
      }
      return got;
    };
    const expected = ["reply 3 false ", "ping 2 false hello", `data 3 true ${"x".repeat(300)}`, "reset 1 false "];
    expect(whole([all])).toEqual(expected);
    for (const size of [1, 2, 3, 7, 8, 9, 100]) {
      const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
        all.subarray(at * size, (at + 1) * size),
      );
      expect(whole(pieces)).toEqual(expected);
    }
  });
});
