import { requestInfo } from "../interceptors/request-info.js";
import { type LinkedAbort, linkAbort, orAborted } from "../internal/abort.js";
import { concatBytes, utf8Encode } from "../internal/bytes.js";
import type { Clock } from "../internal/clock.js";
import { indexOfBytes } from "../internal/text.js";
import { INITIAL_EVENTS_END } from "../meta/watch-event.js";
import type { Transport, TransportRequest, TransportResponse } from "../transport/transport.js";
import { createWatchFeed, type FeedSource, parseEvent, type WatchFeed } from "./watch-feed.js";
import { createLineReader, type LineReader } from "./watch-lines.js";
import { createWatchRights } from "./watch-rights.js";

/** A watch that can share a connection to the cluster. */
interface SharedRequest {
  /** Equal for watches with the same events. */
  readonly key: string;
  /** Version to continue from; `undefined` for a watch that sends the current objects first. */
  readonly version: string | undefined;
  /** Milliseconds after which the watch ends; `undefined` for the server's choice. */
  readonly timeoutMs: number | undefined;
}

type Body = AsyncIterator<Uint8Array, undefined>;
/** Events of a feed for one reader. */
interface Joined {
  readonly body: Body;
  readonly contentType: string;
}

const initialEnd = utf8Encode(INITIAL_EVENTS_END);

/**
 * Lets watches of a cluster share connections: those with equal parameters read the same events, each from its own
 * version on. A user joins the watch of another one only if the cluster says that the user may watch the same objects;
 * otherwise, and for everything that can't be shared, the request is sent unchanged.
 *
 * A watch that sends the current objects first gets them from the cluster, and joins after them.
 */
export function shareWatches(transport: Transport, clock: Clock): Transport {
  const feeds = createFeeds(createWatchRights(transport, clock));

  async function resume(request: TransportRequest, shared: SharedRequest, version: string): Promise<TransportResponse> {
    const { key } = shared;
    if (feeds.has(key)) {
      const joined = await orAborted(feeds.join(key, version, request), request.signal);
      if (joined === undefined) return transport.send(request);
      const headers = new Headers({ "content-type": joined.contentType, "cache-control": "no-cache, private" });
      return { status: 200, headers, body: timed(joined.body, shared, request, clock) };
    }
    const upstream = linkAbort();
    const settle = feeds.reserve(key);
    const unfollow = follow(request, upstream);
    try {
      const response = await transport.send({ ...request, signal: upstream.signal });
      if (!isJson(response)) {
        settle(undefined);
        return response;
      }
      const feed = feeds.publish(key, { version, ...sourceOf(response) }, upstream);
      const body = timed(feed.read(version)!, shared, request, clock);
      // From here on, the watch belongs to all of its readers.
      unfollow();
      settle(feed);
      return { ...response, body };
    } catch (error) {
      settle(undefined);
      throw error;
    }
  }

  async function sendInitial(request: TransportRequest, shared: SharedRequest): Promise<TransportResponse> {
    const upstream = linkAbort();
    const unfollow = follow(request, upstream);
    const response = await transport.send({ ...request, signal: upstream.signal });
    if (!isJson(response)) return response;
    const source = sourceOf(response);
    let rest: Body | undefined;

    /** Continues after the initial events: in the feed that others read, or as the feed that others can join. */
    const continueAfter = async (version: string): Promise<void> => {
      const { key } = shared;
      if (feeds.has(key)) {
        const joined = await feeds.join(key, version, request);
        if (joined === undefined) return;
        rest = joined.body;
        upstream.abort();
      } else {
        rest = feeds.publish(key, { version, ...source }, upstream).read(version);
      }
      unfollow();
    };
    const body: Body = {
      async next() {
        if (rest !== undefined) return rest.next();
        const read = await source.read();
        if (read === undefined) return { done: true, value: undefined };
        const end = read.findIndex((line) => indexOfBytes(line, initialEnd, 0) >= 0 && endsInitialEvents(line));
        if (end < 0) return { done: false, value: concatBytes(read) };
        const version = parseEvent(read[end]!).object?.metadata?.resourceVersion;
        source.unread(read.slice(end + 1));
        if (version !== undefined) await continueAfter(version);
        return { done: false, value: concatBytes(read.slice(0, end + 1)) };
      },
      async return() {
        if (rest !== undefined) await rest.return?.();
        else upstream.abort();
        return { done: true, value: undefined };
      },
    };
    return { ...response, body: timed(body, shared, request, clock) };
  }

  return {
    ...(transport.connect !== undefined && {
      connect: (request, protocols) => transport.connect!(request, protocols),
    }),
    send(request) {
      const shared = sharedRequest(request);
      if (shared === undefined) return transport.send(request);
      return shared.version === undefined ? sendInitial(request, shared) : resume(request, shared, shared.version);
    },
    close: () => transport.close(),
  };
}

