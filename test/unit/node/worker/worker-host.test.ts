import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../../src/client/client.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { createClientWorker } from "../../../../src/node/worker/client-worker.js";
import type { FromWorker, ToWorker } from "../../../../src/node/worker/messages.js";
import { windowBytes, workerMark } from "../../../../src/node/worker/messages.js";
import { runWorkerHost } from "../../../../src/node/worker/worker-host.js";
import type { StartedWorker } from "../../../../src/node/worker/worker-link.js";
import { workloadPod } from "../../../bench/workload-pods.mjs";
import { serve, until } from "../local-server.js";

const codec = protobuf();
const closing: (() => PromiseLike<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Runs the worker's code in this thread, behind a port. */
function startHere(seen: (message: FromWorker) => void = () => undefined): StartedWorker {
  const { port1, port2 } = new MessageChannel();
  runWorkerHost(port2);
  let ended: (error: Error | undefined) => void = () => undefined;
  port1.on("close", () => ended(undefined));
  return {
    postMessage: (message: ToWorker) => port1.postMessage(message),
    onMessage: (callback) =>
      void port1.on("message", (message: FromWorker) => {
        seen(message);
        callback(message);
      }),
    onEnd: (callback) => (ended = callback),
    ref: () => undefined,
    unref: () => undefined,
    async end() {
      port1.close();
      await once(port1, "close");
    },
  };
}

async function setUp(handle: Parameters<typeof serve>[0], seen?: (message: FromWorker) => void) {
  const server = await serve(handle);
  const worker = createClientWorker({ file: true, start: () => startHere(seen) });
  const transport = worker.createPool({ server: server.url });
  closing.push(
    () => server[Symbol.asyncDispose](),
    async () => {
      await transport.close();
      await worker.close();
    },
  );
  return { server, worker, transport };
}

const request = (path: string, signal = new AbortController().signal) => ({
  method: "GET",
  path,
  headers: { accept: `application/vnd.kubernetes.protobuf${workerMark}` },
  signal,
});

describe("the host in a decoding worker", () => {
  it("delivers a list and a watch to an informer as the same objects", async () => {
    const pods = Array.from({ length: 30 }, (_, i) => workloadPod(i) as Pod);
    const list = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "20000000" }, items: pods };
    const changed = pods.map((pod, i) => ({
      ...pod,
      kind: "Pod",
      apiVersion: "v1",
      metadata: { ...pod.metadata, resourceVersion: String(20_000_001 + i) },
    }));
    const accepts: unknown[] = [];
    const { worker, transport } = await setUp((incoming, response) => {
      const url = incoming.url!;
      accepts.push(incoming.headers.accept);
      if (url.startsWith("/version")) response.end(JSON.stringify({ major: "1", minor: "36" }));
      else if (url.includes("watch=")) {
        response.setHeader("content-type", "application/vnd.kubernetes.protobuf;stream=watch");
        for (const pod of changed) response.write(frameOf(codec.encode(pod)));
      } else {
        response.setHeader("content-type", "application/vnd.kubernetes.protobuf");
        response.setHeader("content-encoding", "gzip");
        response.end(gzipSync(codec.encode(list)));
      }
    });
    const client = createClient({ transport, bulkCodec: worker.bulkCodec(async () => codec) });
    const informer = createInformer(client.resource(Pod), { initialList: "list", bulkEncoding: { objects: 0 } });
    const informed = new Promise<void>((resolve) => {
      let updates = 0;
      informer.addHandler(({ type }) => {
        if (type === "updated" && ++updates === changed.length) resolve();
      });
    });
    await informed;
    for (const pod of changed) {
      const key = `${pod.metadata.namespace!}/${pod.metadata.name!}`;
      expect(JSON.stringify(informer.store.get(key))).toBe(JSON.stringify(codec.decode(codec.encode(pod))));
    }
    expect(worker.status).toMatchObject({ state: "running", responses: 1, failures: 0 });
    expect(accepts.some((accept) => String(accept).includes("decode="))).toBe(false);
    await client.close();
    expect(worker.status.responses).toBe(0);
  });

  it("sends other requests from the caller's thread", async () => {
    const { worker, transport } = await setUp((_, response) => response.end("{}"));
    const client = createClient({ transport });
    await (await client.request({ path: "/version" })).json();
    expect(worker.status.state).toBe("idle");
  });

  it("passes on the status, the headers and the body of an error", async () => {
    const { transport } = await setUp((_, response) => {
      response.writeHead(410, { "content-type": "application/json", "retry-after": "3" });
      response.end('{"kind":"Status"}');
    });
    const { status, headers, body } = await transport.send(request("/api/v1/pods?watch=1"));
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect([status, headers.get("retry-after"), Buffer.concat(chunks).toString()]).toEqual([
      410,
      "3",
      '{"kind":"Status"}',
    ]);
    expect(headers.get("content-type")).toBe("application/json");
  });

  it("reports a refused and a broken connection with the code of the system", async () => {
    const { server, transport } = await setUp((_, response) => {
      response.writeHead(200, { "content-type": "application/vnd.kubernetes.protobuf;stream=watch" });
      response.write(frameOf(new Uint8Array(9)));
      setImmediate(() => response.destroy());
    });
    const { body } = await transport.send(request("/api/v1/pods?watch=1"));
    const read = (async () => {
      for await (const chunk of body) expect(chunk.length).toBeGreaterThan(0);
    })();
    await expect(read).rejects.toMatchObject({ name: "TransportError", code: "UND_ERR_SOCKET" });
    await server[Symbol.asyncDispose]();
    await expect(transport.send(request("/api/v1/pods"))).rejects.toMatchObject({
      name: "TransportError",
      code: "ECONNREFUSED",
      message: expect.stringContaining("connection refused") as string,
    });
  });

  it("closes the connection of an aborted request", async () => {
    const { server, transport } = await setUp((_, response) => {
      response.writeHead(200, { "content-type": "application/vnd.kubernetes.protobuf;stream=watch" });
      response.flushHeaders();
    });
    const controller = new AbortController();
    await transport.send(request("/api/v1/pods?watch=1", controller.signal));
    expect(server.open()).toBe(1);
    controller.abort();
    await until(() => server.open() === 0);
  });

  it("stops reading a body whose reader is slow", async () => {
    let sent = 0;
    const { transport } = await setUp(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const part = Buffer.alloc(64 * 1024);
        const write = (): void => {
          for (let i = 0; i < 256; i++) response.write(part);
          response.end();
        };
        write();
      },
      (message) => {
        if (message.type === "chunk") sent += message.length;
      },
    );
    const { body } = await transport.send(request("/api/v1/pods"));
    const iterator = body[Symbol.asyncIterator]();
    await until(() => sent >= windowBytes);
    let read = 0;
    for (;;) {
      // A chunk is sent while there is credit for its first byte.
      expect(sent - read).toBeLessThanOrEqual(windowBytes + 768 * 1024);
      const { done, value } = await iterator.next();
      if (done === true) break;
      read += value.length;
    }
    expect(read).toBe(256 * 64 * 1024);
  });
});

/** Returns the frame of a MODIFIED event. */
function frameOf(object: Uint8Array): Buffer {
  const field = (number: number, content: Uint8Array): Buffer => {
    const length = [content.length & 127, (content.length >> 7) & 127, content.length >> 14];
    return Buffer.concat([Buffer.from([number * 8 + 2, length[0]! | 128, length[1]! | 128, length[2]!]), content]);
  };
  const event = Buffer.concat([field(1, Buffer.from("MODIFIED")), field(2, field(1, object))]);
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(event.length);
  return Buffer.concat([prefix, event]);
}
