import type { Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { connect as connectTcp, createServer as createTcp } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBadRequest, isForbidden, isNotFound } from "../../src/errors/predicates.js";
import { Node, Pod, Service } from "../../src/kinds/core/v1.js";
import type { ConnectedClient } from "../../src/node/connection/connect.js";
import { forwardPorts } from "../../src/node/pods/forward-ports.js";
import { logLines, logs } from "../../src/streams/logs.js";
import { proxyPath } from "../../src/streams/proxy-path.js";
import { attach, exec } from "../../src/streams/remote-command.js";
import { runCommand } from "../../src/streams/run-command.js";
import { answerLog, fakeKubelet } from "../unit/node/fake-kubelet.js";
import { pki, until } from "../unit/node/local-server.js";
import { freshNamespace, missing, realClient } from "./cluster.js";

async function text(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const listen = async (server: {
  listen(port: number, address: string, ready: () => void): unknown;
  address(): unknown;
}): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

describe.skipIf(missing !== undefined)("streams through a real server to a kubelet", () => {
  let client: ConnectedClient;
  let kubeletServer: Server;
  let kubelet: ReturnType<typeof fakeKubelet>;
  const echo = createTcp((socket) => void socket.on("error", () => undefined).pipe(socket));
  const sockets = new Set<Socket>();
  let echoPort: number;
  const pod = { namespace: "", name: "web-0" };

  beforeAll(async () => {
    client = (await realClient()) as ConnectedClient;
    pod.namespace = await freshNamespace(client);
    kubeletServer = createServer({ cert: pki("server.crt"), key: pki("server.key") }, (request, response) => {
      if (request.url?.startsWith("/containerLogs/")) answerLog(request, response);
      else
        response
          .writeHead(200, { "content-type": "text/plain" })
          .end(`kubelet ${request.method ?? ""} ${request.url ?? ""}`);
    }) as unknown as Server;
    kubeletServer.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    });
    kubelet = fakeKubelet(kubeletServer);
    const port = await listen(kubeletServer);
    echoPort = await listen(echo);
    const node = `node-${pod.namespace}`;
    await client.resource(Node).create({ metadata: { name: node } });
    await client
      .resource(Node)
      .subresource("status")
      .patch(node, {
        type: "merge",
        patch: {
          status: {
            addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
            daemonEndpoints: { kubeletEndpoint: { Port: port } },
            declaredFeatures: ["ExtendWebSocketsToKubelet"],
          },
        },
      });
    const pods = client.resource(Pod).namespace(pod.namespace);
    await pods.create({
      metadata: { name: pod.name, labels: { app: "web" } },
      spec: {
        nodeName: node,
        containers: [
          { name: "main", image: "i", ports: [{ name: "echo", containerPort: echoPort }] },
          { name: "side", image: "i" },
        ],
      },
    });
    await pods.subresource("status").patch(pod.name, {
      type: "merge",
      patch: { status: { phase: "Running", podIP: "127.0.0.1", conditions: [{ type: "Ready", status: "True" }] } },
    });
    await client
      .resource(Service)
      .namespace(pod.namespace)
      .create({
        metadata: { name: "web" },
        spec: { selector: { app: "web" }, ports: [{ name: "echo", port: 7, targetPort: "echo" }] },
      });
  });

  afterAll(async () => {
    await client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => kubeletServer.close(resolve));
    await new Promise((resolve) => echo.close(resolve));
  });

  it("runs commands, sends them input and reports their exit status", async () => {
    await using session = await exec(client, pod, { command: ["both"], container: "main" });
    expect([
      await text(session.stdout),
      await text(session.stderr),
      (await session.exited).code,
      session.protocol,
    ]).toEqual(["out\n", "err\n", 0, "v5.channel.k8s.io"]);
    expect((await runCommand(client, pod, { command: ["exit", "42"], container: "main" })).code).toBe(42);
    const input = Buffer.alloc(2 * 1024 * 1024, "0123456789");
    expect(
      Buffer.compare(
        Buffer.from((await runCommand(client, pod, { command: ["cat"], container: "side", input })).stdout),
        input,
      ),
    ).toBe(0);
    expect(kubelet.requests[0]).toMatch(
      new RegExp(`^/exec/${pod.namespace}/web-0/main\\?command=both&error=1&output=1$`),
    );
  });

  it("attaches with a terminal size", async () => {
    await using session = await attach(client, pod, { stdin: true, tty: true, container: "main" });
    await session.resize({ width: 80, height: 24 });
    await session.write("hi\n");
    await session.end();
    expect(await text(session.stdout)).toBe("attached\ngot hi\n");
  });

  it("ends a command's stream on abort, up to the kubelet", async () => {
    const controller = new AbortController();
    await using session = await exec(client, pod, { command: ["hang"], container: "main", signal: controller.signal });
    await until(() => kubelet.open() === 1);
    controller.abort(new Error("enough"));
    await expect(session.exited).rejects.toThrow("enough");
    await until(() => kubelet.open() === 0);
  });

  it("reports refusals in the server's words", async () => {
    const several = await exec(client, pod, { command: ["x"] }).catch((error: unknown) => error);
    expect(isBadRequest(several)).toBe(true);
    expect(String(several)).toContain("a container name must be specified for pod web-0");
    expect(
      isNotFound(await exec(client, { ...pod, name: "none" }, { command: ["x"] }).catch((error: unknown) => error)),
    ).toBe(true);
    await using alice = (await realClient({ context: "alice" })) as ConnectedClient;
    expect(
      isForbidden(await exec(alice, pod, { command: ["x"], container: "main" }).catch((error: unknown) => error)),
    ).toBe(true);
  });

  it("reads logs, in full and as they grow", async () => {
    expect(
      await text(await logs(client, pod, { container: "main", tailLines: 5, timestamps: true, previous: true })),
    ).toBe("query previous=true&tailLines=5&timestamps=true\ngröße 1\nline 2\nlast");
    const lines: string[] = [];
    for await (const line of await logLines(client, pod, { container: "main", follow: true }))
      if (lines.push(line) === 3) break;
    expect(lines).toEqual(["query follow=true", "größe 1", "line 2"]);
    expect(isBadRequest(await logs(client, pod).catch((error: unknown) => error))).toBe(true);
  });

  it("forwards ports to a pod and to a service", async () => {
    const send = (port: number, data: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectTcp(port, "127.0.0.1", () => void socket.write(data));
        let back = "";
        socket.on("data", (chunk: Buffer) => {
          back += chunk.toString();
          if (back.length >= data.length) socket.destroy();
        });
        socket.on("error", () => undefined).on("close", () => resolve(back));
      });
    const errors: unknown[] = [];
    await using toPod = await forwardPorts(client, pod, { ports: [echoPort], onError: (error) => errors.push(error) });
    await using toService = await forwardPorts(
      client,
      { namespace: pod.namespace, service: "web" },
      { ports: ["echo"], onError: (error) => errors.push(error) },
    );
    const data = "x".repeat(100_000);
    const back = await Promise.all([
      send(toPod.ports[0]!.local, data),
      send(toService.ports[0]!.local, data),
      send(toPod.ports[0]!.local, "b"),
    ]);
    expect([errors, kubelet.requests.filter((url) => url.startsWith("/portForward/")).length]).toEqual([[], 3]);
    expect(back.map((text) => text.length)).toEqual([data.length, data.length, 1]);
  });

  it("reaches the proxy subresource, which refuses local addresses", async () => {
    const failure = await client
      .request({
        path: proxyPath({ resource: "nodes", name: `node-${pod.namespace}` }, "/stats/summary"),
        accept: "*/*",
      })
      .catch((error: unknown) => error);
    expect(isBadRequest(failure)).toBe(true);
    expect(String(failure)).toContain("address not allowed");
  });
});
