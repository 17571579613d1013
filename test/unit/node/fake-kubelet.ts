import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { connect as connectTcp } from "node:net";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { tunnel } from "./fake-tunnel.js";

/** Fake kubelet and its observations. */
export interface FakeKubelet {
  /** Paths and queries of the stream requests, in order. */
  readonly requests: string[];
  /** Open sockets. */
  open(): number;
}

export interface FakeKubeletOptions {
  /** Subprotocols to support. Default: all. */
  readonly protocols?: readonly string[];
  /** True to reject invalid subprotocol names, like some proxies. Default false. */
  readonly strict?: boolean;
  /** Runs a command: writes its output and returns the exit code. Default: a few shell commands. */
  readonly run?: (process: FakeProcess) => Promise<number>;
}

/** Command that runs in the fake kubelet. */
export interface FakeProcess {
  readonly command: readonly string[];
  readonly tty: boolean;
  /** Chunks of standard input. */
  readonly stdin: AsyncIterable<Buffer>;
  stdout(data: string | Uint8Array): Promise<void>;
  stderr(data: string | Uint8Array): Promise<void>;
  /** Sizes that were set for the terminal. */
  readonly sizes: { Width: number; Height: number }[];
  /** Resolves when the client has disconnected. */
  readonly gone: Promise<void>;
}

