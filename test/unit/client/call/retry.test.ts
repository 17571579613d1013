import { describe, expect, it } from "vitest";
import { getResponseInfo } from "../../../../src/client/call/response-info.js";
import {
  parseRetryAfter,
  type RetryEvent,
  type RetryOptions,
  retryDelayMs,
} from "../../../../src/client/call/retry.js";
import { type Client, createClient } from "../../../../src/client/client.js";
import { ClosedError, TransportError } from "../../../../src/errors/errors.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { fakeClock } from "../fake-clock.js";
import { type Answer, scripted } from "../scripted-transport.js";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
const failure = (code: number, reason: string, headers: Record<string, string> = {}, details: object = {}): Answer => ({
  status: code,
  headers,
  body: { kind: "Status", code, reason, details },
});
const tooMany = (after?: string): Answer =>
  failure(429, "TooManyRequests", after === undefined ? {} : { "retry-after": after });
const unavailable = (after?: string): Answer =>
  failure(503, "ServiceUnavailable", after === undefined ? {} : { "retry-after": after });
const reset = (code = "ECONNRESET"): Answer => ({ error: new TransportError("socket closed", { code }) });
const ok: Answer = { body: pod };
const verbs: Record<string, (client: Client) => Promise<unknown>> = {
  get: (c) => c.resource(Pod).namespace("x").get("a"),
  list: (c) => c.resource(Pod).namespace("x").metadataOnly().get("a"),
  watch: (c) => {
    const w = c.resource(Pod).watch();
    return w.next().finally(() => w.return());
  },
  create: (c) =>
    c
      .resource(Pod)
      .namespace("x")
      .create({ metadata: { name: "a" } }),
  "create dry": (c) =>
    c
      .resource(Pod)
      .namespace("x")
      .create({ metadata: { name: "a" } }, { dryRun: "All" }),
  update: (c) =>
    c
      .resource(Pod)
      .namespace("x")
      .update({ metadata: { name: "a" } }),
  "update versioned": (c) =>
    c
      .resource(Pod)
      .namespace("x")
      .update({ metadata: { name: "a", resourceVersion: "1" } }),
  patch: (c) => c.resource(Pod).namespace("x").patch("a", { type: "merge", patch: {} }),
  apply: (c) =>
    c
      .resource(Pod)
      .namespace("x")
      .apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, { fieldManager: "m" }),
  delete: (c) => c.resource(Pod).namespace("x").delete("a"),
  "delete by uid": (c) =>
    c
      .resource(Pod)
      .namespace("x")
      .delete("a", { preconditions: { uid: "u" } }),
  evict: (c) => c.resource(Pod).namespace("x").subresource("eviction").create("a", {}),
  post: (c) => c.request({ method: "POST", path: "/x", body: {} }).then((answer) => answer.text()),
  "post repeatable": (c) =>
    c.request({ method: "POST", path: "/x", body: {}, repeatable: true }).then((answer) => answer.text()),
  "get once": (c) => c.resource(Pod).namespace("x").get("a", { retry: false }),
};

async function run(
  verb: string,
  answers: Answer[],
  retry?: RetryOptions | false,
): Promise<{ requests: number; waits: number[]; error: unknown }> {
  const clock = fakeClock({ auto: true, start: Date.UTC(2026, 0, 1) });
  const transport = scripted(...answers);
  // Without idle timeouts, the clock's waits are those between attempts.
  const client = createClient({
    transport,
    clock,
    random: () => 0,
    idleTimeoutMs: 0,
    ...(retry !== undefined && { retry }),
  });
  const error: unknown = await verbs[verb]!(client).then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(clock.pending()).toBe(0);
  expect(transport.open()).toBe(0);
  return { requests: transport.requests.length, waits: clock.waits.filter((ms) => ms !== 15_000), error };
}

