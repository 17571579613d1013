import type { InformerStatus } from "../../src/cache/informer/informer-status.js";
import { TransportError } from "../../src/errors/errors.js";
import type { TransportRequest, TransportResponse } from "../../src/transport/transport.js";
import type { Misbehaviour } from "./outage-network.js";
import { reply } from "./outage-network.js";

/** Path of the collection that informers follow. */
export const path = "/api/v1/namespaces/default/configmaps";
export const minute = 60_000;
export const day = 24 * 60 * minute;

/** Returns true for the request of a watch. */
export const isWatch = ({ path: target }: TransportRequest): boolean => /[?&]watch=(?:1|true)/.test(target);
/** Returns a Status as JSON. */
export const status = (code: number, reason: string, more: object = {}): string =>
  JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason,
    code,
    message: "no",
    ...more,
  });
/** Fails each request with an error of the transport. */
export const fails =
  (code: string): Misbehaviour =>
  () =>
    Promise.reject(new TransportError(`connect: ${code}`, { code }));
/** Answers each request with an error. */
export const answers =
  (code: number, reason: string, headers: Record<string, string> = {}): Misbehaviour =>
  async (request) =>
    reply(request, code, [status(code, reason)], headers);
/** Misbehaves for watches, and lets the rest pass. */
export const onWatch =
  (misbehaviour: Misbehaviour): Misbehaviour =>
  (request, up, clock) =>
    isWatch(request) ? misbehaviour(request, up, clock) : up();
/** Misbehaves for lists, and answers that the version of a watch has expired, so that a list follows. */
export const onList =
  (misbehaviour: Misbehaviour): Misbehaviour =>
  (request, up, clock) =>
    isWatch(request) ? answers(410, "Expired")(request, up, clock) : misbehaviour(request, up, clock);
/** Sends these pieces as the events of a watch. */
export const watchBody = (...pieces: (string | Error)[]): Misbehaviour =>
  onWatch(async (request) => reply(request, 200, pieces));
/** Returns the event with which a server ends a watch. */
export const errorEvent = (code: number, reason: string): string =>
  `{"type":"ERROR","object":${status(code, reason)}}\n`;

/** Changes the body of each response. */
const changeBody =
  (
    change: (
      chunks: AsyncIterable<Uint8Array>,
      clock: Parameters<Misbehaviour>[2],
      signal: AbortSignal,
    ) => AsyncIterable<Uint8Array>,
  ): Misbehaviour =>
  async (request, up, clock) => {
    const response = await up();
    const body = { [Symbol.asyncIterator]: () => change(response.body, clock, request.signal)[Symbol.asyncIterator]() };
    return { ...response, body } satisfies TransportResponse;
  };
/** Changes the chunks of each response. */
export const through = (
  change: (chunk: Uint8Array, clock: Parameters<Misbehaviour>[2], signal: AbortSignal) => AsyncIterable<Uint8Array>,
): Misbehaviour =>
  changeBody(async function* (chunks, clock, signal) {
    for await (const chunk of chunks) yield* change(chunk, clock, signal);
  });
/** Resets the connection after the first bytes of a response. */
export const firstBytesOnly: Misbehaviour = changeBody(async function* (chunks) {
  for await (const chunk of chunks) {
    yield chunk.subarray(0, 20);
    throw new TransportError("reset", { code: "ECONNRESET" });
  }
});
/** Ends each response in the middle. */
export const truncated: Misbehaviour = changeBody(async function* (chunks) {
  for await (const chunk of chunks) {
    yield chunk.subarray(0, chunk.length >> 1);
    return;
  }
});

/** Misbehaves for two requests, lets two pass, and so on. */
export const byTurns = (misbehaviour: Misbehaviour): Misbehaviour => {
  let count = 0;
  return (request, up, clock) => (count++ % 4 >= 2 ? up() : misbehaviour(request, up, clock));
};
/** Delivers events in pairs, the later one first. */
export const swapped: Misbehaviour = async (request, up) => {
  const response = await up();
  if (!isWatch(request)) return response;
  const lines = async function* (): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        yield rest.slice(0, end + 1);
        rest = rest.slice(end + 1);
      }
    }
  };
  return {
    ...response,
    body: {
      async *[Symbol.asyncIterator]() {
        let held = "";
        for await (const line of lines()) {
          if (held === "") held = line;
          else {
            yield new TextEncoder().encode(line + held);
            held = "";
          }
        }
        yield new TextEncoder().encode(held);
      },
    },
  };
};
/** A body that announces gzip and is cut, as Node's transport reports it. */
export const cutGzip: Misbehaviour = async (request) => ({
  ...reply(request, 200, [
    '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{}',
    new TransportError("unexpected end of gzip data"),
  ]),
});

/** An outage, and what an informer shows during it. */
export interface Outage {
  readonly outage: string;
  readonly answer: Misbehaviour;
  /** Status after `afterMs` of it. */
  readonly during: Partial<Record<keyof InformerStatus | "kind", unknown>>;
  /** Default: open connections break. */
  readonly connections?: "cut" | "silent" | "kept";
  /** Default 2 minutes. */
  readonly afterMs?: number;
  /** True if the server also goes back to an earlier state. */
  readonly restored?: boolean;
  /** The same for an informer that only streams its lists, if it differs. */
  readonly streaming?: Outage["during"];
  /** True if the store of one that lists follows the server even so. */
  readonly current?: boolean;
  /** True if the server also forgets its history. */
  readonly compacted?: boolean;
  /** Objects that the store may show although the server never had them. */
  readonly wrong?: readonly string[];
  /** Change of the wall clock when the outage begins. */
  readonly jumpMs?: number;
}

/** Status of an informer that waits before it tries again. */
export const backingOff = (kind: string): Outage["during"] => ({ type: "backingOff", kind });

/** Status of an informer whose requests the server refuses. */
export const refused = (kind: string): Outage["during"] => ({ type: "refused", kind });
