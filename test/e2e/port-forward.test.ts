import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect as connectTcp, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import { TransportError } from "../../src/errors/errors.js";
import { isNotFound } from "../../src/errors/predicates.js";
import { Node, Pod } from "../../src/kinds/core/v1.js";
import type { ConnectedClient } from "../../src/node/connection/connect.js";
import { forwardPorts } from "../../src/node/pods/forward-ports.js";
import { connectPort } from "../../src/streams/port-forward.js";
import { pkiFile, until } from "../unit/node/local-server.js";
import { freshNamespace, missing, realClient } from "./cluster.js";

const skipped = missing ?? (spawnSync("go", ["version"]).status === 0 ? undefined : "there is no Go on this machine");
if (skipped !== undefined) console.log(`port-forward to Kubernetes' own streaming server: skipped, ${skipped}`);

const [tunnel, channels] = ["SPDY/3.1+portforward.k8s.io", "v4.channel.k8s.io"] as const;

async function listen(handle: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    handle(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends data, ends the sending direction and returns the complete answer. */
function ask(port: number, data: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true }, () => void socket.end(data));
    const chunks: Buffer[] = [];
    socket
      .on("data", (chunk) => chunks.push(chunk))
      .on("error", () => undefined)
      .on("end", () => socket.destroy())
      .on("close", () => resolve(Buffer.concat(chunks)));
  });
}

describe.skipIf(skipped !== undefined)("port-forward to Kubernetes' own streaming server", () => {
  let client: ConnectedClient;
  let folder: string;
  let kubelet: ChildProcessWithoutNullStreams;
  let namespace: string;
  const seen: string[] = [];
  const servers: Server[] = [];
  let [echo, count, flood] = [0, 0, 0];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubestream-kubelet-"));
    const binary = join(folder, "kubelet");
    const built = spawnSync("go", ["build", "-o", binary, "."], {
      cwd: fileURLToPath(new URL("../foreign/kubelet", import.meta.url)),
      encoding: "utf8",
      env: { ...process.env, GOFLAGS: "-mod=mod" },
    });
    if (built.status !== 0) throw new Error(built.stderr);
    kubelet = spawn(binary, [pkiFile("server.crt"), pkiFile("server.key")]);
    kubelet.stderr.resume();
    const lines = createInterface({ input: kubelet.stdout });
    lines.on("line", (line) => seen.push(line));
    await until(() => seen.length > 0);
    const kubeletPort = Number(seen.shift()!.split(" ")[1]);

    const made = [
      await listen((socket) => void socket.pipe(socket)),
      await listen((socket) => {
        let bytes = 0;
        socket
          .on("data", (chunk) => (bytes += chunk.length))
          .on("end", () => void socket.end(`${String(bytes)} bytes`));
      }),
      await listen((socket) => void socket.resume().end(Buffer.alloc(8 * 1024 * 1024, "x"))),
    ];
    servers.push(...made.map(({ server }) => server));
    [echo, count, flood] = made.map(({ port }) => port) as [number, number, number];

    client = (await realClient()) as ConnectedClient;
    namespace = await freshNamespace(client);
    for (const [name, declaredFeatures] of [
      ["newer", ["ExtendWebSocketsToKubelet"]],
      ["older", []],
    ] as const) {
      const node = `${name}-${namespace}`;
      await client.resource(Node).create({ metadata: { name: node } });
      await client
        .resource(Node)
        .subresource("status")
        .patch(node, {
          type: "merge",
          patch: {
            status: {
              addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
              daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
              declaredFeatures: [...declaredFeatures],
            },
          },
        });
      const pods = client.resource(Pod).namespace(namespace);
      await pods.create({ metadata: { name }, spec: { nodeName: node, containers: [{ name: "main", image: "i" }] } });
      await pods
        .subresource("status")
        .patch(name, { type: "merge", patch: { status: { phase: "Running", podIP: "127.0.0.1" } } });
    }
  }, 600_000);

  afterAll(async () => {
    await client?.close();
    if (kubelet !== undefined && kubelet.exitCode === null) {
      const ended = new Promise((resolve) => kubelet.once("close", resolve));
      kubelet.stdin.end();
      await ended;
    }
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  /** The client, limited to the older channel protocol. */
  const older = (): Pick<Client, "openWebSocket"> => ({
    openWebSocket: (request) => client.openWebSocket({ ...request, protocols: [channels] }),
  });

  it.each([
    ["newer", tunnel, "GET portForward tunnel=true"],
    ["older", tunnel, "POST portForward tunnel=false"],
    ["newer", channels, "GET portForward tunnel=false"],
    ["older", channels, "GET portForward tunnel=false"],
  ] as const)("works through a %s node with %s", async (name, protocol, line) => {
    seen.length = 0;
    const pod = { namespace, name };
    const speaker = protocol === tunnel ? client : older();
    await using connection = await connectPort(speaker, pod, echo);
    expect(connection.protocol).toBe(protocol);
    const sent = Buffer.alloc(3_000_000, "0123456789");
    const writing = connection.write(sent);
    const got: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of connection.data) {
      got.push(chunk);
      if ((length += chunk.length) >= sent.length) break;
    }
    await writing;
    expect(Buffer.compare(Buffer.concat(got), sent)).toBe(0);
    await until(() => seen.length > 0);
    expect(seen).toEqual([line]);

    // Data that the pod sent before it closed arrives completely, even for a slow reader.
    await using whole = await connectPort(speaker, pod, flood);
    let bytes = 0;
    for await (const chunk of whole.data) {
      bytes += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bytes).toBe(8 * 1024 * 1024);

    await using refused = await connectPort(speaker, pod, 1);
    await expect(refused.data.next()).rejects.toThrow(
      /: error forwarding port 1 to pod pod, uid uid: dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
    );
    // None of its output should appear in the next test.
    await until(() => seen.length >= 3);
  });

  it("half-closes a tunnel and still receives the answer", async () => {
    for (const name of ["newer", "older"]) {
      await using connection = await connectPort(client, { namespace, name }, count);
      await connection.write(new TextEncoder().encode("hello"));
      await connection.write(new Uint8Array(100_000));
      await connection.end();
      let text = "";
      for await (const chunk of connection.data) text += new TextDecoder().decode(chunk);
      expect(text).toBe("100005 bytes");
    }
    await using connection = await connectPort(older(), { namespace, name: "older" }, count);
    await expect(connection.end()).rejects.toBeInstanceOf(TransportError);
  });

  it("supports programs that half-close the connection", async () => {
    const errors: unknown[] = [];
    await using forward = await forwardPorts(
      client,
      { namespace, name: "newer" },
      { ports: [count, flood], onError: (error) => errors.push(error) },
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => ask(forward.ports[0]!.local, Buffer.alloc(at * 100_000))),
    );
    expect(answers.map(String)).toEqual(Array.from({ length: 10 }, (_, at) => `${String(at * 100_000)} bytes`));
    expect((await ask(forward.ports[1]!.local, Buffer.alloc(1))).length).toBe(8 * 1024 * 1024);
    expect(errors).toEqual([]);
  });

  it("is refused like any other request", async () => {
    expect(
      isNotFound(await connectPort(client, { namespace, name: "none" }, 80).catch((error: unknown) => error)),
    ).toBe(true);
  });
});