/** The feeds of a cluster by key. */
interface Feeds {
  /** True if there is a feed, or if one is being opened. */
  has(key: string): boolean;
  /** Lets others wait for a feed. The returned function says what became of it. */
  reserve(key: string): (feed: WatchFeed | undefined) => void;
  /** Resolves with the events after a version if there is a feed that the request may join. */
  join(key: string, version: string, request: TransportRequest): Promise<Joined | undefined>;
  /** Turns an open watch into a feed. */
  publish(key: string, source: Omit<FeedSource, "stop">, upstream: LinkedAbort): WatchFeed;
}

function createFeeds(mayWatch: (request: TransportRequest) => Promise<boolean>): Feeds {
  const feeds = new Map<string, Promise<WatchFeed | undefined>>();
  const remove = (key: string, entry: Promise<WatchFeed | undefined>): void => {
    if (feeds.get(key) === entry) feeds.delete(key);
  };
  return {
    has: (key) => feeds.has(key),
    reserve(key) {
      let resolve: (feed: WatchFeed | undefined) => void;
      const opening = new Promise<WatchFeed | undefined>((settle) => {
        resolve = settle;
      });
      feeds.set(key, opening);
      return (feed) => {
        remove(key, opening);
        resolve(feed);
      };
    },
    async join(key, version, request) {
      const feed = await feeds.get(key);
      if (feed === undefined || !(await mayWatch(request))) return undefined;
      const body = feed.read(version);
      return body && { body, contentType: feed.contentType };
    },
    publish(key, source, upstream) {
      const feed = createWatchFeed({ ...source, stop: () => upstream.abort() }, () => remove(key, published));
      const published = Promise.resolve(feed);
      feeds.set(key, published);
      return feed;
    },
  };
}

/** Returns what a watch may share; `undefined` for other requests. */
function sharedRequest({ method, path, headers }: TransportRequest): SharedRequest | undefined {
  if (method !== "GET" || requestInfo(method, path).verb !== "watch") return undefined;
  if (!/^application\/json(?:;|,|$)/.test(headers["accept"] ?? "")) return undefined;
  const [pathname = "", query = ""] = path.split("?");
  const parameters = new URLSearchParams(query);
  const [version, initial, timeout] = ["resourceVersion", "sendInitialEvents", "timeoutSeconds"].map((name) => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value ?? undefined;
  });
  parameters.delete("resourceVersionMatch");
  parameters.sort();
  const first = initial !== undefined && initial !== "false" && initial !== "0";
  if (!first && (version === undefined || !/^[1-9]\d*$/.test(version))) return undefined;
  const seconds = Number(timeout ?? 0);
  return {
    key: `${pathname}?${parameters.toString()} ${headers["accept"]}`,
    version: first ? undefined : version,
    timeoutMs: Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1_000 : undefined,
  };
}

function sourceOf({ body, headers }: TransportResponse): LineReader & Pick<FeedSource, "contentType"> {
  const contentType = headers.get("content-type") ?? "application/json";
  return { ...createLineReader(body[Symbol.asyncIterator]()), contentType };
}

function isJson({ status, headers }: TransportResponse): boolean {
  return status === 200 && /^application\/json(?:;|$)/.test(headers.get("content-type") ?? "");
}

/** Aborts the upstream request with the page's. Returns a function that ends this. */
function follow({ signal }: TransportRequest, upstream: LinkedAbort): () => void {
  const link = linkAbort(signal);
  const stop = link.onAbort(() => upstream.abort(signal.reason));
  return () => {
    stop();
    link.release();
  };
}

/** Ends a body after the watch's own timeout, and when its request is aborted. */
function timed(
  body: Body,
  { timeoutMs }: SharedRequest,
  { signal }: TransportRequest,
  clock: Clock,
): AsyncIterable<Uint8Array> {
  const over = linkAbort(signal);
  const timer = timeoutMs === undefined ? undefined : clock.setTimer(() => over.abort(timeIsUp), timeoutMs);
  const leave = async (): Promise<void> => {
    timer?.cancel();
    over.release();
    await body.return?.();
  };
  over.onAbort(() => void leave());
  const bytes: AsyncIterableIterator<Uint8Array> = {
    async next() {
      try {
        const result = await orAborted(body.next(), over.signal);
        if (result.done === true) await leave();
        return result;
      } catch (error) {
        await leave();
        if (error === timeIsUp) return { done: true, value: undefined };
        throw error;
      }
    },
    async return() {
      await leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => bytes,
  };
  return bytes;
}

const timeIsUp: unique symbol = Symbol("the watch's own timeout");

function endsInitialEvents(line: Uint8Array): boolean {
  const { type, object } = parseEvent(line);
  return type === "BOOKMARK" && object?.metadata?.annotations?.[INITIAL_EVENTS_END] === "true";
}
