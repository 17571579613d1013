import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { withImpersonation } from "../../../src/client/decorators/with-impersonation.js";
import { ConfigMap, Namespace } from "../../../src/kinds/core/v1.js";
import { fetchTransport } from "../../../src/transport/fetch.js";
import { handlerTransport } from "../../../src/transport/handler.js";

describe("fetchTransport", () => {
  it("rejects with the system's error code if the server is unreachable", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    await expect(
      fetchTransport({ url: `http://127.0.0.1:${port}` }).send({
        method: "GET",
        path: "/",
        headers: {},
        signal: new AbortController().signal,
      }),
    ).rejects.toMatchObject({ name: "TransportError", code: "ECONNREFUSED" });
  });

  it.each([
    ["not-a-url", "invalid server URL"],
    ["ftp://x", "http: or https:"],
    ["http://u:p@x", "credentials"],
    ["http://x/?a=b", "a query or a fragment"],
  ])("rejects the URL %s", (bad, message) => {
    expect(() => fetchTransport({ url: bad })).toThrow(message);
  });

  it("prefixes the URL's path and rejects repeated headers", async () => {
    const urls: string[] = [];
    const transport = fetchTransport({
      url: "https://proxy.example/k8s/clusters/c/",
      fetch: (input) => {
        urls.push(String(input));
        return Promise.resolve(Response.json({ kind: "ConfigMapList", metadata: {}, items: [] }));
      },
    });
    const client = createClient({ transport });
    await client.resource(ConfigMap).list({ limit: 1 });
    await withImpersonation(client, { user: "a", groups: ["one"] })
      .resource(ConfigMap)
      .list();
    expect(urls).toEqual([
      "https://proxy.example/k8s/clusters/c/api/v1/configmaps?limit=1",
      "https://proxy.example/k8s/clusters/c/api/v1/configmaps",
    ]);
    await expect(
      withImpersonation(client, { user: "a", groups: ["one", "two"] })
        .resource(ConfigMap)
        .list(),
    ).rejects.toMatchObject({ name: "ConfigError", message: expect.stringContaining("impersonate-group") as string });
  });
});

it.each(["fetch", "handler"])("the %s transport doesn't retain chunks read from an endless body", async (name) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const answer = (): Promise<Response> =>
    Promise.resolve(
      new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1_000)) }, { highWaterMark: 0 })),
    );
  const transport =
    name === "fetch" ? fetchTransport({ url: "http://x.example", fetch: answer }) : handlerTransport(answer);
  const abort = new AbortController();
  const { body } = await transport.send({ method: "GET", path: "/", headers: {}, signal: abort.signal });
  const chunks = body[Symbol.asyncIterator]();
  const read: WeakRef<Uint8Array>[] = [];
  for (let i = 0; i < 100; i++) read.push(new WeakRef((await chunks.next()).value as Uint8Array));
  // Objects that were used in one turn of the event loop aren't collected in the same turn.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(read.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(10);
  await chunks.return!();
});

it.each([
  ["fetch", fetchTransport({ url: "http://x.example", fetch: () => Promise.reject(new Error("must not be called")) })],
  ["handler", handlerTransport(() => Promise.reject(new Error("must not be called")))],
])("the %s transport names an invalid header without its value", async (_name, transport) => {
  for (const headers of [{ "x-key": "a\ns3cret" }, { "x-key": "s3cret\u{1f511}" }]) {
    const error = (await transport
      .send({ method: "GET", path: "/", headers, signal: new AbortController().signal })
      .catch((e: unknown) => e)) as Error;
    expect(error).toMatchObject({
      name: "ConfigError",
      message: expect.stringContaining("header x-key: the value must be a string without control characters"),
    });
    expect(inspect(error, { depth: 9 })).not.toContain("s3cret");
  }
});

it("handlerTransport reaches an API server in the same process, including watches", async () => {
  const api = createApiServer();
  const client = createClient({ transport: handlerTransport((request) => api.handle(request)) });
  await client.resource(Namespace).create({ metadata: { name: "web" } });
  const maps = client.resource(ConfigMap).namespace("web");
  const { metadata } = await maps.list();
  const watch = maps.watch({ resourceVersion: metadata.resourceVersion!, fieldSelector: "metadata.name=a" });
  const first = watch.next();
  await maps.create({ metadata: { name: "a" }, data: { k: "v" } });
  expect((await first).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" }, data: { k: "v" } } });
  const pending = watch.next();
  await client.close();
  await expect(pending).rejects.toMatchObject({ name: "ClosedError" });
  await api.close();
});
