import type { Timer } from "../../internal/clock.js";
import type { Status } from "../../meta/status.js";
import { ApiFailure, expired, rawError } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { Page } from "../registry/list.js";
import { listPage, waitForRevision } from "../registry/list.js";
import type { ListRequest } from "../registry/list-options.js";
import { attributesOf } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import type { Bucket, LogEntry, Version } from "../storage/bucket.js";
import { parseResourceVersion, wrongVersion } from "../storage/resource-version.js";
import { Watcher } from "../storage/watcher.js";
import type { OpenWatch, WatchScope } from "../storage/watcher-set.js";
import { encodeWatchEvent } from "../wire/encodings.js";
import type { Negotiated } from "../wire/negotiate.js";
import { watchMediaTypes } from "../wire/negotiate.js";
import { includeObjectOf } from "../wire/table.js";
import { createFrameEncoder, type WatchEncoder } from "../wire/watch-frames.js";
import { acceptWebSocket, closeFrame, isWebSocketRequest, watchMessage } from "../wire/websocket.js";
import type { HandlerContext } from "./services.js";

const bookmarkEveryMs = 60_000;
const bookmarkBeforeEndMs = 2000;
const bookmarkAtLeastMs = 1000;
/** Maximum number of queued bytes before a slow client is disconnected. */
const maxQueuedBytes = 64 * 1024 * 1024;

/** A parsed watch request. */
export interface WatchRequest {
  readonly resource: ServedResource;
  /** `""` for all namespaces. */
  readonly namespace: string;
  readonly negotiated: Negotiated;
  readonly list: ListRequest;
}

/** Responds with a stream of changes. */
export async function watchCollection(context: HandlerContext, request: WatchRequest): Promise<ServerResponse> {
  const { resource, namespace, negotiated, list } = request;
  const { store, clock, protobuf } = context.services;
  const include = negotiated.transform?.kind === "Table" ? includeObjectOf(context) : "Metadata";
  const requestedVersion = list.resourceVersion === "" ? 0 : parseResourceVersion(list.resourceVersion);
  if (requestedVersion === undefined) throw rawError(wrongVersion(list.resourceVersion));
  const prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
  const internal = context.request.internal === true;
  const shape = { resource, negotiated, include, protobuf, internal };
  const encoder = createFrameEncoder(shape, list, prefix, () => clock.now());
  const stream = new WatchStream(context, request, encoder);
  const answer = await answerOf(context, negotiated, stream.watcher);
  if (answer.body === undefined) return answer;
  const timeoutMs = timeoutOf(list, context.services.random);
  if (timeoutMs < 0) {
    stream.watcher.end();
    return answer;
  }
  const start = await startOf(context, request, requestedVersion);
  if ("failure" in start) {
    stream.fail(start.failure);
    return answer;
  }
  // Changes that happen while the state is prepared must be replayed after it.
  const past = store.bucket(resource.bucket).since(start.revision);
  if (past === undefined) stream.fail(tooOldWatch(context, resource, start.revision));
  else if (isCompacted(context, resource, start)) stream.fail(expired(tooOldUncached).status);
  else stream.begin(start, past, timeoutMs);
  return answer;
}

function timeoutOf({ timeoutSeconds }: ListRequest, random: () => number): number {
  return timeoutSeconds === undefined || timeoutSeconds === 0 ? (1800 + random() * 1800) * 1000 : timeoutSeconds * 1000;
}

/** Starting point of a watch. */
interface WatchStart {
  readonly revision: number;
  /** Objects to send first, as ADDED events. */
  readonly initial: readonly Version[];
  /** True if a bookmark follows the initial objects. */
  readonly marker: boolean;
  readonly withState: boolean;
}

