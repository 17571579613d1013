import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { TransportError } from "../../../src/errors/errors.js";
import { logRequests, type RequestLogEntry } from "../../../src/interceptors/log-requests.js";
import { measureRequests, type RequestMeasurement } from "../../../src/interceptors/measure-requests.js";
import { rateLimit } from "../../../src/interceptors/rate-limit.js";
import { requestInfo } from "../../../src/interceptors/request-info.js";
import { parseTraceparent, type TraceSpan, traceContext } from "../../../src/interceptors/trace-context.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import { bearerToken } from "../../../src/transport/bearer-token.js";
import type { Interceptor } from "../../../src/transport/transport.js";
import { fakeClock } from "../client/fake-clock.js";
import { type Answer, scripted } from "../client/scripted-transport.js";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
const ok: Answer = { body: pod };
const tooMany: Answer = {
  status: 429,
  headers: { "retry-after": "1" },
  body: { kind: "Status", code: 429, reason: "TooManyRequests" },
};
const setup = (interceptors: Interceptor[], ...answers: Answer[]) => {
  const transport = scripted(...answers);
  return {
    transport,
    pods: createClient({ transport, interceptors, clock: fakeClock({ auto: true }), random: () => 0 })
      .resource(Pod)
      .namespace("x"),
  };
};

it("interceptors see each attempt once, the first in the list outermost", async () => {
  const seen: string[] = [];
  const note =
    (name: string): Interceptor =>
    (next) =>
    async (request) => {
      seen.push(`${name} asks`);
      const response = await next(request);
      seen.push(`${name} hears ${response.status}`);
      return response;
    };
  await setup([note("a"), note("b")], tooMany, ok).pods.get("a");
  expect(seen).toEqual([
    "a asks",
    "b asks",
    "b hears 429",
    "a hears 429",
    "a asks",
    "b asks",
    "b hears 200",
    "a hears 200",
  ]);
});

describe("bearerToken", () => {
  it("calls the function for each request and once more after a 401", async () => {
    const asked: unknown[] = [];
    let n = 0;
    const { pods, transport } = setup(
      [
        bearerToken((refused) => {
          asked.push(refused);
          return `t${++n}`;
        }),
      ],
      { status: 401, body: {} },
      ok,
      ok,
    );
    await pods.get("a");
    await pods.get("a");
    expect(asked).toEqual([undefined, "t1", undefined]);
    expect(transport.requests.map((r) => r.headers["authorization"])).toEqual(["Bearer t1", "Bearer t2", "Bearer t3"]);
  });

  it("doesn't retry with the same token, and keeps it out of errors", async () => {
    for (const token of ["secret-token", () => "secret-token"]) {
      const { pods, transport } = setup([bearerToken(token)], {
        status: 401,
        headers: { "content-type": "text/plain" },
        body: "bad Bearer secret-token",
      });
      const error = (await pods.get("a").catch((e: unknown) => e)) as Error;
      expect(transport.requests).toHaveLength(1);
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("secret-token");
    }
  });
});

it.each([
  ["a line break within", "a\ns3cret"],
  ["a character beyond ASCII", "s3cret\u00e9"],
  ["only white space", " \n"],
])("bearerToken rejects a token with %s without revealing it", async (_what, token) => {
  for (const given of [token, () => token]) {
    const { pods, transport } = setup([bearerToken(given)], ok);
    const error = (await pods.get("a").catch((e: unknown) => e)) as Error;
    expect([error.name, transport.requests.length]).toEqual(["ConfigError", 0]);
    expect(inspect(error, { depth: 9 })).not.toContain("s3cret");
  }
});

it("bearerToken trims the line break at the end of a token", async () => {
  const { pods, transport } = setup([bearerToken(() => "t1\n")], { status: 401, body: {} });
  await expect(pods.get("a")).rejects.toMatchObject({ code: 401 });
  expect(transport.requests.map((r) => r.headers["authorization"])).toEqual(["Bearer t1"]);
});

