import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type FakeProcess, fakeKubelet } from "../../unit/node/fake-kubelet.js";

/** API server with a kubelet behind it, for the examples about pods. */
export interface PodServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Handles requests about running pods, and passes all others on to the API server at `upstream`. */
export async function servePods(upstream: string, folder: string): Promise<PodServer> {
  const server = createServer((request, response) => {
    const url = new URL(request.url!, upstream);
    if (url.pathname === "/greeting") response.end("hello from the pod");
    else if (url.pathname.endsWith("/log")) writeLog(url, response);
    else if (url.pathname.startsWith("/apis/metrics.k8s.io/")) sendJson(response, 200, metrics(url.pathname));
    else if (url.pathname.includes("/services/")) proxyService(url, response);
    else
      passOn(url, request, response).catch((error: unknown) => {
        response.destroy(error as Error);
      });
  });
  // The pod's port is that of this server, which answers /greeting.
  fakeKubelet(server, {
    protocols: ["v5.channel.k8s.io", "v4.channel.k8s.io"],
    run: (process) => run(process, folder),
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function sendJson(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function passOn(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = "", accept = "application/json" } = request.headers;
  const answer = await fetch(url, { headers: { authorization, accept } });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
  response.end(await answer.text());
}

function writeLog({ searchParams }: URL, response: ServerResponse): void {
  const lines = ["starting", "listening", "ready"];
  const tail = Number(searchParams.get("tailLines") ?? lines.length);
  response.writeHead(200, { "content-type": "text/plain" });
  response.write(`${lines.slice(-tail).join("\n")}\n`);
  if (searchParams.get("follow") !== "true") response.end();
}

function metrics(path: string): object {
  const sample = { timestamp: "2030-01-01T00:00:00Z", window: "15s" };
  const usage = { cpu: "250m", memory: "64Mi" };
  const apiVersion = "metrics.k8s.io/v1beta1";
  const nodes = [{ metadata: { name: "node-1" }, ...sample, usage }];
  const pods = [{ metadata: { name: "pod-0", namespace: "web" }, ...sample, containers: [{ name: "main", usage }] }];
  return path.endsWith("/nodes")
    ? { apiVersion, kind: "NodeMetricsList", metadata: {}, items: nodes }
    : { apiVersion, kind: "PodMetricsList", metadata: {}, items: pods };
}

function proxyService(url: URL, response: ServerResponse): void {
  if (url.pathname.includes("/web:http/proxy/")) response.end(`requests_total 3 (${url.search})`);
  else {
    const message = 'no endpoints available for service "idle"';
    const status = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "ServiceUnavailable", code: 503 };
    sendJson(response, 503, { ...status, message });
  }
}

/** Runs a command of this machine in the folder. Attaching reaches a process that can reload. */
async function run({ command, stdin, stdout, stderr }: FakeProcess, folder: string): Promise<number> {
  if (command.length === 0) {
    for await (const chunk of stdin) if (chunk.toString().includes("reload")) await stdout("reloaded\n");
    return 0;
  }
  const child = spawn(command[0]!, command.slice(1), { cwd: folder, stdio: "pipe" });
  const ended = new Promise<number>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 1));
  });
  child.stdin.on("error", () => undefined);
  void (async () => {
    for await (const chunk of stdin) child.stdin.write(chunk);
    child.stdin.end();
  })();
  await Promise.all(
    [child.stdout, child.stderr].map(async (stream, index) => {
      for await (const chunk of stream) await (index === 0 ? stdout : stderr)(chunk as Buffer);
    }),
  );
  return ended;
}