/** Makes a server handle exec, attach, portforward and log requests like a kubelet, on its own paths or the API's. */
export function fakeKubelet(server: Server, options: FakeKubeletOptions = {}): FakeKubelet {
  const offered = options.protocols ?? ["SPDY/3.1+portforward.k8s.io", "v5.channel.k8s.io", "v4.channel.k8s.io"];
  const requests: string[] = [];
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: (wanted) => offered.map(spelled).find((protocol) => wanted.has(protocol)) ?? false,
  });
  webSockets.on("headers", (headers) =>
    headers.forEach((line, at) => (headers[at] = line.replace("SPDY-3.1+", "SPDY/3.1+"))),
  );
  let open = 0;
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    requests.push(request.url ?? "");
    const url = new URL(request.url ?? "", "http://kubelet");
    const refusal = refuse(url, request);
    if (refusal) {
      const body = JSON.stringify(refusal);
      socket.end(
        `HTTP/1.1 ${String(refusal.code)} Refused\r\ncontent-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    // The `ws` package accepts the name of the tunnel although it isn't a valid token.
    const wanted = request.headers["sec-websocket-protocol"];
    if (options.strict !== true && wanted !== undefined) request.headers["sec-websocket-protocol"] = spelled(wanted);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      open++;
      webSocket.on("close", () => void open--);
      webSocket.on("error", () => undefined);
      if (webSocket.protocol.startsWith("SPDY")) tunnel(webSocket);
      else if (/portforward/i.test(url.pathname)) forward(webSocket, url);
      else void command(webSocket, url, options.run ?? shell);
    });
  });
  return { requests, open: () => open };
}

const spelled = (protocols: string): string => protocols.replace("SPDY/3.1+", "SPDY-3.1+");

/** Responds to a request for a container's log. */
export function answerLog(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "", "http://kubelet");
  response.writeHead(200, { "content-type": "text/plain" });
  response.write(
    `query ${[...url.searchParams]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join("&")}\n`,
  );
  response.write("größe 1\nline 2");
  if (url.searchParams.get("follow") !== "true") response.end("\nlast");
  else response.write("\n");
}

function refuse(url: URL, request: IncomingMessage): { code: number; [field: string]: unknown } | undefined {
  if (request.headers["sec-websocket-protocol"] === undefined)
    return {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      code: 400,
      reason: "BadRequest",
      message: "no subprotocol",
    };
  if (!url.pathname.includes("forbidden")) return undefined;
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code: 403,
    reason: "Forbidden",
    message: 'pods "forbidden" is forbidden: you may not',
  };
}

async function command(webSocket: WebSocket, url: URL, run: (process: FakeProcess) => Promise<number>): Promise<void> {
  const send = (channel: number, data: string | Uint8Array): Promise<void> =>
    new Promise((resolve) =>
      webSocket.send(
        Buffer.concat([Uint8Array.from([channel]), typeof data === "string" ? Buffer.from(data) : data]),
        () => resolve(),
      ),
    );
  const chunks: Buffer[] = [];
  let ended = false;
  let wake = (): void => undefined;
  const sizes: { Width: number; Height: number }[] = [];
  const gone = new Promise<void>((resolve) => void webSocket.on("close", () => resolve()));
  void gone.then(() => {
    ended = true;
    wake();
  });
  webSocket.on("message", (data: Buffer) => {
    if (data[0] === 0) chunks.push(data.subarray(1));
    else if (data[0] === 4) sizes.push(JSON.parse(data.subarray(1).toString()) as { Width: number; Height: number });
    else if (data[0] === 255 && data[1] === 0 && webSocket.protocol === "v5.channel.k8s.io") ended = true;
    wake();
  });
  async function* stdin(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk) yield chunk;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const query = url.searchParams;
  // Like wsstream of Kubernetes: an empty message opens each channel.
  for (const channel of [1, 2, 3]) await send(channel, "");
  const code = await run({
    command: query.getAll("command"),
    tty: query.get("tty") === "true" || query.get("tty") === "1",
    stdin: stdin(),
    stdout: (data) => send(1, data),
    stderr: (data) => send(2, data),
    sizes,
    gone,
  });
  const status =
    code === 0
      ? { metadata: {}, status: "Success" }
      : code === 255
        ? {
            metadata: {},
            status: "Failure",
            reason: "InternalError",
            message: 'container not found ("nope")',
            code: 500,
          }
        : {
            metadata: {},
            status: "Failure",
            reason: "NonZeroExitCode",
            message: `command terminated with exit code ${String(code)}`,
            details: { causes: [{ reason: "ExitCode", message: String(code) }] },
          };
  if (code !== -1) await send(3, JSON.stringify(status));
  if (code === -1) webSocket.terminate();
  else webSocket.close(1000);
}

/** Implements `cat`, `exit N`, `echo WORDS`, `both`, `flood BYTES`, `size`, `hang`, `break` and `nope`. */
async function shell({
  command: [name = "attach", ...args],
  stdin,
  stdout,
  stderr,
  sizes,
  gone,
}: FakeProcess): Promise<number> {
  if (name === "cat") for await (const chunk of stdin) await stdout(chunk);
  if (name === "exit") return Number(args[0]);
  if (name === "echo") await stdout(`${args.join(" ")}\n`);
  if (name === "both") {
    await stdout("out\n");
    await stderr("err\n");
  }
  if (name === "flood") {
    const block = Buffer.alloc(65_536, "x");
    for (let left = Number(args[0]); left > 0; left -= block.length)
      await stdout(block.subarray(0, Math.min(left, block.length)));
  }
  if (name === "size") {
    for await (const chunk of stdin) void chunk;
    await stdout(JSON.stringify(sizes));
  }
  if (name === "attach") {
    await stdout("attached\n");
    for await (const chunk of stdin) await stdout(`got ${chunk.toString()}`);
  }
  if (name === "hang") await gone;
  if (name === "break") return -1;
  return name === "nope" ? 255 : 0;
}

/** Forwards to a local port over the channels of v4. Ports 1 and 2 fail like with a kubelet. */
function forward(webSocket: WebSocket, url: URL): void {
  const port = Number(url.searchParams.get("ports") ?? url.searchParams.get("port"));
  const number = Uint8Array.from([port & 255, port >> 8]);
  const send = (channel: number, data: Uint8Array): void =>
    webSocket.send(Buffer.concat([Uint8Array.from([channel]), data]));
  send(0, port === 2 ? Uint8Array.from([9, 9]) : number);
  send(1, number);
  const upstream = connectTcp(port, "127.0.0.1");
  upstream.on("error", (error) => {
    send(1, Buffer.from(`an error occurred forwarding ${String(port)}: ${error.message}`));
    webSocket.close(1000);
  });
  upstream.on("data", (data) => send(0, data));
  upstream.on("close", () => webSocket.close(1000));
  webSocket.on("message", (data: Buffer) => void (data[0] === 0 && upstream.write(data.subarray(1))));
  webSocket.on("close", () => upstream.destroy());
}
