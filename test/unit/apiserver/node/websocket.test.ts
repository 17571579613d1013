import { once } from "node:events";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Listener, listen } from "../../../../src/apiserver/node/listen.js";
import { createFrameSink, serveUpgrade } from "../../../../src/apiserver/node/web-socket.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { exchange } from "../../../support/raw-http.js";
import { clientFrame, visit } from "../../../support/websocket-client.js";

const maps = "/api/v1/namespaces/default/configmaps";
const accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const encodedToken = `base64url.bearer.authorization.k8s.io.${Buffer.from("secret").toString("base64url")}`;
let server: ApiServer;
let listener: Listener;

beforeEach(async () => {
  server = createApiServer({
    controllers: false,
    authorizationMode: "RBAC",
    corsAllowedOrigins: ["//page\\.test$", "^null$"],
    tokens: new Map([
      ["admin-token", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }],
      ["secret", { name: "page", uid: "", groups: ["system:masters"], extra: {} }],
    ]),
  });
  listener = await listen(server, { allowedHosts: ["server", "h"] });
  await server.load([
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one", namespace: "default" },
      data: { long: "x".repeat(200) },
    },
  ]);
});
afterEach(async () => {
  await listener.close();
  await server.close();
});

describe("watches over a WebSocket", () => {
  it("send each event as a message, and a close frame when the server is done", async () => {
    const { head, frames, ended } = await visit(listener.url, `${maps}?watch=1&resourceVersion=0&timeoutSeconds=1`);
    expect(head.split("\r\n")).toEqual([
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      accept,
    ]);
    expect(frames.map(({ opcode }) => opcode)).toEqual([0x81, 0x88]);
    expect(JSON.parse(frames[0]!.payload.toString())).toMatchObject({
      type: "ADDED",
      object: { metadata: { name: "one" } },
    });
    expect(frames[1]!.payload.toString("hex")).toBe("03e8");
    expect(ended).toBe(true);
  });

  it("send later events as one message each, until the client ends them", async () => {
    let written = false;
    const { frames, ended } = await visit(listener.url, `${maps}?watch=1&resourceVersion=0`, {
      onFrames(seen, sent) {
        if (seen.length > 0 && !written) {
          written = true;
          void Promise.all(
            ["a", "b"].map((name) =>
              server.handle(
                new Request(`http://server${maps}`, {
                  method: "POST",
                  headers: { authorization: "Bearer admin-token", "content-type": "application/json" },
                  body: JSON.stringify({ metadata: { name } }),
                }),
              ),
            ),
          );
        }
        return seen.length === 3 && sent === 0 ? clientFrame(8, Buffer.from([3, 232])) : undefined;
      },
    });
    expect(
      frames
        .slice(0, -1)
        .map(
          ({ payload }) =>
            (JSON.parse(payload.toString()) as { object: { metadata: { name: string } } }).object.metadata.name,
        ),
    ).toEqual(["one", "a", "b"]);
    expect(frames.at(-1)!.payload.toString("hex")).toBe("03e8");
    expect(ended).toBe(true);
  });

  it.each([
    ["without an Origin header", { Origin: "(none)" }, "HTTP/1.1 403 Forbidden\r\n\r\n"],
    ["with a null origin", { Origin: "null" }, "HTTP/1.1 403 Forbidden\r\n\r\n"],
    [
      "without a Sec-WebSocket-Key",
      { "Sec-WebSocket-Key": "(none)" },
      "HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response",
    ],
    [
      "with another version",
      { "Sec-WebSocket-Version": "8" },
      "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version",
    ],
    ["with two subprotocols", { "Sec-WebSocket-Protocol": "a, b" }, "HTTP/1.1 400 Bad Request\r\n\r\n"],
  ])("reject a handshake %s", async (_, headers, text) => {
    expect(await visit(listener.url, `${maps}?watch=1`, { headers: headers as Record<string, string> })).toEqual({
      head: text,
      frames: [],
      ended: true,
    });
  });

  it.each([
    [
      "a token and another subprotocol",
      `${encodedToken}, mine`,
      "101 Switching Protocols",
      "Sec-WebSocket-Protocol: mine",
    ],
    ["only a token", encodedToken, "401 Unauthorized", undefined],
    ["an unknown token", `${encodedToken}AA, mine`, "401 Unauthorized", undefined],
    ["no token", "mine", "403 Forbidden", undefined],
  ])("authenticate by the subprotocols: %s", async (_, protocols, status, protocol) => {
    const { head } = await visit(listener.url, `${maps}?watch=1&timeoutSeconds=1`, {
      headers: { Authorization: "(none)", "Sec-WebSocket-Protocol": protocols },
    });
    expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
    expect(head.split("\r\n").find((line) => line.startsWith("Sec-WebSocket-Protocol"))).toBe(protocol);
  });

  it("end when the server closes", async () => {
    const visited = visit(listener.url, `${maps}?watch=1&resourceVersion=0`, {
      onFrames(seen) {
        if (seen.length > 0) void server.close();
        return undefined;
      },
    });
    expect((await visited).frames.at(-1)!.payload.toString("hex")).toBe("03e8");
  });
});

