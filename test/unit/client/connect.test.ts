import { expect, it } from "vitest";
import { getResponseInfo, noteResponse, readResponseInfo } from "../../../src/client/call/response-info.js";
import { createClient } from "../../../src/client/client.js";
import { ClosedError, TransportError } from "../../../src/errors/errors.js";
import { StatusError } from "../../../src/errors/status-error.js";
import { logRequests, type RequestLogEntry } from "../../../src/interceptors/log-requests.js";
import { measureRequests, type RequestMeasurement } from "../../../src/interceptors/measure-requests.js";
import { traceContext } from "../../../src/interceptors/trace-context.js";
import { bearerToken } from "../../../src/transport/bearer-token.js";
import type { Interceptor, Transport, TransportRequest } from "../../../src/transport/transport.js";

interface SocketTransport extends Transport {
  readonly requests: TransportRequest[];
  readonly offered: (readonly string[])[];
  closed(): number;
}

/** A transport whose WebSockets deliver the given messages, or fail. */
function sockets(...answers: (readonly string[] | Error)[]): SocketTransport {
  const requests: TransportRequest[] = [];
  const offered: (readonly string[])[] = [];
  let closed = 0;
  return {
    requests,
    offered,
    closed: () => closed,
    send: () => Promise.reject(new TransportError("no requests here")),
    connect(request, protocols) {
      const answer = answers[requests.length]!;
      requests.push(request);
      offered.push(protocols);
      if (answer instanceof Error) return Promise.reject(answer);
      const messages = (async function* () {
        for (const text of answer) yield await Promise.resolve(new TextEncoder().encode(text));
      })();
      return Promise.resolve({
        protocol: protocols[0] ?? "",
        messages,
        send: () => Promise.resolve(),
        close: () => Promise.resolve(void closed++),
      });
    },
    close: () => Promise.resolve(),
  };
}

const path = "/api/v1/namespaces/x/pods/a/exec";
const refused = (code: number): StatusError =>
  new StatusError({ kind: "Status", code, reason: "Refused" }, { action: "connect" });
const open = async (transport: Transport, interceptors: Interceptor[]): Promise<string> => {
  const socket = await createClient({ transport, interceptors }).openWebSocket({
    path,
    query: { command: ["a", "b"] },
    protocols: ["v5", "v4"],
  });
  let text = socket.protocol;
  for await (const message of socket.messages) text += ` ${new TextDecoder().decode(message)}`;
  return text;
};

it("openWebSocket passes interceptors the upgrade once, with the messages as the response body", async () => {
  const transport = sockets(["one", "two"]);
  const log: RequestLogEntry[] = [];
  const measured: RequestMeasurement[] = [];
  const seen: TransportRequest[] = [];
  const look: Interceptor = (next) => (request) => (seen.push(request), next(request));
  expect(
    await open(transport, [
      logRequests((entry) => log.push(entry)),
      measureRequests((entry) => measured.push(entry)),
      traceContext(),
      look,
    ]),
  ).toBe("v5 one two");
  expect(log).toMatchObject([{ method: "GET", path: `${path}?command=a&command=b`, status: 101 }]);
  expect(measured).toMatchObject([{ subresource: "exec", verb: "get", status: 101, receivedBytes: 6 }]);
  expect(seen).toMatchObject([{ upgrade: ["v5", "v4"] }]);
  expect(transport.offered).toEqual([["v5", "v4"]]);
  expect(transport.requests[0]).not.toHaveProperty("upgrade");
  expect(transport.requests[0]!.headers).toHaveProperty("traceparent");
});

it("measureRequests reports a WebSocket that is closed before all messages are read", async () => {
  const transport = sockets(["one"]);
  const measured: RequestMeasurement[] = [];
  const socket = await createClient({
    transport,
    interceptors: [measureRequests((entry) => measured.push(entry))],
  }).openWebSocket({ path, protocols: ["v5"] });
  const messages = socket.messages[Symbol.asyncIterator]();
  expect(measured).toEqual([]);
  await messages.next();
  await socket.close();
  expect(measured).toMatchObject([{ status: 101, receivedBytes: 3 }]);
  expect(transport.closed()).toBe(1);
});

