import { describe, expect, it } from "vitest";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { ClosedError, ProtocolError } from "../../../src/errors/errors.js";
import { createSpdyReader } from "../../../src/internal/streams/spdy-frames.js";
import { connect } from "../../../src/node/connection/connect.js";
import { connectPort } from "../../../src/streams/port-forward.js";
import { echoServer } from "./echo-server.js";
import { fakeCluster } from "./fake-cluster.js";
import { frames, readFrames } from "./fake-tunnel.js";
import { serve, until } from "./local-server.js";

const pod = { namespace: "apps", name: "web-0" };
const tunnel = "SPDY/3.1+portforward.k8s.io";

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

  it("sends the parts of writes in the order of the calls, and nothing after the end", async () => {
    await using fixture = await scripted((webSocket) =>
      webSocket.send(Buffer.concat([frames.reply(1), frames.reply(3)])),
    );
    const { connection, heard } = fixture;
    const sent = Promise.all([
      connection.write(Buffer.alloc(40_000, "a")),
      connection.write(Buffer.from("b")),
      connection.end(),
    ]);
    await expect(connection.write(Buffer.from("late"))).rejects.toThrow(ClosedError);
    await sent;
    await until(() => heard.length === 6);
    expect(heard.slice(2).map((frame) => frame.replace(/a{9,}/, "aa"))).toEqual([
      "data 3 aa",
      "data 3 aa",
      "data 3 b",
      "data 3  fin",
    ]);
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
      ["reset 3", "ping 2"],
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
      for (const { type, id, fin, data } of pieces.flatMap((piece) => [...reader.push(piece)])) {
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