describe("client retries", () => {
  const watchOk: Answer = { body: `${JSON.stringify({ type: "ADDED", object: pod })}\n` };
  it.each([
    ["get", [tooMany("1"), ok], [1000]],
    ["create", [tooMany("2"), ok], [2000]],
    ["patch", [tooMany(), tooMany(), ok], [200, 400]],
    ["evict", [tooMany("1"), ok], [1000]],
    ["watch", [tooMany("1"), watchOk], [1000]],
    ["watch", [reset(), watchOk], [200]],
    ["get", [tooMany("Thu, 01 Jan 2026 00:00:05 GMT"), ok], [5000]],
    ["get", [tooMany("soon"), ok], [200]],
    ["get", [tooMany("0"), ok], [200]],
    ["get", [unavailable("3"), ok], [3000]],
    ["get", [unavailable(), ok], [200]],
    ["get", [{ status: 503, headers: { "content-type": "text/plain" }, body: "down" }, ok], [200]],
    ["get", [failure(429, "TooManyRequests", {}, { retryAfterSeconds: 4 }), ok], [4000]],
    ["create dry", [unavailable("1"), ok], [1000]],
    ["update versioned", [unavailable("1"), ok], [1000]],
    ["apply", [unavailable("1"), ok], [1000]],
    ["delete by uid", [unavailable("1"), ok], [1000]],
    ["post", [tooMany("1"), ok], [1000]],
    ["post repeatable", [unavailable("1"), ok], [1000]],
    ["get", [reset(), reset("UND_ERR_SOCKET"), ok], [200, 400]],
    ["get", [{ body: ['{"kind":', new TransportError("cut", { code: "ECONNRESET" })] }, ok], [200]],
  ] as [string, Answer[], number[]][])("%s after %j with delays %j", async (verb, answers, waits) => {
    const result = await run(verb, answers);
    expect(result).toEqual({ requests: answers.length, waits, error: undefined });
  });
});

describe("client doesn't retry", () => {
  it.each([
    ["create", unavailable("1")],
    ["patch", unavailable("1")],
    ["update", unavailable("1")],
    ["delete", unavailable("1")],
    ["post", unavailable("1")],
    ["post repeatable", reset()],
    ["create", reset()],
    ["apply", reset()],
    ["get", reset("ECONNREFUSED")],
    ["get", reset("CERT_HAS_EXPIRED")],
    ["get", { error: new TransportError("what") }],
    ["get", failure(500, "InternalError", { "retry-after": "1" })],
    ["get", failure(504, "Timeout", { "retry-after": "1" })],
    ["get", failure(404, "NotFound")],
    ["get", failure(410, "Expired")],
    ["get", failure(409, "Conflict")],
    ["get", failure(401, "Unauthorized")],
    ["evict", failure(429, "TooManyRequests", { "retry-after": "10" }, { causes: [{ reason: "DisruptionBudget" }] })],
    ["get", tooMany("31")],
    ["get once", tooMany("1")],
  ] as [string, Answer][])("%s after %j", async (verb, answer) => {
    const result = await run(verb, [answer, ok]);
    expect(result).toMatchObject({ requests: 1, waits: [] });
    expect(result.error).toBeDefined();
  });

  it("if retries are disabled", async () => {
    expect(await run("get", [tooMany("1"), ok], false)).toMatchObject({ requests: 1 });
  });
});

describe("client retries are limited", () => {
  it("by maxRetries", async () => {
    const result = await run(
      "get",
      Array.from({ length: 9 }, () => tooMany("1")),
    );
    expect(result).toMatchObject({ requests: 6, waits: [1000, 1000, 1000, 1000, 1000], error: { code: 429 } });
    expect(getResponseInfo(result.error as object)?.attempts).toBe(6);
  });

  it("by budgetMs", async () => {
    expect(await run("get", [tooMany("20"), tooMany("11"), ok])).toMatchObject({
      requests: 2,
      waits: [20_000],
      error: { retryAfterMs: 11_000 },
    });
    expect(await run("get", [tooMany("1"), tooMany("1"), ok], { budgetMs: 1500 })).toMatchObject({ requests: 2 });
    // Without a time to wait from the server, the backoff counts.
    expect(await run("get", [tooMany("0"), ok], { budgetMs: 150 })).toMatchObject({ requests: 1, waits: [] });
  });

  it("by the caller's signal and by closing the client", async () => {
    for (const end of ["signal", "close"]) {
      const clock = fakeClock();
      const transport = scripted(tooMany("5"), ok);
      const client = createClient({ transport, clock });
      const controller = new AbortController();
      const call = client
        .resource(Pod)
        .namespace("x")
        .get("a", { signal: controller.signal })
        .catch((e: unknown) => e);
      await clock.advance(0);
      await clock.advance(0);
      expect(clock.pending()).toBe(1);
      if (end === "signal") controller.abort("enough");
      else await client.close();
      const error = await call;
      if (end === "signal") expect(error).toBe("enough");
      else expect(error).toBeInstanceOf(ClosedError);
      expect(clock.pending()).toBe(0);
      expect(transport.requests).toHaveLength(1);
    }
  });
});

it("onRetry is called before every retry", async () => {
  const events: RetryEvent[] = [];
  await run("get", [{ ...tooMany("1"), headers: { "retry-after": "1", "x-kubernetes-pf-flowschema-uid": "fs" } }, ok], {
    onRetry: (e) => events.push(e),
  });
  expect(events).toMatchObject([
    { action: 'get pods "a" in "x"', failures: 1, delayMs: 1000, error: { code: 429, flowSchemaUid: "fs" } },
  ]);
});

