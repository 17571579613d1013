import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { ClosedError, ProtocolError, TransportError } from "../../../src/errors/errors.js";
import { isForbidden } from "../../../src/errors/predicates.js";
import { connect } from "../../../src/node/connection/connect.js";
import { logLines, logs } from "../../../src/streams/logs.js";
import { attach, exec } from "../../../src/streams/remote-command.js";
import { runCommand } from "../../../src/streams/run-command.js";
import { fakeCluster } from "./fake-cluster.js";
import { serve, until } from "./local-server.js";

const pod = { namespace: "apps", name: "web-0" };

async function text(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("exec", () => {
  it("returns both outputs and the exit code, and sends the API's parameters", async () => {
    await using fixture = await fakeCluster({ tls: true });
    await using session = await exec(fixture.client, pod, { command: ["both", "a b", "é&"], container: "main" });
    const [stdout, stderr, { code }] = await Promise.all([text(session.stdout), text(session.stderr), session.exited]);
    expect([session.protocol, stdout, stderr, code]).toEqual(["v5.channel.k8s.io", "out\n", "err\n", 0]);
    expect(fixture.kubelet.requests).toEqual([
      "/api/v1/namespaces/apps/pods/web-0/exec?command=both&command=a%20b&command=%C3%A9%26&container=main&stdin=false&stdout=true&stderr=true&tty=false",
    ]);
  });

  it.each([
    ["exit", "3", 3],
    ["exit", "0", 0],
    ["exit", "137", 137],
  ])("reports that %s %s exits with %d", async (command, argument, code) => {
    await using fixture = await fakeCluster();
    expect((await runCommand(fixture.client, pod, { command: [command, argument] })).code).toBe(code);
  });

  it("writes standard input and closes it, with megabytes in both directions", async () => {
    await using fixture = await fakeCluster();
    const input = Buffer.alloc(5 * 1024 * 1024, "0123456789abcdef\n");
    const result = await runCommand(fixture.client, pod, { command: ["cat"], input });
    expect(Buffer.compare(Buffer.from(result.stdout), input)).toBe(0);
    expect(result.code).toBe(0);
  });

  it("sends the parts of writes in the order of the calls, and the end after them", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["cat"], stdin: true });
    const [first, second] = ["a", "b"].map((letter) => letter.repeat(100_000));
    const sent = Promise.all([session.write(first!), session.write(second!), session.end(), session.end()]);
    expect((await text(session.stdout)) === first! + second!).toBe(true);
    await sent;
  });

  it("rejects writes after the end of standard input", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["cat"], stdin: true });
    const ending = session.end();
    await expect(session.write("late")).rejects.toThrow(
      new ClosedError('exec in pod "web-0" in "apps": standard input was closed by end()'),
    );
    await ending;
    expect((await session.exited).code).toBe(0);
  });

  it("rejects writes to a session without standard input, which the server would drop", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["hang"] });
    const error = new TypeError('exec in pod "web-0" in "apps": standard input isn\'t open; set stdin: true');
    await expect(session.write("x")).rejects.toThrow(error);
    await expect(session.end()).rejects.toThrow(error);
  });

  it("adds one listener to a signal that many sessions share", async () => {
    await using fixture = await fakeCluster();
    const { signal } = new AbortController();
    const options = { command: ["exit", "0"], signal };
    const sessions = await Promise.all(Array.from({ length: 12 }, () => exec(fixture.client, pod, options)));
    expect(getEventListeners(signal, "abort").length).toBe(1);
    for (const session of sessions) await session.close();
    expect(getEventListeners(signal, "abort").length).toBe(0);
  });

  it("falls back to v4, which cannot close standard input", async () => {
    await using fixture = await fakeCluster({ protocols: ["v4.channel.k8s.io"] });
    await using session = await exec(fixture.client, pod, { command: ["cat"], stdin: true });
    await session.write("hello");
    const { value } = await session.stdout.next();
    expect([session.protocol, Buffer.from(value as Uint8Array).toString()]).toEqual(["v4.channel.k8s.io", "hello"]);
    await expect(session.end()).rejects.toThrow(TransportError);
    await expect(runCommand(fixture.client, pod, { command: ["cat"], input: "x" })).rejects.toThrow(ProtocolError);
  });

  it("sends the size of the terminal", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["size"], stdin: true, tty: true });
    await session.resize({ width: 80, height: 24 });
    await session.resize({ width: 100, height: 50 });
    await session.end();
    expect(JSON.parse(await text(session.stdout))).toEqual([
      { Width: 80, Height: 24 },
      { Width: 100, Height: 50 },
    ]);
    await expect(session.resize({ width: 0, height: 1.5 })).rejects.toThrow(RangeError);
    expect(fixture.kubelet.requests[0]).toContain("stderr=false&tty=true");
  });

  it("rejects with the StatusError of a server that refuses", async () => {
    await using fixture = await fakeCluster();
    const failure = await exec(fixture.client, { ...pod, name: "forbidden" }, { command: ["x"] }).catch(
      (error: unknown) => error,
    );
    expect(isForbidden(failure)).toBe(true);
    expect((failure as Error).message).toBe(
      'exec in pod "forbidden" in "apps": 403 Forbidden: pods "forbidden" is forbidden: you may not',
    );
  });

  it("rejects with a StatusError if the command could not run", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["nope"] });
    await expect(session.exited).rejects.toMatchObject({
      name: "StatusError",
      code: 500,
      message: 'exec in pod "web-0" in "apps": 500 InternalError: container not found ("nope")',
    });
  });

  it("reports a connection that breaks before the exit status", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["break"] });
    await expect(session.exited).rejects.toThrow(TransportError);
    await expect(text(session.stdout)).rejects.toThrow(TransportError);
  });

  it("ends with its signal, even if no one reads", async () => {
    await using fixture = await fakeCluster();
    for (const command of [["hang"], ["flood", String(64 * 1024 * 1024)]]) {
      const controller = new AbortController();
      await using session = await exec(fixture.client, pod, { command, signal: controller.signal });
      const reason = { enough: true };
      if (command[0] === "flood") await session.stdout.next();
      controller.abort(reason);
      await expect(session.exited).rejects.toBe(reason);
      await until(() => fixture.kubelet.open() === 0);
      await session.close();
    }
  });

  it("ends when it is closed, and with the client", async () => {
    await using fixture = await fakeCluster();
    const first = await exec(fixture.client, pod, { command: ["hang"], stdin: true });
    await first.close();
    await expect(first.exited).rejects.toThrow(ClosedError);
    await expect(first.write("x")).rejects.toThrow(ClosedError);
    await until(() => fixture.kubelet.open() === 0);
    const second = await exec(fixture.client, pod, { command: ["hang"] });
    await fixture.client.close();
    await expect(second.exited).rejects.toThrow(ClosedError);
    await until(() => fixture.server.open() === 0);
  });

  it("applies back-pressure to its outputs", async () => {
    let written = 0;
    await using fixture = await fakeCluster({
      async run({ stdout }) {
        for (let index = 0; index < 3_000; index++) {
          await stdout(Buffer.alloc(65_536));
          written += 65_536;
        }
        return 0;
      },
    });
    await using session = await exec(fixture.client, pod, { command: ["x"], stderr: false });
    let last = -1;
    while (last !== written || written === 0) {
      last = written;
      for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(written).toBeLessThan(64 * 1024 * 1024);
    let length = 0;
    for await (const chunk of session.stdout) length += chunk.length;
    expect(length).toBe(3_000 * 65_536);
    expect((await session.exited).code).toBe(0);
  });

  it("continues after the reader leaves an output", async () => {
    await using fixture = await fakeCluster();
    await using session = await exec(fixture.client, pod, { command: ["flood", String(8 * 1024 * 1024)] });
    await session.stdout.return?.();
    expect((await session.exited).code).toBe(0);
  });

  it("limits the output that runCommand keeps", async () => {
    await using fixture = await fakeCluster();
    await expect(
      runCommand(fixture.client, pod, { command: ["flood", "100000"], maxOutputBytes: 1_000 }),
    ).rejects.toThrow(ProtocolError);
    await until(() => fixture.kubelet.open() === 0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["an empty command", () => exec(undefined as never, pod, { command: [] })],
    ["a terminal with two outputs", () => exec(undefined as never, pod, { command: ["x"], tty: true, stderr: true })],
    [
      "a session without streams",
      () => exec(undefined as never, pod, { command: ["x"], stdout: false, stderr: false }),
    ],
    ["a pod name that is a path", () => exec(undefined as never, { ...pod, name: "../x" }, { command: ["x"] })],
  ])("rejects %s before sending anything", async (_name, call) => {
    await expect(call()).rejects.toThrow(TypeError);
  });
});

