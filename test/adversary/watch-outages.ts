import { sleep } from "../../src/internal/clock.js";
import type { Outage } from "./misbehaviours.js";
import {
  answers,
  backingOff,
  cutGzip,
  errorEvent,
  isWatch,
  minute,
  onList,
  onWatch,
  refused,
  swapped,
  through,
  truncated,
  watchBody,
} from "./misbehaviours.js";
import { reply } from "./outage-network.js";

/** Outages in which lists or watches misbehave. */
export const watchOutages: readonly Outage[] = [
  {
    outage: "a list of another kind",
    answer: async (request) => reply(request, 200, ['{"kind":"Status","apiVersion":"v1","status":"Success"}']),
    during: backingOff("protocol"),
  },
  {
    outage: "lists without a version",
    answer: onList(async (request) =>
      reply(request, 200, ['{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}']),
    ),
    during: backingOff("protocol"),
    // It makes no lists; its watches expire.
    streaming: backingOff("expired"),
  },
  { outage: "lists are cut off", answer: onList(truncated), during: { type: "backingOff" } },
  { outage: "watches send garbage", answer: watchBody("{garbage\n"), during: backingOff("protocol") },
  {
    // Such objects are left out, and the watch ends.
    outage: "watches send objects without a name",
    answer: watchBody('{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}}\n'),
    during: { type: "backingOff" },
  },
  {
    outage: "watches send events of an unknown type",
    answer: watchBody('{"type":"RENAMED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}\n'),
    during: { type: "backingOff" },
  },
  { outage: "watches send a page of HTML", answer: watchBody("<html>log in</html>\n"), during: backingOff("protocol") },
  {
    outage: "watches send events of another kind",
    answer: watchBody(
      '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"other","namespace":"default","uid":"u","resourceVersion":"999"}}}\n',
      "hang",
    ),
    during: backingOff("protocol"),
  },
  {
    outage: "watches send bookmarks of an older version",
    answer: watchBody(
      '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"2"}}}\n',
      "hang",
    ),
    during: { type: "watching" },
  },
  { outage: "watches answer 401", answer: onWatch(answers(401, "Unauthorized")), during: refused("unauthorized") },
  {
    // As by a load balancer whose servers differ: the watch begins at the first page's version.
    outage: "the last page of a list has an older version",
    answer: async (request, up) => {
      if (isWatch(request)) return up();
      if (/[?&]continue=/.test(request.path))
        return reply(request, 200, [
          '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}',
        ]);
      const response = await up();
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body) pieces.push(piece);
      return reply(request, 200, [
        new TextDecoder().decode(Buffer.concat(pieces)).replace('"metadata":{', '"metadata":{"continue":"next",'),
      ]);
    },
    compacted: true,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "every page of a list is followed by the same page",
    answer: onList(async (request) =>
      reply(request, 200, [
        '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"again"},"items":[{"metadata":{"name":"same","namespace":"default","uid":"u","resourceVersion":"1"}}]}',
      ]),
    ),
    during: backingOff("protocol"),
    // It makes no lists; its watches expire.
    streaming: backingOff("expired"),
  },
  {
    // Such as a proxy that keeps the connection busy. No part of the list arrives.
    outage: "lists never end",
    answer: onList(async (request, _up, clock) => ({
      ...reply(request, 200, []),
      body: {
        async *[Symbol.asyncIterator]() {
          yield new TextEncoder().encode('{"kind":"ConfigMapList",');
          for (;;) {
            await sleep(1_000, clock, request.signal);
            yield new TextEncoder().encode(" ");
          }
        },
      },
    })),
    afterMs: 20 * minute,
    during: backingOff("transport"),
  },
  { outage: "watches end at once", answer: watchBody(), during: { type: "backingOff" } },
  {
    // Such as behind a proxy that collects a response before it sends it. Lists are answered, and show the changes,
    // but the informer that must stream makes none.
    outage: "watches are silent",
    answer: watchBody("hang"),
    during: { type: "watching" },
    streaming: backingOff("transport"),
    afterMs: 20 * minute,
    current: true,
  },
  {
    outage: "watches report 500 in an event",
    answer: watchBody(errorEvent(500, "InternalError")),
    during: backingOff("server"),
  },
  { outage: "watches answer 410", answer: onWatch(answers(410, "Expired")), during: backingOff("expired") },
  {
    outage: "watches report 410 in an event",
    answer: watchBody(errorEvent(410, "Expired")),
    during: backingOff("expired"),
  },
  { outage: "lists answer 410", answer: onList(answers(410, "Expired")), during: backingOff("expired") },
  {
    outage: "every chunk arrives twice",
    answer: onWatch(
      through(async function* (chunk) {
        yield chunk;
        yield chunk;
      }),
    ),
    during: { type: "watching" },
  },
  {
    outage: "events arrive out of order",
    answer: swapped,
    // The disorder of one watch is over with the next list.
    afterMs: 20 * minute,
    during: { type: "watching" },
    current: true,
  },
  {
    outage: "watches send an event of an older version, then nothing",
    answer: watchBody(
      '{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"same","namespace":"default","uid":"u","resourceVersion":"1"}}}\n',
      "hang",
    ),
    during: { type: "watching" },
    // An event is applied whatever its version, as in client-go.
    wrong: ["same@1 u"],
  },
  {
    outage: "watches send one event and end, again and again",
    answer: watchBody(
      '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"1"}}}\n',
    ),
    during: { type: "backingOff" },
  },
  { outage: "compressed lists are cut off", answer: onList(cutGzip), during: { type: "backingOff" } },
  {
    outage: "every continue token has expired",
    answer: onList(async (request, up) => {
      if (/[?&]continue=/.test(request.path)) return answers(410, "Expired")(request, up, undefined as never);
      return reply(request, 200, [
        '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"next"},"items":[]}',
      ]);
    }),
    during: backingOff("expired"),
  },
];
