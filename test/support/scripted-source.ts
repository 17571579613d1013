import type { ListChunk, ListWatch, Watch } from "../../src/client/resource/collection.js";
import { StatusError } from "../../src/errors/status-error.js";
import type { List } from "../../src/meta/list.js";
import type { KubernetesObject } from "../../src/meta/object.js";
import type { ListOptions, WatchOptions } from "../../src/meta/options.js";
import type { WatchEvent } from "../../src/meta/watch-event.js";
import { INITIAL_EVENTS_END } from "../../src/meta/watch-event.js";
import type { AsyncQueue } from "./async-queue.js";
import { createAsyncQueue } from "./async-queue.js";

/** Object with just an identity. */
export interface Thing extends KubernetesObject {
  /** Any value. */
  value?: unknown;
}

/** Parses an object `name@version`, optionally with a uid: `web/a@7#u1`. */
export function thing(text: string): Thing {
  const [, namespace, name, version, uid] = /^(?:([^/]+)\/)?([^@#]+)(?:@(\w+))?(?:#(\w+))?$/.exec(text)!;
  return {
    metadata: {
      name: name!,
      ...(namespace === undefined ? {} : { namespace }),
      uid: uid ?? `uid-${name!}`,
      ...(version === undefined ? {} : { resourceVersion: version }),
    },
  };
}

/**
 * Parses an event: `+a@1` added, `~a@2` modified, `-a@3` deleted, `=4` bookmark, `!4` the bookmark that ends the
 * initial events.
 */
export function event(text: string): WatchEvent<Thing> {
  const rest = text.slice(1);
  switch (text[0]) {
    case "+":
      return { type: "ADDED", object: thing(rest) };
    case "~":
      return { type: "MODIFIED", object: thing(rest) };
    case "-":
      return { type: "DELETED", object: thing(rest) };
    case "=":
      return { type: "BOOKMARK", object: { metadata: { resourceVersion: rest } } };
    case "!":
      return {
        type: "BOOKMARK",
        object: { metadata: { resourceVersion: rest, annotations: { [INITIAL_EVENTS_END]: "true" } } },
      };
    default:
      throw new TypeError(`invalid event: ${text}`);
  }
}

/** Creates a failure like the server reports it. */
export function failure(
  code: number,
  reason?: string,
  more: { message?: string; cause?: string; retryAfterSeconds?: number; continue?: string } = {},
): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    ...(reason === undefined ? {} : { reason }),
    ...(more.message === undefined ? {} : { message: more.message }),
    ...(more.continue === undefined ? {} : { metadata: { continue: more.continue } }),
    details: {
      ...(more.cause === undefined ? {} : { causes: [{ reason: more.cause, message: "Too large resource version" }] }),
      ...(more.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: more.retryAfterSeconds }),
    },
  });
}

/** Watch that a test controls. */
export interface ScriptedWatch {
  /** Options of the request. */
  readonly options: WatchOptions;
  /** True if the consumer left or aborted it. */
  readonly closed: boolean;
  /** Sends events. */
  send(...events: string[]): void;
  /** Sends events with objects that the short form can't express. */
  sendObjects(...events: WatchEvent<Thing>[]): void;
  /** Ends the watch, optionally with an error. */
  end(error?: unknown): void;
}

/** List request that a test answers. */
export interface ScriptedList {
  /** Options of the request. */
  readonly options: ListOptions;
  /** True if the consumer left or aborted it. */
  readonly closed: boolean;
  /** Sends some items before the end. */
  slice(...objects: string[]): void;
  /** Ends the list with its last items. */
  answer(version: string | undefined, objects: string[], more?: { continue?: string; remaining?: number }): void;
  /** Fails the list. */
  fail(error?: unknown): void;
}