it("attach connects to the main process", async () => {
  await using fixture = await fakeCluster();
  await using session = await attach(fixture.client, pod, { stdin: true });
  await session.write("hi\n");
  await session.end();
  expect(await text(session.stdout)).toBe("attached\ngot hi\n");
  expect(fixture.kubelet.requests[0]).toMatch(/^\/api\/v1\/namespaces\/apps\/pods\/web-0\/attach\?stdin=true/);
});

describe("logs", () => {
  it("pass each option on, as bytes and as lines", async () => {
    await using fixture = await fakeCluster();
    const all = {
      container: "c",
      previous: true,
      sinceTime: "2026-01-01T00:00:00Z",
      tailLines: 0,
      timestamps: true,
      limitBytes: 9,
      insecureSkipTlsVerifyBackend: true,
    } as const;
    const query =
      "query container=c&insecureSkipTLSVerifyBackend=true&limitBytes=9&previous=true&sinceTime=2026-01-01T00:00:00Z&tailLines=0&timestamps=true";
    expect(await text(await logs(fixture.client, pod, all))).toBe(`${query}\ngröße 1\nline 2\nlast`);
    const lines: string[] = [];
    for await (const line of await logLines(fixture.client, pod, all)) lines.push(line);
    expect(lines).toEqual([query, "größe 1", "line 2", "last"]);
    await expect(logs(fixture.client, pod, { sinceSeconds: 1, sinceTime: "x" })).rejects.toThrow(TypeError);
  });

  it("follow until the reader leaves or the signal aborts", async () => {
    await using fixture = await fakeCluster();
    const lines = await logLines(fixture.client, pod, { follow: true });
    for await (const line of lines) if (line === "line 2") break;
    await until(() => fixture.server.open() === 0);
    const controller = new AbortController();
    const following = await logLines(fixture.client, pod, { follow: true, signal: controller.signal });
    for (let index = 0; index < 3; index++) await following.next();
    const next = following.next();
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    await until(() => fixture.server.open() === 0);
  });
});

