import { afterEach, expect, it, vi } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { systemClock } from "../../../src/internal/clock.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import type { WholeBody } from "../../../src/transport/direct.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";

afterEach(() => void vi.unstubAllGlobals());

const json = { "content-type": "application/json" };
const encoder = new TextEncoder();
const request = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "GET",
  path,
  headers: {},
  signal: new AbortController().signal,
  ...more,
});

/** Sends a request and returns everything that a client can see of the response, or the error. */
async function outcome(transport: Transport, message: TransportRequest): Promise<unknown> {
  try {
    const { status, headers, body } = await transport.send(message);
    let text = "";
    for await (const chunk of body) text += new TextDecoder().decode(chunk, { stream: true });
    const names = [
      "content-type",
      "Warning",
      "audit-id",
      "cache-control",
      "retry-after",
      "x-kubernetes-pf-flowschema-uid",
    ];
    return { status, headers: names.map((name) => headers.get(name)), text };
  } catch (error) {
    const { name, message: text, cause } = error as Error;
    return { name, text, cause: String(cause) };
  }
}

const requests: [string, TransportRequest][] = [
  ["a list", request("/api/v1/namespaces?limit=1&labelSelector=a%3Db")],
  [
    "a create",
    request("/api/v1/namespaces/default/configmaps", {
      method: "POST",
      headers: json,
      body: encoder.encode('{"metadata":{"name":"ü"}}'),
    }),
  ],
  ["a create without a body", request("/api/v1/namespaces", { method: "POST", headers: json })],
  ["a delete", request("/api/v1/namespaces/none", { method: "DELETE" })],
  ["a path that a URL normalizes", request("/api/v1/../v1/namespaces/none")],
  ["an encoded path that a URL normalizes", request("/api/v1/%2e%2E/v1/namespaces/none")],
  ["a path with characters that a URL encodes", request('/api/v1/namespaces/"ü"')],
  ["a path with a fragment", request("/version#fragment")],
  [
    "a repeated header",
    request("/api/v1/namespaces/none", {
      headers: { "impersonate-user": "jane" },
      multiHeaders: { "impersonate-group": ["a", "b, c"] },
    }),
  ],
  ["a header with surrounding spaces", request("/version", { headers: { "audit-id": " id " } })],
  ["a header in UTF-8", request("/version", { headers: { "audit-id": "\xc3\xbc" } })],
  ["a header with an invalid name", request("/version", { headers: { "a b": "c" } })],
  ["a header with an invalid value", request("/version", { headers: { "audit-id": "a\nb" } })],
  ["a header without a value", request("/version", { headers: { "audit-id": undefined as unknown as string } })],
  ["a response without a body", request("/healthz/none")],
  ["an unknown method", request("/api/v1/namespaces", { method: "options" })],
  ["a body with GET", request("/version", { body: encoder.encode("{}") })],
];

type Faults = ReturnType<typeof createApiServer>["faults"];

const faults: [string, Parameters<Faults["add"]>[0]["effect"]][] = [
  ["a broken connection", { type: "reset" }],
  ["a body that breaks", { type: "reset", afterBytes: 20 }],
  ["a body that ends early", { type: "truncate", afterBytes: 20 }],
  ["a body in pieces", { type: "slow", pieceBytes: 100, everyMs: 1 }],
];

/** Answers of a server to a client that uses its handler, and to one that can only use a fetch-style function. */
async function bothOutcomes(message: TransportRequest, prepare: (faults: Faults) => void): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const wrapped of [false, true]) {
    const server = createApiServer({ random: () => 0.5, clock: { ...systemClock, now: () => 1_700_000_000_000 } });
    prepare(server.faults);
    const transport = handlerTransport(wrapped ? (platform) => server.handle(platform) : server.handle);
    answers.push(await outcome(transport, message));
    await server.close();
  }
  return answers;
}

it.each(requests)("an API server answers %s the same with and without the platform's Request", async (_, message) => {
  const [plain, wrapped] = await bothOutcomes(message, () => undefined);
  expect(plain).toEqual(wrapped);
});

it.each(faults)("a client in the same process sees %s as it does through Request", async (_, effect) => {
  const [plain, wrapped] = await bothOutcomes(request("/api/v1/namespaces"), (plan) => plan.add({ effect }));
  expect(plain).toEqual(wrapped);
});

it("a client of an API server in the same process creates neither Request nor Response", async () => {
  const server = createApiServer();
  for (const name of ["Request", "Response", "Headers", "ReadableStream"]) vi.stubGlobal(name, undefined);
  const client = createClient({ transport: handlerTransport(server.handle) });
  const maps = client.resource(ConfigMap).namespace("default");
  const watch = maps.watch({ resourceVersion: "0", fieldSelector: "metadata.name=a" });
  const first = watch.next();
  await maps.create({ metadata: { name: "a" } });
  expect((await first).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
  await client.close();
  await server.close();
});

it("bytes of a response aren't those of the server", async () => {
  const server = createApiServer();
  const transport = handlerTransport(server.handle);
  const read = async (): Promise<Uint8Array> => {
    const { body } = await transport.send(request("/openapi/v3/api/v1"));
    return (body as WholeBody).takeWhole!()!;
  };
  const bytes = await read();
  const before = new TextDecoder().decode(bytes);
  bytes.fill(0);
  expect(new TextDecoder().decode(await read())).toBe(before);
  await server.close();
});

it.each(["headers", "body"])(
  "an abort while a handler's %s are awaited rejects with the signal's reason",
  async (phase) => {
    const server = createApiServer();
    const transport = handlerTransport(server.handle);
    const controller = new AbortController();
    const reason = { why: "enough" };
    const { signal } = controller;
    if (phase === "headers") {
      server.faults.add({ effect: { type: "delay", ms: 1e9 } });
      const sent = transport.send(request("/api/v1/namespaces", { signal }));
      controller.abort(reason);
      await expect(sent).rejects.toBe(reason);
    } else {
      const { body } = await transport.send(request("/api/v1/namespaces?watch=true&resourceVersion=0", { signal }));
      const chunks = body[Symbol.asyncIterator]();
      await chunks.next();
      const pending = (async () => {
        while ((await chunks.next()).done !== true);
      })();
      controller.abort(reason);
      await expect(pending).rejects.toBe(reason);
    }
    await server.close();
  },
);