describe("requests that ask to upgrade to an unsupported protocol", () => {
  const body = JSON.stringify({ metadata: { name: "sent" } });
  it.each([
    ["a body of known length", `Content-Length: ${body.length}\r\n\r\n${body}`],
    ["a body in chunks", `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ])("are read with %s", async (_, rest) => {
    const { status } = await exchange(listener.url, [
      `POST ${maps} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer admin-token\r\nContent-Type: application/json\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\nUpgrade: h2c\r\n${rest}`,
    ]);
    expect(status).toBe(201);
  });

  it("leave the connection usable for later requests", async () => {
    const head = (upgrade: string, connection: string): string =>
      `GET /version HTTP/1.1\r\nHost: server\r\nUpgrade: ${upgrade}\r\nConnection: ${connection}\r\n\r\n`;
    expect((await exchange(listener.url, [head("websocket", "Upgrade")])).status).toBe(200);
    const last = await visit(listener.url, "/version", {
      headers: { Upgrade: "h2c" },
      more: `${head("websocket", "Upgrade")}${head("h2c", "Upgrade")}${head("websocket", "Upgrade")}${head("h2c", "close, Upgrade")}`,
    });
    expect(last.head.match(/HTTP\/1.1 200 OK/g)).toHaveLength(5);
  });
});

describe("WebSocket connection of the server", () => {
  it("is destroyed if the client sends a close frame and keeps its side open", async () => {
    const sent: Buffer[] = [];
    const socket = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        sent.push(chunk);
        done();
      },
    });
    let stop: () => void = () => undefined;
    const body = {
      next: () => new Promise((resolve) => (stop = () => resolve({ done: true, value: undefined }))),
      return() {
        stop();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    const served = serveUpgrade({ socket, head: Buffer.alloc(0) }, Buffer.from("101"), body as never);
    socket.push(clientFrame(8, Buffer.from([3, 232])));
    await served;
    await once(socket, "close");
    expect(Buffer.concat(sent).toString("latin1")).toBe("101\x88\x02\x03\xe8");
  });
});

describe("WebSocket frame sink", () => {
  it.each([
    ["a ping", [clientFrame(9, "hello")], ["8a0568656c6c6f"], false],
    [
      "a ping in pieces",
      [
        clientFrame(9, "hello").subarray(0, 3),
        clientFrame(9, "hello").subarray(3, 8),
        clientFrame(9, "hello").subarray(8),
      ],
      ["8a0568656c6c6f"],
      false,
    ],
    ["a message and a ping", [Buffer.concat([clientFrame(2, Buffer.alloc(300)), clientFrame(9, "")])], ["8a00"], false],
    [
      "a close frame, and ignores later frames",
      [Buffer.concat([clientFrame(8, ""), clientFrame(9, "late")])],
      [],
      true,
    ],
    [
      "a message above the size limit",
      [Buffer.from([0x82, 0xff, 0, 0, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4])],
      ["880203ea"],
      true,
    ],
    ["an unmasked frame", [clientFrame(1, "x", false)], ["880203ea"], true],
  ])("handles %s", async (_, chunks, written, over) => {
    const out: string[] = [];
    let ended = false;
    const sink = createFrameSink(
      (frame, done) => {
        out.push(Buffer.from(frame).toString("hex"));
        done();
      },
      () => (ended = true),
    );
    for (const chunk of chunks) sink(chunk);
    // A protocol violation is reported one tick later.
    await new Promise((resolve) => setImmediate(resolve));
    expect([out, ended]).toEqual([written, over]);
  });
});