it("bearerToken requests a new token after a 401 on a WebSocket, and logs none", async () => {
  const transport = sockets(refused(401), ["hello"]);
  const log: RequestLogEntry[] = [];
  let n = 0;
  expect(await open(transport, [bearerToken(() => `s3cret-${++n}`), logRequests((entry) => log.push(entry))])).toBe(
    "v5 hello",
  );
  expect(transport.requests.map((request) => request.headers["authorization"])).toEqual([
    "Bearer s3cret-1",
    "Bearer s3cret-2",
  ]);
  expect(log.map(({ status }) => status)).toEqual([401, 101]);
  expect(JSON.stringify(log)).not.toContain("s3cret");
});

it.each([
  [
    "a refusal",
    refused(403),
    { code: 403, reason: "Refused", message: `connect ${path}: 403 Refused` },
    { status: 403 },
  ],
  [
    "a connection that fails",
    new TransportError("reset", { code: "ECONNRESET" }),
    { code: "ECONNRESET", message: `connect ${path}: reset` },
    { error: "reset" },
  ],
])("openWebSocket names its action in the error of %s", async (_name, error, expected, entry) => {
  const log: RequestLogEntry[] = [];
  await expect(open(sockets(error), [logRequests((each) => log.push(each))])).rejects.toMatchObject(expected);
  expect(log).toMatchObject([entry]);
});

it("getResponseInfo returns the response that refused a WebSocket, without the client's token", async () => {
  const refusal = refused(403);
  const headers = new Headers({ "audit-id": "a1", "x-echo": "s3cret-token" });
  noteResponse(refusal, readResponseInfo({ status: 403, headers, body: (async function* () {})() }, 1));
  const error: unknown = await open(sockets(refusal), [bearerToken("s3cret-token")]).catch((error: unknown) => error);
  const info = getResponseInfo(error as StatusError);
  expect(info).toMatchObject({ status: 403, auditId: "a1", attempts: 1 });
  expect(info?.headers.get("x-echo")).toBe("[redacted]");
});

it("closing the client ends WebSockets that are opening or open", async () => {
  const signals: AbortSignal[] = [];
  const transport: Transport = {
    send: () => Promise.reject(new TransportError("no requests here")),
    connect(request, protocols) {
      signals.push(request.signal);
      const hang = new Promise<never>((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), { once: true }),
      );
      if (signals.length === 1) return hang;
      hang.catch(() => undefined);
      return Promise.resolve({
        protocol: protocols[0]!,
        messages: (async function* (): AsyncGenerator<Uint8Array> {
          yield await hang;
        })(),
        send: () => Promise.resolve(),
        close: () => Promise.resolve(),
      });
    },
    close: () => Promise.resolve(),
  };
  const client = createClient({ transport });
  const opening = client.openWebSocket({ path, protocols: ["v5"] }).catch((error: unknown) => error);
  const message = (await client.openWebSocket({ path, protocols: ["v5"] })).messages[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
  await client.close();
  expect([await opening, await message]).toEqual([
    new ClosedError("the client was closed"),
    new ClosedError("the client was closed"),
  ]);
  await expect(client.openWebSocket({ path, protocols: ["v5"] })).rejects.toThrow(ClosedError);
  expect(signals).toHaveLength(2);
});

it("openWebSocket rejects if an interceptor responds without opening the WebSocket", async () => {
  const answer: Interceptor = () => () =>
    Promise.resolve({ status: 200, headers: new Headers(), body: [] as unknown as AsyncIterable<Uint8Array> });
  await expect(open(sockets(["one"]), [answer])).rejects.toThrow(
    "an interceptor returned status 200 without opening the WebSocket",
  );
});