/** Waits for the revision and prepares the initial state. */
async function startOf(
  context: HandlerContext,
  { resource, namespace, list }: WatchRequest,
  requestedVersion: number,
): Promise<WatchStart | { readonly failure: Status }> {
  const withState = list.sendInitialEvents === true || (list.sendInitialEvents === undefined && requestedVersion === 0);
  if (!withState)
    return {
      revision: requestedVersion === 0 ? context.services.store.revision : requestedVersion,
      initial: [],
      marker: false,
      withState,
    };
  const failure = await reach(context, resource, requestedVersion);
  if (failure !== undefined) return { failure };
  const page = await initialState(context, resource, namespace, list);
  if (!("versions" in page)) return { failure: page };
  const marker = list.sendInitialEvents === true && list.bookmarks;
  return { revision: page.revision, initial: page.versions, marker, withState };
}

const tooOldUncached = "The resourceVersion for the provided watch is too old.";

/** Creates the 410 for a watch that starts before the event window. */
function tooOldWatch(context: HandlerContext, resource: ServedResource, revision: number): Status {
  const { windowStart } = context.services.store.bucket(resource.bucket);
  return expired(resource.uncached ? tooOldUncached : `too old resource version: ${revision} (${windowStart})`).status;
}

/** Returns true for a watch that bypasses the watch cache and starts before the compacted revision. */
function isCompacted(context: HandlerContext, resource: ServedResource, start: WatchStart): boolean {
  return resource.uncached && !start.withState && start.revision < context.services.store.compactedRevision;
}

/** An open watch: listens to the bucket and feeds the watcher until the end. */
class WatchStream implements OpenWatch<Version> {
  readonly watcher: Watcher;
  readonly scope: WatchScope<Version>;
  readonly sharesObjects: boolean;
  readonly #context: HandlerContext;
  readonly #request: WatchRequest;
  readonly #encoder: WatchEncoder;
  readonly #bucket: Bucket;
  readonly #inTurn: ReturnType<typeof createTurns>;
  #endTimer: Timer | undefined;
  #bookmarkTimer: Timer | undefined;
  #sentRevision = 0;
  #startRevision = 0;