describe("WebSocket", () => {
  it.each<[string, (accept: (headers: string) => void, socket: Socket) => void, RegExp]>([
    [
      "sends the accept key of another handshake",
      (accept) => accept("upgrade: websocket\r\nsec-websocket-accept: AAAA"),
      /handshake is invalid/,
    ],
    ["switches to another protocol", (accept) => accept("upgrade: spdy/3.1"), /a protocol other than WebSocket/],
    [
      "chooses a subprotocol that was not offered",
      (_accept, socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
      /responded with 200 instead of opening/,
    ],
    [
      "redirects",
      (_accept, socket) =>
        void socket.end("HTTP/1.1 302 Found\r\nlocation: http://example.invalid/x\r\ncontent-length: 0\r\n\r\n"),
      /redirect to http:\/\/example.invalid; redirects are not followed/,
    ],
  ])("is refused if the server %s", async (_name, respond, message) => {
    await using server = await serve(() => undefined);
    server.server.on("upgrade", (_request, socket) =>
      respond(
        (headers) =>
          void (socket as Socket).write(
            `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\n${headers}\r\n\r\n`,
          ),
        socket as Socket,
      ),
    );
    server.server.on("upgrade", (_request, socket) => void socket.on("end", () => void socket.end()).resume());
    await using client = await connect({ server: server.url, env: {}, retry: false });
    const failure = await exec(client, pod, { command: ["x"] }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProtocolError);
    expect(String(failure)).toMatch(message);
    await until(() => server.open() === 0 || message.source.includes("200") || message.source.includes("redirect"));
  });

  it.each<[string, Buffer, RegExp]>([
    [
      "masks its frames",
      Buffer.from([0x82, 0x81, 1, 2, 3, 4, 5]),
      /protocol: Invalid WebSocket frame: MASK must be clear/,
    ],
    ["uses an extension", Buffer.from([0xc2, 0x01, 1]), /protocol: Invalid WebSocket frame: RSV1 must be clear/],
    [
      "sends a frame that is too long",
      Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]),
      /protocol: Max payload size exceeded/,
    ],
    [
      "starts in the middle of a message",
      Buffer.from([0x80, 0x01, 1]),
      /protocol: Invalid WebSocket frame: invalid opcode 0/,
    ],
    [
      "sends a long ping",
      Buffer.from([0x89, 126, 1, 0]),
      /protocol: Invalid WebSocket frame: invalid payload length 126/,
    ],
  ])("fails with a ProtocolError if the server %s", async (_name, bytes, message) => {
    await using server = await serve(() => undefined);
    const webSockets = new WebSocketServer({ noServer: true });
    server.server.on("upgrade", (request, socket, head) =>
      webSockets.handleUpgrade(request, socket as Socket, head, (webSocket) => {
        webSocket.on("error", () => undefined);
        (socket as Socket).write(bytes);
      }),
    );
    await using client = await connect({ server: server.url, env: {}, retry: false });
    const socket = await client.openWebSocket({ path: "/x", protocols: ["p"] });
    await expect(socket.messages[Symbol.asyncIterator]().next()).rejects.toThrow(message);
    await until(() => server.open() === 0);
  });

  it("joins fragments, answers pings, and reports the server's close reason", async () => {
    await using server = await serve(() => undefined);
    const webSockets = new WebSocketServer({ noServer: true });
    const pongs: string[] = [];
    server.server.on("upgrade", (request, socket, head) =>
      webSockets.handleUpgrade(request, socket as Socket, head, (webSocket) => {
        webSocket.on("pong", (data) => {
          pongs.push(data.toString());
          webSocket.close(1011, "out of\nluck");
        });
        webSocket.send("ab", { fin: false });
        webSocket.send("cd", { fin: true });
        webSocket.ping("are you there");
      }),
    );
    await using client = await connect({ server: server.url, env: {}, retry: false });
    const messages = (await client.openWebSocket({ path: "/x", protocols: ["p"] })).messages[Symbol.asyncIterator]();
    expect(Buffer.from((await messages.next()).value as Uint8Array).toString()).toBe("abcd");
    await expect(messages.next()).rejects.toThrow(/closed the WebSocket with code 1011: out of luck/);
    expect(pongs).toEqual(["are you there"]);
  });
});