it.each<[string, (calls: () => never) => Interceptor]>([
  ["logRequests", (calls) => logRequests(calls)],
  ["measureRequests", (calls) => measureRequests(calls)],
  ["traceContext", (calls) => traceContext({ onSpan: () => calls })],
])("%s ignores exceptions of its callback, which runs once per attempt", async (_what, make) => {
  let called = 0;
  const { pods } = setup(
    [
      make(() => {
        called++;
        throw new Error("from the observer");
      }),
    ],
    ok,
    { error: new TransportError("reset") },
  );
  expect((await pods.get("a")).metadata?.name).toBe("a");
  await expect(pods.create(pod as never)).rejects.toThrow("reset");
  expect(called).toBe(2);
});

describe("traceContext", () => {
  it("starts a trace or continues the parent's", async () => {
    const spans: TraceSpan[] = [];
    const ends: unknown[] = [];
    const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    let incoming: string | undefined;
    const { pods, transport } = setup(
      [
        traceContext({
          parent: () => incoming,
          state: () => "v=1",
          onSpan: (span) => {
            spans.push(span);
            return (end) => ends.push(end);
          },
        }),
      ],
      ok,
      ok,
      { error: new TransportError("x") },
    );
    await pods.get("a");
    incoming = parent;
    await pods.get("a");
    await pods.get("a").catch(() => undefined);
    const [first, second] = transport.requests.map((r) => r.headers);
    expect(first!["traceparent"]).toBe(`00-${spans[0]!.traceId}-${spans[0]!.spanId}-01`);
    expect(first!["tracestate"]).toBeUndefined();
    expect(second!["traceparent"]).toBe(`00-4bf92f3577b34da6a3ce929d0e0e4736-${spans[1]!.spanId}-00`);
    expect(second!["tracestate"]).toBe("v=1");
    expect(spans[1]).toMatchObject({ parentSpanId: "00f067aa0ba902b7", sampled: false });
    expect(ends).toMatchObject([{ status: 200 }, { status: 200 }, { error: { name: "TransportError" } }]);
  });

  it.each([
    ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true],
    ["cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what", true],
    ["ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false],
    ["00-00000000000000000000000000000000-00f067aa0ba902b7-01", false],
    ["00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false],
    ["00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false],
    ["", false],
    [undefined, false],
  ])("parses the traceparent %s: %s", (text, taken) => expect(parseTraceparent(text) !== undefined).toBe(taken));
});

it("logRequests logs attempts without credentials, bodies and continue tokens", async () => {
  const entries: RequestLogEntry[] = [];
  const { pods } = setup(
    [bearerToken("secret"), logRequests((e) => entries.push(e), { clock: fakeClock() })],
    ok,
    { body: { kind: "PodList", metadata: {}, items: [] } },
    { error: new TransportError("reset") },
  );
  await pods.get("a", { headers: { "X-Auth-Token": "t", Cookie: "c", "x-ok": "1" } });
  await pods.list({ continue: "abc", limit: 1 });
  await pods.create(pod as never).catch(() => undefined);
  expect(entries.map((e) => e.text)).toEqual([
    "GET /api/v1/namespaces/x/pods/a 200 in 0 ms",
    "GET /api/v1/namespaces/x/pods?limit=1&continue=… 200 in 0 ms",
    "POST /api/v1/namespaces/x/pods failed in 0 ms: reset",
  ]);
  expect(entries[0]!.headers).toMatchObject({
    authorization: "[redacted]",
    "x-auth-token": "[redacted]",
    cookie: "[redacted]",
    "x-ok": "1",
  });
});

it("measureRequests reports every attempt once, when its body ends", async () => {
  const seen: RequestMeasurement[] = [];
  const clock = fakeClock();
  const { pods } = setup(
    [measureRequests((m) => seen.push(m), { clock })],
    { ...tooMany, headers: { ...tooMany.headers, "x-kubernetes-pf-flowschema-uid": "fs" } },
    ok,
    { error: new TransportError("x") },
    { body: ["{", new TransportError("cut")] },
    { body: [`${JSON.stringify({ type: "ADDED", object: pod })}\n`, "hang"] },
  );
  await pods.get("a");
  await pods.create(pod as never).catch(() => undefined);
  await pods.get("a").catch(() => undefined);
  const watch = pods.watch();
  await watch.next();
  expect(seen).toHaveLength(4);
  clockForward(clock);
  await watch.return();
  expect(seen).toMatchObject([
    { verb: "get", resource: "pods", namespace: "x", status: 429, flowSchemaUid: "fs" },
    { status: 200, receivedBytes: JSON.stringify(pod).length },
    { verb: "create", error: { message: "x" }, sentBytes: JSON.stringify(pod).length, receivedBytes: 0 },
    { verb: "get", status: 200, error: { message: "cut" }, receivedBytes: 1 },
    { verb: "watch", status: 200, totalMs: 5000 },
  ]);
  expect(seen[4]!.error).toBeUndefined();
});

function clockForward(clock: ReturnType<typeof fakeClock>): void {
  void clock.advance(5000);
}

describe("rateLimit", () => {
  it("sends a burst at once and spaces the other requests in order", async () => {
    const clock = fakeClock();
    const waits: number[] = [];
    const sent: string[] = [];
    const send = rateLimit({ qps: 2, burst: 2, clock, onWait: (ms) => waits.push(ms) })(async (request) => {
      sent.push(request.path);
      return { status: 200, headers: new Headers(), body: [] as unknown as AsyncIterable<Uint8Array> };
    });
    const signal = new AbortController().signal;
    const all = ["a", "b", "c", "d"].map((path) => send({ method: "GET", path, headers: {}, signal }));
    await clock.advance(0);
    expect(sent).toEqual(["a", "b"]);
    await clock.advance(500);
    expect(sent).toEqual(["a", "b", "c"]);
    await clock.advance(500);
    await Promise.all(all);
    expect(waits).toEqual([500, 1000]);
  });

  it("sends a request although onWait throws", async () => {
    const clock = fakeClock();
    const onWait = (): never => {
      throw new Error("no log");
    };
    const send = rateLimit({ qps: 1, clock, onWait })(async () => ({
      status: 200,
      headers: new Headers(),
      body: [] as unknown as AsyncIterable<Uint8Array>,
    }));
    const request = { method: "GET", path: "/", headers: {}, signal: new AbortController().signal };
    const all = Promise.all([send(request), send(request)]);
    await clock.advance(1000);
    expect((await all).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("returns the token of an aborted request", async () => {
    const clock = fakeClock();
    const send = rateLimit({ qps: 1, clock })(async () => ({
      status: 200,
      headers: new Headers(),
      body: [] as unknown as AsyncIterable<Uint8Array>,
    }));
    const controller = new AbortController();
    const request = { method: "GET", path: "/", headers: {}, signal: controller.signal };
    await send(request);
    const left = send(request).catch((e: unknown) => e);
    controller.abort("gone");
    expect(await left).toBe("gone");
    const other = send({ ...request, signal: new AbortController().signal });
    expect(clock.waits.at(-1)).toBe(1000);
    await clock.advance(1000);
    await other;
    expect(clock.pending()).toBe(0);
  });

  it.each([
    [{ qps: 0 }, "qps"],
    [{ qps: Number.NaN }, "qps"],
    [{ qps: 1, burst: 0 }, "burst"],
  ])("rejects %j", (options, message) => expect(() => rateLimit(options)).toThrow(message));
});

it.each([
  ["GET", "/api/v1/pods?watch=1", { group: "", version: "v1", resource: "pods", verb: "watch" }],
  ["GET", "/api/v1/pods?watch=false", { verb: "list" }],
  [
    "GET",
    "/api/v1/namespaces/x/pods/a/log?follow=true",
    { namespace: "x", resource: "pods", name: "a", subresource: "log", verb: "get" },
  ],
  ["GET", "/api/v1/namespaces/x", { resource: "namespaces", name: "x", verb: "get" }],
  [
    "PUT",
    "/api/v1/namespaces/x/finalize",
    { resource: "namespaces", name: "x", subresource: "finalize", verb: "update" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/x/deployments",
    { group: "apps", resource: "deployments", verb: "deletecollection" },
  ],
  ["PATCH", "/apis/apps/v1/namespaces/x/deployments/a%3Ab", { name: "a:b", verb: "patch" }],
  ["GET", "/healthz", { verb: "get" }],
  ["GET", "/apis/apps/v1", { verb: "get" }],
])("requestInfo of %s %s is %j", (method, path, info) => expect(requestInfo(method, path)).toMatchObject(info));