it("retryDelayMs adds random jitter to the delay", () => {
  const state = { repeat: "read", failures: 1, waitedMs: 0 } as const;
  const error = Object.assign(new TransportError("x", { code: "EPIPE" }));
  for (const [random, delay] of [
    [0, 200],
    [0.5, 225],
    [0.999, 249.95],
  ] as const)
    expect(retryDelayMs(error, { ...state, random }, {})).toBeCloseTo(delay);
});

describe("timeoutMs", () => {
  it("limits a call with all its attempts and waits", async () => {
    const clock = fakeClock();
    const transport = scripted(tooMany("2"), { hang: true });
    const client = createClient({ transport, clock, random: () => 0, timeoutMs: 3000 });
    const call = client
      .resource(Pod)
      .namespace("x")
      .get("a")
      .catch((e: unknown) => e);
    await clock.advance(0);
    await clock.advance(0);
    await clock.advance(2000);
    expect(transport.requests).toHaveLength(2);
    await clock.advance(999);
    expect(clock.pending()).toBe(1);
    await clock.advance(1);
    expect(await call).toMatchObject({
      code: "ETIMEDOUT",
      message: 'get pods "a" in "x": timed out after 3000 ms',
      cause: { code: 429 },
    });
    expect(clock.pending()).toBe(0);
  });

  it("throws instead of waiting past the deadline", async () => {
    const clock = fakeClock({ auto: true });
    const transport = scripted(tooMany("1"), tooMany("1"), ok);
    const client = createClient({ transport, clock, random: () => 0, idleTimeoutMs: 0 });
    await expect(client.resource(Pod).namespace("x").get("a", { timeoutMs: 1500 })).rejects.toMatchObject({
      code: 429,
    });
    expect(transport.requests).toHaveLength(2);
  });
});

it("timeoutMs covers both the headers and the body of an attempt", async () => {
  const clock = fakeClock();
  const transport = scripted({ hang: true }, { body: ["{", "hang"] });
  const client = createClient({ transport, clock, timeoutMs: 700 });
  for (const method of ["headers", "body"]) {
    const call = client
      .resource(Pod)
      .namespace("x")
      .get("a")
      .catch((e: unknown) => e);
    await clock.advance(0);
    await clock.advance(699);
    await clock.advance(1);
    expect(await call, method).toMatchObject({
      name: "TransportError",
      code: "ETIMEDOUT",
      message: 'get pods "a" in "x": timed out after 700 ms',
    });
  }
  expect(clock.pending()).toBe(0);
  expect(transport.requests[0]!.path).toContain("?timeout=700ms");
});

it("timeoutMs of a watch limits only the wait for the headers", async () => {
  const clock = fakeClock();
  const transport = scripted({ body: [`${JSON.stringify({ type: "ADDED", object: pod })}\n`, "hang"] });
  const watch = createClient({ transport, clock }).resource(Pod).watch({ timeoutMs: 700 });
  await watch.next();
  expect(clock.pending()).toBe(0);
  // A timeout parameter would make the server end the watch.
  expect(transport.requests[0]!.path).not.toContain("timeout=");
  await watch.return();
});

it.each([
  [null, undefined],
  ["", undefined],
  ["3", 3000],
  ["0", 0],
  ["-1", undefined],
  ["1.5", undefined],
  ["99999999999", 2 ** 31 - 1],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
  ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ["Thursday, 01-Jan-26 00:00:10 GMT", 10_000],
  ["later", undefined],
  ["2026", 2_026_000],
] as const)("parseRetryAfter(%j) returns %j ms", (header, ms) =>
  expect(parseRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(ms),
);

it.each<[string, "read" | "write" | "once", boolean]>([
  ["ERR_HTTP2_STREAM_ERROR", "read", true],
  ["ERR_HTTP2_GOAWAY_SESSION", "read", true],
  ["ERR_HTTP2_INVALID_SESSION", "read", true],
  ["ERR_HTTP2_STREAM_ERROR", "once", false],
  ["ERR_HTTP2_STREAM_ERROR", "write", false],
  ["ERR_HTTP2_REFUSED_STREAM", "once", true],
])("after %s, a request of type %s is repeated: %s", (code, repeat, repeats) => {
  const error = new TransportError("ended", { code });
  expect(retryDelayMs(error, { failures: 1, waitedMs: 0, random: 0, repeat }, {}) !== undefined).toBe(repeats);
});
