import type { ListChunk, ListWatch, Watch } from "../../src/client/resource/collection.js";
import type { Codec } from "../../src/codec/codec.js";
import { ProtocolError, TransportError } from "../../src/errors/errors.js";
import { StatusError } from "../../src/errors/status-error.js";
import type { ConfigMap } from "../../src/kinds/core/v1.js";
import type { ListOptions, WatchOptions } from "../../src/meta/options.js";
import type { WatchEvent } from "../../src/meta/watch-event.js";
import { INITIAL_EVENTS_END } from "../../src/meta/watch-event.js";
import type { Plant } from "./run-seed.js";

type Source = ListWatch<ConfigMap>;
type Event = WatchEvent<ConfigMap>;

/** Bugs that real clients have or had, each planted between the informer and the client. */
export const plants: readonly Plant[] = [
  {
    name: "expired-status-retried",
    about: "retries the same watch after a 410 status (kube-rs, client-go's RetryWatcher)",
    source: (source) =>
      withWatch(source, (watch) =>
        onFailure(watch, (error, delivered) =>
          isExpired(error) && delivered === 0 ? new TransportError("watch failed") : error,
        ),
      ),
  },
  {
    name: "expired-event-ignored",
    about: "reconnects from the same version after a 410 ERROR event (client-node, in-stream errors)",
    source: (source) =>
      withWatch(source, (watch) =>
        onFailure(watch, (error) => (isExpired(error) ? new TransportError("watch ended") : error)),
      ),
  },
  {
    name: "any-bookmark-ends-list",
    about: "treats the first bookmark of a stream as the end of the initial events (fabric8)",
    source: (source) =>
      withWatch(source, (watch) =>
        mapEvents(watch, (event) => [
          event.type === "BOOKMARK"
            ? {
                ...event,
                object: { metadata: { ...event.object.metadata, annotations: { [INITIAL_EVENTS_END]: "true" } } },
              }
            : event,
        ]),
      ),
  },
  {
    name: "bad-frame-skipped",
    about: "skips a malformed frame and continues the watch (client-node)",
    codec: (codec) => ({
      ...codec,
      supports: (target) => codec.supports(target),
      createWatchDecoder: () => lenientDecoder(codec),
    }),
  },
  {
    name: "characters-split",
    about: "decodes text chunk by chunk and loses a character split between two chunks (fabric8)",
    codec: (codec) => ({
      ...codec,
      createWatchDecoder(options) {
        const decoder = codec.createWatchDecoder(options);
        return {
          push: (chunk) => decoder.push(new TextEncoder().encode(new TextDecoder().decode(chunk))),
          end: () => decoder.end(),
        };
      },
    }),
  },
  {
    name: "uid-ignored",
    about: "reports an object that was deleted and recreated as an update (client-node, client-go)",
    source: (source) => mapObjects(source, (object) => ({ ...object, metadata: { ...object.metadata!, uid: "same" } })),
  },
  {
    name: "no-watchdog",
    about: "waits forever for a half-open connection (client-node 1.4)",
    options: (options) => ({ ...options, idleTimeoutMs: 1e12 }),
  },
  {
    name: "no-list-deadline",
    about: "waits forever for a list that stops in the middle",
    options: (options) => ({ ...options, listIdleTimeoutMs: 1e12 }),
  },
  {
    name: "no-bookmark-deadline",
    about: "waits forever for the end of the initial events (client-go)",
    options: (options) => ({ ...options, initialList: "stream", bookmarkDeadlineMs: 1e12 }),
  },
  {
    name: "no-backoff",
    about: "retries without a delay (client-node's restart handlers, kube-rs on clean ends)",
    options: (options) => ({ ...options, backoff: { initialMs: 1, factor: 1, capMs: 1, jitter: 0 } }),
  },
  {
    name: "ends-on-error",
    about: "stops after a failed watch (client-node: 429, 500, reset)",
    source: (source) => withWatch(source, (watch) => onFailure(watch, () => undefined)),
  },
  {
    name: "resumes-one-too-late",
    about: "starts the watch one version too late",
    source: (source) =>
      withWatch(
        source,
        (watch) => watch,
        (options) =>
          options.resourceVersion === undefined || options.sendInitialEvents === true
            ? options
            : { ...options, resourceVersion: String(Number(options.resourceVersion) + 1) },
      ),
  },
  {
    name: "lost-page-ends-list",
    about: "ends the list early after an expired continue token (fluent-client stops after ten pages)",
    source: (source) => ({ ...faceOf(source), listChunks: (options) => withoutLostPages(source, options) }),
  },
  {
    name: "future-version-retried",
    about: "retries forever with a resource version from the server's future (client-go before 1.19)",
    source: (source) => ({
      ...faceOf(source),
      listChunks: (options) => mapFailure(source.listChunks(options), hideTooLarge),
      watch: (options) => onFailure(source.watch(options), hideTooLarge) as Watch<ConfigMap>,
    }),
  },
  {
    name: "deletions-missed-by-relist",
    about: "ignores deletions during a relist",
    source: (source) => ({
      ...faceOf(source),
      listChunks: (options) => withOldItems(source, options, itemsOf(source)),
    }),
    options: (options) => ({ ...options, initialList: "list" }),
  },
  {
    name: "deletions-dropped",
    about: "filters deletions together with changes (kube-rs predicates)",
    source: (source, random) =>
      withWatch(source, (watch) =>
        mapEvents(watch, (event) => (event.type === "DELETED" && random.chance(0.5) ? [] : [event])),
      ),
  },
];

