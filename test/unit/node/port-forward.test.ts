import { connect as connectTcp } from "node:net";
import { describe, expect, it } from "vitest";
import { ConfigError, ProtocolError } from "../../../src/errors/errors.js";
import { isForbidden } from "../../../src/errors/predicates.js";
import { connect } from "../../../src/node/connection/connect.js";
import { forwardPorts } from "../../../src/node/pods/forward-ports.js";
import { connectPort } from "../../../src/streams/port-forward.js";
import { resolveService } from "../../../src/streams/service-target.js";
import { echoServer } from "./echo-server.js";
import { fakeCluster } from "./fake-cluster.js";
import { fakeKubelet } from "./fake-kubelet.js";
import { serve, until } from "./local-server.js";

const pod = { namespace: "apps", name: "web-0" };
const [tunnel, channels] = ["SPDY/3.1+portforward.k8s.io", "v4.channel.k8s.io"];

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

  it("rejects an invalid port before it listens", async () => {
    await using fixture = await fakeCluster(options);
    for (const port of [0, 65_536, 1.5]) {
      await expect(connectPort(fixture.client, pod, port)).rejects.toThrow(RangeError);
      await expect(forwardPorts(fixture.client, pod, { ports: [80, { remote: port }] })).rejects.toThrow(RangeError);
    }
    await expect(forwardPorts(fixture.client, pod, { ports: ["http"] })).rejects.toThrow(
      'the port of a pod must be a number, not "http"',
    );
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
