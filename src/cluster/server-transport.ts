import type { BodyStream, ServerRequest, ServerResponse, ServerSocket } from "../apiserver/http/http.js";
import type { UserInfo } from "../apiserver/http/user-info.js";
import type { ApiServer } from "../apiserver/server.js";
import type { ReflectorOptions } from "../cache/reflector/reflector-config.js";
import { ClosedError, TransportError } from "../errors/errors.js";
import { type Abortable, abortableOf, onAbort } from "../internal/abort.js";
import { systemClock } from "../internal/clock.js";
import { createByteChannel } from "../internal/streams/byte-channel.js";
import { upgradeFailure } from "../streams/upgrade-failure.js";
import { type DirectRequest, type DirectTransport, sendDirect, type WholeBody } from "../transport/direct.js";
import type { ResponseHeaders, TransportResponse, TransportSocket } from "../transport/transport.js";
import { RequestQueue } from "./request-queue.js";
import type { Activity } from "./time/activity.js";

/** Options for `createServerTransport`. */
export interface ServerTransportOptions {
  readonly server: Pick<ApiServer, "serve">;
  /** Counts each request and each chunk of a response. */
  readonly activity: Activity;
  /** True for the cluster's own programs: requests skip the server's limits, and objects aren't encoded. */
  readonly internal: boolean;
}

