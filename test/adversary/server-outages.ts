import { TransportError } from "../../src/errors/errors.js";
import { sleep } from "../../src/internal/clock.js";
import type { Outage } from "./misbehaviours.js";
import {
  answers,
  backingOff,
  byTurns,
  day,
  fails,
  firstBytesOnly,
  minute,
  refused,
  status,
  through,
} from "./misbehaviours.js";
import { reply, untilAborted } from "./outage-network.js";

/** Outages of the server, of the way to it, and of the machine. */
export const serverOutages: readonly Outage[] = [
  { outage: "the connection is refused", answer: fails("ECONNREFUSED"), during: backingOff("transport") },
  { outage: "the name isn't found", answer: fails("ENOTFOUND"), during: backingOff("transport") },
  { outage: "the certificate has expired", answer: fails("CERT_HAS_EXPIRED"), during: backingOff("transport") },
  {
    outage: "TLS is broken off in the handshake",
    answer: fails("ERR_SSL_WRONG_VERSION_NUMBER"),
    during: backingOff("transport"),
  },
  { outage: "the name can't be resolved for now", answer: fails("EAI_AGAIN"), during: backingOff("transport") },
  { outage: "GOAWAY ends each connection", answer: fails("ERR_HTTP2_GOAWAY_SESSION"), during: backingOff("transport") },
  { outage: "connections are reset in the body", answer: firstBytesOnly, during: backingOff("transport") },
  {
    outage: "connections are black holes until a timeout",
    answer: async (request, _up, clock) => {
      await sleep(30_000, clock, request.signal);
      throw new TransportError("headers timeout", { code: "UND_ERR_HEADERS_TIMEOUT" });
    },
    connections: "silent",
    afterMs: 20 * minute,
    during: backingOff("transport"),
  },
  { outage: "500", answer: answers(500, "InternalError"), during: backingOff("server") },
  { outage: "503", answer: answers(503, "ServiceUnavailable"), during: backingOff("server") },
  { outage: "504", answer: answers(504, "Timeout"), during: backingOff("server") },
  { outage: "429", answer: answers(429, "TooManyRequests"), during: backingOff("throttled") },
  {
    outage: "429 with Retry-After",
    answer: answers(429, "TooManyRequests", { "retry-after": "30" }),
    during: backingOff("throttled"),
  },
  {
    outage: "429 with a Retry-After that isn't a number",
    answer: answers(429, "TooManyRequests", { "retry-after": "soon" }),
    during: backingOff("throttled"),
  },
  {
    outage: "a redirect to another server",
    answer: async (request) => reply(request, 307, [""], { location: "https://elsewhere.example/api" }),
    during: { type: "backingOff" },
  },
  { outage: "204 without a body", answer: async (request) => reply(request, 204, []), during: { type: "backingOff" } },
  { outage: "401", answer: answers(401, "Unauthorized"), during: refused("unauthorized") },
  { outage: "403", answer: answers(403, "Forbidden"), during: refused("forbidden") },
  { outage: "404", answer: answers(404, "NotFound"), during: refused("notFound") },
  {
    outage: "a login page",
    answer: async (request) => reply(request, 200, ["<html>log in</html>"], { "content-type": "text/html" }),
    during: backingOff("protocol"),
  },
  {
    outage: "502 of a proxy, in HTML",
    answer: async (request) => reply(request, 502, ["<html>bad gateway</html>"], { "content-type": "text/html" }),
    during: backingOff("server"),
  },
  {
    outage: "429 with Retry-After of no time",
    answer: answers(429, "TooManyRequests", { "retry-after": "0" }),
    during: backingOff("throttled"),
  },
  {
    outage: "a proxy drops the query of requests",
    answer: (request, up) => {
      Object.assign(request, { path: request.path.split("?")[0]! });
      return up();
    },
    during: backingOff("protocol"),
  },
  {
    outage: "errors have status 200",
    answer: async (request) => reply(request, 200, [status(500, "InternalError")]),
    during: backingOff("protocol"),
  },
  {
    outage: "504 for a version that is too large",
    answer: async (request) =>
      reply(request, 504, [
        status(504, "Timeout", {
          message: "Too large resource version: 9, current: 1",
          details: {
            causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
            retryAfterSeconds: 1,
          },
        }),
      ]),
    during: backingOff("tooLarge"),
  },
  {
    outage: "every byte takes 100 ms",
    answer: through(async function* (chunk, clock, signal) {
      for (const byte of chunk) {
        await sleep(100, clock, signal);
        yield Uint8Array.of(byte);
      }
    }),
    during: { type: "watching" },
  },
  {
    outage: "requests get 401 and 200 by turns",
    answer: byTurns(answers(401, "Unauthorized")),
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "requests get 502 in HTML and 200 by turns, and a Retry-After date in a year",
    answer: byTurns(async (request, _up, clock) =>
      reply(request, 502, ["<html>bad gateway</html>"], {
        "content-type": "text/html",
        "retry-after": new Date(clock.now() + 365 * day).toUTCString(),
      }),
    ),
    afterMs: 6 * minute,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "503 with a Retry-After date, and a clock that went a year back",
    jumpMs: -365 * day,
    answer: answers(503, "ServiceUnavailable", { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }),
    during: backingOff("server"),
  },
  ...[365 * day, -365 * day].map(
    (jumpMs): Outage => ({
      outage: `the wall clock jumps ${jumpMs < 0 ? "back" : "ahead"} by a year, and connections break`,
      jumpMs,
      answer: (_request, up) => up(),
      during: { type: "watching" },
      current: true,
    }),
  ),
  {
    // The peer of each open connection is gone when the machine wakes up.
    outage: "the machine is suspended for eight hours",
    jumpMs: 8 * 60 * minute,
    answer: (_request, up) => up(),
    connections: "silent",
    afterMs: 20 * minute,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "the history is compacted",
    answer: fails("ECONNREFUSED"),
    compacted: true,
    during: backingOff("transport"),
  },
  {
    outage: "the server is restored from a backup",
    answer: fails("ECONNREFUSED"),
    restored: true,
    during: backingOff("transport"),
  },
  {
    outage: "requests are black holes for ever",
    answer: (request) => untilAborted(request.signal),
    connections: "silent",
    afterMs: 20 * minute,
    during: backingOff("transport"),
  },
];