  constructor(context: HandlerContext, request: WatchRequest, encoder: WatchEncoder) {
    this.#context = context;
    this.#request = request;
    this.#encoder = encoder;
    this.sharesObjects = encoder.sharesObjects;
    this.scope = watchScope(request);
    this.#bucket = context.services.store.bucket(request.resource.bucket);
    this.watcher = new Watcher(maxQueuedBytes, () => this.#release(), context.services.reportError);
    this.#inTurn = createTurns(request.resource, () => this.watcher.end());
  }

  /** Ends the watch with an error event. */
  fail(status: Status): void {
    this.watcher.push(encodeWatchEvent(this.#request.negotiated.encoding, "ERROR", status));
    this.watcher.end();
  }

  /** Sends the initial state and the changes since its revision, then listens. */
  begin(start: WatchStart, past: Iterable<LogEntry>, timeoutMs: number): void {
    const { services } = this.#context;
    const signal = this.#context.signal();
    const encoder = this.#encoder;
    this.#startRevision = start.revision;
    this.#sentRevision = start.revision;
    this.watcher.begin(encoder, start.initial, start.marker ? () => encoder.bookmark(start.revision, true) : undefined);
    const { initialized } = this.#context;
    if (initialized !== undefined) this.watcher.onceInitialized(initialized);
    for (const entry of past) this.change(entry);
    // A change that can't be encoded ends the watch.
    if (this.watcher.over) return;
    this.#bucket.watchers.add(this);
    this.#endTimer = services.clock.setTimer(this.end, timeoutMs, { upkeep: true });
    if (this.#request.list.bookmarks && !this.#request.resource.uncached)
      this.#scheduleBookmark(services.clock.monotonic() + timeoutMs);
    if (signal.aborted) this.watcher.end();
    else signal.addEventListener("abort", this.end, { once: true });
  }

  readonly end = (): void => this.watcher.end();

  change(entry: LogEntry): void {
    if (entry.version.revision <= this.#startRevision) return;
    this.#inTurn([entry.version, ...(entry.old === undefined ? [] : [entry.old])], () => {
      const frame = this.watcher.attempt(() => this.#encoder.change(entry));
      if (frame === undefined) return;
      this.#sentRevision = entry.version.revision;
      this.watcher.push(frame);
    });
  }

  #scheduleBookmark(endsAt: number): void {
    const { clock, store } = this.#context.services;
    const beforeEnd = endsAt - bookmarkBeforeEndMs - clock.monotonic();
    const delay =
      beforeEnd > 0 && beforeEnd < bookmarkEveryMs ? Math.max(beforeEnd, bookmarkAtLeastMs) : bookmarkEveryMs;
    const sendBookmark = (): void => {
      const { revision } = store;
      this.#inTurn([], () => {
        if (revision <= this.#sentRevision) return;
        this.#sentRevision = revision;
        const frame = this.watcher.attempt(() => this.#encoder.bookmark(revision, false));
        if (frame !== undefined) this.watcher.push(frame);
      });
      if (!this.watcher.over) this.#scheduleBookmark(endsAt);
    };
    this.#bookmarkTimer = clock.setTimer(sendBookmark, delay, { upkeep: true });
  }

  #release(): void {
    this.#endTimer?.cancel();
    this.#bookmarkTimer?.cancel();
    this.#bucket.watchers.delete(this);
    this.#context.signal().removeEventListener("abort", this.end);
  }
}

const nodeNameField = "spec.nodeName";

/** Returns the objects that a watch sees. Watches of the pods of one node are found by its name. */
function watchScope({ resource, namespace, list }: WatchRequest): WatchScope<Version> {
  const name = list.fields.name ?? "";
  if (resource.group !== "" || resource.resource !== "pods") return { namespace, name };
  const wanted = list.fields.requirements?.find(({ key, operator }) => key === nodeNameField && operator === "=");
  const node = wanted?.values[0] ?? "";
  if (node === "") return { namespace, name };
  const read = (version: Version): string | undefined => attributesOf(resource, version).fields[nodeNameField];
  return { namespace, name, indexed: { field: nodeNameField, value: node, read } };
}

/** Creates the response that streams the watcher. It has no body if the WebSocket handshake fails. */
async function answerOf(context: HandlerContext, { encoding }: Negotiated, watcher: Watcher): Promise<ServerResponse> {
  const { request } = context;
  if (request.loadFrames === undefined || !isWebSocketRequest(request)) {
    return {
      status: 200,
      headers: [
        ["Cache-Control", "no-cache, private"],
        ["Content-Type", watchMediaTypes[encoding]!],
      ],
      body: watcher,
    };
  }
  const { accepted, ...handshake } = await acceptWebSocket(context);
  if (!accepted) return handshake;
  const write = await request.loadFrames();
  watcher.wrapIn({ wrap: (frame) => watchMessage(write, encoding, frame), end: closeFrame(write, 1000) });
  return { ...handshake, body: watcher };
}

/**
 * Runs tasks in order: immediately, or, if a webhook converts, after it has prepared the versions. If a conversion
 * fails, calls `fail` and runs nothing after it.
 */
function createTurns(
  { converter }: ServedResource,
  fail: () => void,
): (versions: readonly Version[], work: () => void) => void {
  if (converter === undefined) return (_versions, work) => work();
  let last = Promise.resolve();
  return (versions, work) => {
    const ready = converter.prepare(versions);
    // The error is handled when the task's turn comes.
    ready.catch(() => undefined);
    last = last.then(() => ready).then(work);
    last.catch(fail);
  };
}

/** Waits for the revision that a streaming list requests; resolves with a Status if that fails. */
async function reach(context: HandlerContext, resource: ServedResource, revision: number): Promise<Status | undefined> {
  const result = await orStatus(waitForRevision(context, resource, revision));
  return result ?? undefined;
}

/** Returns the initial objects of a watch, or the Status of a failed webhook conversion. */
function initialState(
  context: HandlerContext,
  resource: ServedResource,
  namespace: string,
  request: ListRequest,
): Promise<Page | Status> {
  return orStatus(
    listPage(context, resource, namespace, { ...request, resourceVersion: "", match: "", limit: 0, continueToken: "" }),
  );
}

async function orStatus<T>(work: Promise<T>): Promise<T | Status> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiFailure) return error.status;
    throw error;
  }
}