/** Creates a transport that calls a server in the same process. */
export function createServerTransport({ server, activity, internal }: ServerTransportOptions): DirectTransport {
  let closed = false;
  const readHeaders = internal ? sharedHeaders() : headersOf;
  const queue = new RequestQueue(activity);
  const serve = (request: DirectRequest): Promise<ServerResponse> => {
    if (request.abort.aborted) throw request.abort.reason;
    return server.serve(toServerRequest(request, internal));
  };
  const direct = async (request: DirectRequest): Promise<TransportResponse> => {
    const { abort } = request;
    if (closed) throw new ClosedError("the transport is closed");
    if (internal && reportsEvent(request)) await activity.lull(eventTurns);
    const response = await activity.track(internal ? queue.run(() => serve(request)) : serve(request));
    if (response.dropped === true) throw new TransportError("the server closed the connection");
    const { status, body } = response;
    return {
      status,
      headers: readHeaders(response),
      body: body !== undefined && "next" in body ? streamed(body, abort, activity) : whole(body),
    };
  };
  return {
    [sendDirect]: direct,
    send: ({ signal, ...request }) => direct({ ...request, abort: abortableOf(signal) }),
    async connect(request, protocols) {
      if (closed) throw new ClosedError("the transport is closed");
      request.signal.throwIfAborted();
      const headers = { ...request.headers, ...handshake, "sec-websocket-protocol": protocols.join(", ") };
      const upgrade = { ...request, headers, abort: abortableOf(request.signal) };
      const response = await activity.track(server.serve(toServerRequest(upgrade, internal)));
      if (response.socket !== undefined) return openSocket(response.socket, request.signal, activity);
      const answer = {
        status: response.status,
        headers: headersOf(response),
        body: whole(response.body as Uint8Array),
      };
      // Without the query, which holds the command of an exec.
      throw await upgradeFailure(answer, `${request.method} ${request.path.split("?")[0]!}`, systemClock);
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

/** Ten years: a watch inside one process ends with the cluster. */
const endlessSeconds = 315_360_000;

/**
 * Options for informers of a server in the same process. Their watches neither end nor send bookmarks, which would cost
 * more than all else that happens in a day of virtual time.
 */
export const inProcessWatches: Pick<ReflectorOptions, "initialList" | "bookmarks" | "watchTimeoutSeconds"> = {
  initialList: "list",
  bookmarks: false,
  watchTimeoutSeconds: { min: endlessSeconds, max: endlessSeconds },
};

/** Turns of the event loop for which an event waits at most while something else happens. */
const eventTurns = 1000;

const eventPath = /^\/(?:api|apis\/events\.k8s\.io)\/v1\/namespaces\/[^/]+\/events(?:[/?]|$)/;

/** Returns true for a request that reports an event. It lets others go first: nothing in a cluster depends on it. */
function reportsEvent({ method, path }: DirectRequest): boolean {
  return method !== "GET" && eventPath.test(path);
}

/** Headers of a WebSocket request. The key is the one of RFC 6455: no proxy has to be kept from replaying the answer. */
const handshake = {
  upgrade: "websocket",
  connection: "Upgrade",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** Bytes that wait for the client until the server has to wait. */
const socketBytes = 1024 * 1024;

/** Carries on a conversation without a connection. Messages of the server count as activity. */
function openSocket({ protocol, open }: ServerSocket, signal: AbortSignal, activity: Activity): TransportSocket {
  const incoming = createByteChannel(socketBytes);
  let over = false;
  const close = (reason?: unknown): void => {
    if (over) return;
    over = true;
    unfollow();
    incoming.end(reason);
    handler.closed();
  };
  const unfollow = onAbort(signal, () => close(signal.reason));
  const handler = open({
    send(message) {
      activity.touch();
      incoming.push(message);
      return incoming.room();
    },
    close,
  });
  return {
    protocol,
    messages: incoming.bytes,
    async send(message) {
      if (over) throw new ClosedError("the WebSocket is closed");
      activity.touch();
      await handler.message(message);
    },
    close() {
      close();
      return Promise.resolve();
    },
  };
}

/** Returns the headers without the body, because clients remember them. */
function headersOf({ headers }: Pick<ServerResponse, "headers">): ResponseHeaders {
  return {
    get(name) {
      const wanted = name.toLowerCase();
      const values = headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
      return values.length === 0 ? null : values.join(", ");
    },
  };
}

/**
 * Returns a function that shares the headers of responses in a row that differ only in their audit ID, which isn't kept:
 * clients remember the headers of each object that they read.
 */
function sharedHeaders(): (response: Pick<ServerResponse, "headers">) => ResponseHeaders {
  let lastText = "";
  let last = headersOf({ headers: [] });
  return (response) => {
    const headers = response.headers.filter(([key]) => key !== "Audit-Id");
    const text = headers.join("\n");
    if (text !== lastText) [lastText, last] = [text, headersOf({ headers })];
    return last;
  };
}

/** Returns a body that has arrived in full. */
function whole(body: Uint8Array | undefined): WholeBody {
  let rest = body;
  const take = (): Uint8Array | undefined => {
    const taken = rest;
    rest = undefined;
    return taken;
  };
  return {
    takeWhole: take,
    async *[Symbol.asyncIterator]() {
      const bytes = take();
      if (bytes !== undefined) yield bytes;
    },
  };
}

/** Ends the body when the request is aborted, also while a chunk is awaited. */
function streamed(body: BodyStream, abort: Abortable, activity: Activity): AsyncIterable<Uint8Array> {
  let rejectPending: ((reason: unknown) => void) | undefined;
  const unfollow = abort.onAbort(() => {
    rejectPending?.(abort.reason);
    void body.return();
  });
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next: () =>
      new Promise((resolve, reject) => {
        if (abort.aborted) {
          reject(abort.reason);
          return;
        }
        rejectPending = reject;
        body.next().then((result) => {
          activity.touch();
          if (result.done === true) unfollow();
          resolve(result);
        }, reject);
      }),
    return() {
      unfollow();
      return body.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** User of the cluster's own requests, which has all rights in any authorization mode. */
const administrator: UserInfo = {
  name: "kubestream:cluster",
  uid: "kubestream:cluster",
  groups: ["system:masters", "system:authenticated"],
  extra: {},
};

function toServerRequest(request: DirectRequest, internal: boolean): ServerRequest {
  const { method, path, headers, multiHeaders = {}, body, abort } = request;
  const mark = path.indexOf("?");
  const valuesOf = (name: string): readonly string[] =>
    headers[name] === undefined ? (multiHeaders[name] ?? []) : [headers[name]];
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? "" : path.slice(mark + 1),
    header: (name) => headers[name] ?? multiHeaders[name]?.join(", "),
    headerValues: valuesOf,
    headerNames: () => [...Object.keys(headers), ...Object.keys(multiHeaders)],
    readBody: (limit) =>
      Promise.resolve(body !== undefined && body.length > limit ? undefined : (body ?? new Uint8Array())),
    get signal() {
      return abort.signal;
    },
    client: { user: administrator },
    internal,
  };
}