/** Collection whose requests all wait for a test to answer them. */
export interface ScriptedSource extends ListWatch<Thing> {
  /** Requests in short form: `list limit=500`, `watch rv=3`. */
  readonly requests: string[];
  /** List requests so far. */
  readonly lists: ScriptedList[];
  /** Watch requests so far. */
  readonly watches: ScriptedWatch[];
}

/** Creates a scripted collection. `onRequest` may answer immediately. */
export function createScriptedSource(
  onRequest?: (request: { list?: ScriptedList; watch?: ScriptedWatch }) => void,
): ScriptedSource {
  const requests: string[] = [];
  const lists: ScriptedList[] = [];
  const watches: ScriptedWatch[] = [];

  const linked = <V>(signal: AbortSignal | undefined): { queue: AsyncQueue<V>; isClosed: () => boolean } => {
    let closed = false;
    const onAbort = (): void => {
      closed = true;
      queue.end(signal!.reason);
    };
    const queue = createAsyncQueue<V>(() => {
      closed = true;
      signal?.removeEventListener("abort", onAbort);
    });
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    return { queue, isClosed: () => closed };
  };

  const source: ScriptedSource = {
    description: "things",
    requests,
    lists,
    watches,
    async list(options = {}): Promise<List<Thing>> {
      for await (const slice of source.listChunks(options))
        if (slice.metadata !== undefined) return { metadata: slice.metadata, items: [...slice.items] };
      throw new TypeError("list is not scripted");
    },
    pages() {
      throw new TypeError("not scripted");
    },
    listChunks(options = {}) {
      requests.push(describeList(options));
      const { queue, isClosed } = linked<ListChunk<Thing>>(options.signal);
      const list: ScriptedList = {
        options,
        get closed() {
          return isClosed();
        },
        slice: (...objects) => queue.push({ items: objects.map(thing) }),
        answer(version, objects, more = {}) {
          queue.push({
            items: objects.map(thing),
            metadata: {
              ...(version === undefined ? {} : { resourceVersion: version }),
              ...(more.continue === undefined ? {} : { continue: more.continue }),
              ...(more.remaining === undefined ? {} : { remainingItemCount: more.remaining }),
            },
          });
          queue.end();
        },
        fail: (error) => queue.end(error),
      };
      lists.push(list);
      onRequest?.({ list });
      return queue;
    },
    watch(options = {}): Watch<Thing> {
      requests.push(describeWatch(options));
      const { queue, isClosed } = linked<WatchEvent<Thing>>(options.signal);
      const watch: ScriptedWatch = {
        options,
        get closed() {
          return isClosed();
        },
        send(...events) {
          for (const text of events) queue.push(event(text));
        },
        sendObjects(...events) {
          for (const each of events) queue.push(each);
        },
        end: (error) => queue.end(error),
      };
      watches.push(watch);
      onRequest?.({ watch });
      return queue;
    },
  };
  return source;
}

/** Formats a list request in short form. */
export function describeList(options: ListOptions): string {
  return [
    "list",
    ...parameters({
      limit: options.limit,
      continue: options.continue,
      rv: options.resourceVersion,
      match: options.resourceVersionMatch,
    }),
  ].join(" ");
}

/** Formats a watch request in short form. Leaves out bookmarks and the timeout, which every watch requests. */
export function describeWatch(options: WatchOptions): string {
  const plain = [
    options.allowWatchBookmarks === true ? undefined : "no-bookmarks",
    options.timeoutSeconds === undefined ? "no-timeout" : undefined,
  ].filter(Boolean) as string[];
  if (options.sendInitialEvents === true) {
    return [
      "stream",
      ...parameters({
        rv: options.resourceVersion,
        match: options.resourceVersionMatch === "NotOlderThan" ? undefined : "missing",
      }),
      ...plain,
    ].join(" ");
  }
  return ["watch", ...parameters({ rv: options.resourceVersion, match: options.resourceVersionMatch }), ...plain].join(
    " ",
  );
}

function parameters(values: Record<string, unknown>): string[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`);
}