function isExpired(error: unknown): boolean {
  return error instanceof StatusError && error.code === 410;
}

function hideTooLarge(error: unknown): unknown {
  return error instanceof StatusError && error.code === 504
    ? new StatusError({ kind: "Status", status: "Failure", code: 500, reason: "InternalError", message: "hidden" })
    : error;
}

/** Copies the methods of a collection to own properties, so that some can be replaced. */
function faceOf(source: Source): Source {
  return {
    description: source.description,
    list: (options) => source.list(options),
    pages: (options) => source.pages(options),
    listChunks: (options) => source.listChunks(options),
    watch: (options) => source.watch(options),
  };
}

function withWatch(
  source: Source,
  wrap: (watch: AsyncIterator<Event>) => AsyncIterator<Event>,
  ask: (options: WatchOptions) => WatchOptions = (options) => options,
): Source {
  return { ...faceOf(source), watch: (options = {}) => wrap(source.watch(ask(options))) as Watch<ConfigMap> };
}

function mapObjects(source: Source, change: (object: ConfigMap) => ConfigMap): Source {
  const chunks = async function* (options?: ListOptions): AsyncIterableIterator<ListChunk<ConfigMap>> {
    for await (const slice of source.listChunks(options)) yield { ...slice, items: slice.items.map(change) };
  };
  return {
    ...withWatch(source, (watch) =>
      mapEvents(watch, (event) => [event.type === "BOOKMARK" ? event : { ...event, object: change(event.object) }]),
    ),
    listChunks: chunks,
  };
}

/** Returns an iterator that maps each value of another to any number of values. */
function mapEvents(inner: AsyncIterator<Event>, map: (event: Event) => readonly Event[]): AsyncIterator<Event> {
  const waiting: Event[] = [];
  return {
    async next() {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) return { done: false, value: event };
        const result = await inner.next();
        if (result.done === true) return result;
        waiting.push(...map(result.value));
      }
    },
    return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
  };
}

/** Replaces an error, or never settles if `map` returns undefined. */
function onFailure(
  inner: AsyncIterator<Event>,
  map: (error: unknown, delivered: number) => unknown,
): AsyncIterator<Event> {
  let delivered = 0;
  return {
    async next() {
      try {
        const result = await inner.next();
        delivered++;
        return result;
      } catch (error) {
        const other = map(error, delivered);
        if (other === undefined) return new Promise(() => undefined);
        throw other;
      }
    },
    return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
  };
}

async function* mapFailure<V>(inner: AsyncIterable<V>, map: (error: unknown) => unknown): AsyncIterableIterator<V> {
  try {
    yield* inner;
  } catch (error) {
    throw map(error);
  }
}

async function* withoutLostPages(
  source: Source,
  options: ListOptions = {},
): AsyncIterableIterator<ListChunk<ConfigMap>> {
  try {
    yield* source.listChunks(options);
  } catch (error) {
    if (options.continue === undefined || !isExpired(error)) throw error;
    yield { items: [], metadata: { resourceVersion: "1" } };
  }
}

const remembered = new WeakMap<Source, Map<string, ConfigMap>>();
function itemsOf(source: Source): Map<string, ConfigMap> {
  let items = remembered.get(source);
  if (items === undefined) remembered.set(source, (items = new Map()));
  return items;
}

async function* withOldItems(
  source: Source,
  options: ListOptions | undefined,
  seen: Map<string, ConfigMap>,
): AsyncIterableIterator<ListChunk<ConfigMap>> {
  for await (const slice of source.listChunks(options)) {
    for (const item of slice.items)
      seen.set(`${String(item.metadata?.namespace)}/${String(item.metadata?.name)}`, item);
    yield slice.metadata === undefined || (slice.metadata.continue ?? "") !== ""
      ? slice
      : { ...slice, items: [...seen.values()] };
  }
}

/** Reads line by line and skips invalid events. */
function lenientDecoder(codec: Codec): ReturnType<Codec["createWatchDecoder"]> {
  let rest = new Uint8Array();
  return {
    push(chunk) {
      const joined = new Uint8Array(rest.length + chunk.length);
      joined.set(rest);
      joined.set(chunk, rest.length);
      const events = [];
      let start = 0;
      for (let end = joined.indexOf(10); end >= 0; end = joined.indexOf(10, start)) {
        try {
          events.push(...codec.createWatchDecoder().push(joined.subarray(start, end + 1)));
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
        }
        start = end + 1;
      }
      rest = joined.slice(start);
      return events;
    },
    end: () => undefined,
  };
}
