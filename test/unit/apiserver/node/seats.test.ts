import { EventEmitter, once } from "node:events";
import { Agent, createServer, get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import type { ServerRequest, ServerResponse } from "../../../../src/apiserver/http/http.js";
import { answer } from "../../../../src/apiserver/node/answer.js";
import { Http1Exchange } from "../../../../src/apiserver/node/http1-exchange.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";

/** A server of one seat that prefers requests of `/mouse`, and records the paths in the order of service. */
function oneSeat(served: string[]): ApiServer {
  const waiting: { path: string; start: () => void }[] = [];
  let busy = false;
  const free = (): void => {
    const mouse = waiting.findIndex(({ path }) => path === "/mouse");
    const next = waiting.splice(Math.max(mouse, 0), 1)[0];
    busy = next !== undefined;
    next?.start();
  };
  const serve = async (request: ServerRequest): Promise<ServerResponse> => {
    if (busy) await new Promise<void>((start) => waiting.push({ path: request.path, start }));
    busy = true;
    served.push(request.path);
    request.onWritten?.(free);
    return { status: 200, headers: [], body: new Uint8Array(2) };
  };
  return { serve } as Partial<ApiServer> as ApiServer;
}

it("flow control frees a seat only after clients could send their next request", async () => {
  const served: string[] = [];
  const stub = oneSeat(served);
  const server = createServer((request, response) => void answer(stub, new Http1Exchange(request, response))).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const read = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", path, agent }, (response) => response.resume().on("end", resolve)).on(
        "error",
        reject,
      );
    });
  const readers = 10;
  const turns = 10;
  const mice = Array.from({ length: readers }, async () => {
    for (let turn = 0; turn < turns; turn += 1) await read("/mouse");
  });
  await Promise.all([...mice, read("/elephant")]);
  agent.destroy();
  server.close();
  // In one turn, the queue would be served until it is empty, after about one request of each reader.
  expect(served.indexOf("/elephant")).toBeGreaterThan((readers * turns) / 2);
});

it("requests that wait behind another one on their connection give their seats back when it closes", async () => {
  const requests = 20;
  let begun = 0;
  let freed = 0;
  const events = new EventEmitter();
  const allBegun = once(events, "begun");
  const allFreed = once(events, "freed");
  const serve = async (request: ServerRequest): Promise<ServerResponse> => {
    request.onWritten?.(() => {
      if (++freed === requests) events.emit("freed");
    });
    if (++begun === requests) events.emit("begun");
    if (request.path === "/watch") await once(request.signal, "abort");
    return { status: 200, headers: [], body: new Uint8Array(2) };
  };
  const stub = { serve } as Partial<ApiServer> as ApiServer;
  const server = createServer((request, response) => void answer(stub, new Http1Exchange(request, response))).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const head = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  client.write(head("/watch") + head("/list").repeat(requests - 1));
  await allBegun;
  expect(freed).toBe(0);
  client.destroy();
  await allFreed;
  server.close();
});
