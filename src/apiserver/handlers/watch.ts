import type { Timer } from "../../internal/clock.js";
import type { Status } from "../../meta/status.js";
import { ApiFailure, expired, rawError } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { Page } from "../registry/list.js";
import { listPage, waitForRevision } from "../registry/list.js";
import type { ListRequest } from "../registry/list-options.js";
import type { ServedResource } from "../registry/resources.js";
import type { LogEntry, Version } from "../storage/mvcc.js";
import { parseResourceVersion, wrongVersion } from "../storage/resource-version.js";
import { Watcher } from "../storage/watcher.js";
import { encodeWatchEvent } from "../wire/encodings.js";
import type { Negotiated } from "../wire/negotiate.js";
import { watchMediaTypes } from "../wire/negotiate.js";
import { includeObjectOf } from "../wire/table.js";
import { createFrameEncoder } from "../wire/watch-frames.js";
import { acceptWebSocket, closeFrame, isWebSocketRequest, watchMessage } from "../wire/websocket.js";
import type { HandlerContext } from "./services.js";

const bookmarkEveryMs = 60_000;
const bookmarkBeforeEndMs = 2000;
const bookmarkAtLeastMs = 1000;
/** What a client may let pile up before it is cut off. */
const maxQueuedBytes = 64 * 1024 * 1024;

/** Answers with a stream of changes. */
export async function watchCollection(
  context: HandlerContext,
  negotiated: Negotiated,
  resource: ServedResource,
  namespace: string,
  request: ListRequest,
): Promise<ServerResponse> {
  const { store, clock } = context.services;
  const bucket = store.bucket(resource.bucket);
  const include = negotiated.transform?.kind === "Table" ? includeObjectOf(context) : "Metadata";
  const requestedVersion = request.resourceVersion === "" ? 0 : parseResourceVersion(request.resourceVersion);
  if (requestedVersion === undefined) throw rawError(wrongVersion(request.resourceVersion));
  const prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
  const encoder = createFrameEncoder(
    { resource, negotiated, include, protobuf: context.services.protobuf },
    request,
    prefix,
    () => clock.now(),
  );
  const timeoutMs =
    request.timeoutSeconds === undefined || request.timeoutSeconds === 0
      ? (1800 + Math.random() * 1800) * 1000
      : request.timeoutSeconds * 1000;

  const timers: { end?: Timer; bookmark?: Timer } = {};
  let listener: ((entry: LogEntry) => void) | undefined;
  const watcher = new Watcher(
    maxQueuedBytes,
    () => {
      timers.end?.cancel();
      timers.bookmark?.cancel();
      if (listener !== undefined) bucket.listeners.delete(listener);
      bucket.watchers.delete(end);
      context.signal.removeEventListener("abort", end);
    },
    context.services.reportError,
  );
  const end = (): void => watcher.end();
  const fail = (status: Status): void => {
    watcher.push(encodeWatchEvent(negotiated.encoding, "ERROR", status));
    watcher.end();
  };
  const answer = await answerOf(context, negotiated, watcher);
  if (answer.body === undefined) return answer;
  if (timeoutMs < 0) {
    watcher.end();
    return answer;
  }

  const startsWithState =
    request.sendInitialEvents === true || (request.sendInitialEvents === undefined && requestedVersion === 0);
  let start = requestedVersion;
  let initial: readonly Version[] = [];
  let marker = false;
  if (startsWithState) {
    const failure = await reach(context, resource, requestedVersion);
    if (failure !== undefined) {
      fail(failure);
      return answer;
    }
    const page = await initialState(context, resource, namespace, request);
    if (!("versions" in page)) {
      fail(page);
      return answer;
    }
    start = page.revision;
    initial = page.versions;
    marker = request.sendInitialEvents === true && request.bookmarks;
  } else if (requestedVersion === 0) start = store.revision;

  // What was written while the state was made ready is among it.
  const past = bucket.since(start);
  if (past === undefined) {
    fail(
      expired(
        resource.uncached
          ? "The resourceVersion for the provided watch is too old."
          : `too old resource version: ${start} (${bucket.windowStart})`,
      ).status,
    );
    return answer;
  }
  if (resource.uncached && !startsWithState && start < store.compactedRevision) {
    fail(expired("The resourceVersion for the provided watch is too old.").status);
    return answer;
  }
  watcher.begin(encoder, initial, marker ? () => encoder.bookmark(start, true) : undefined);
  let sentRevision = start;
  const inTurn = createTurns(resource, () => watcher.end());
  const tell = (entry: LogEntry): void => {
    if (entry.version.revision <= start) return;
    inTurn([entry.version, ...(entry.old === undefined ? [] : [entry.old])], () => {
      const frame = watcher.attempt(() => encoder.change(entry));
      if (frame !== undefined) {
        sentRevision = entry.version.revision;
        watcher.push(frame);
      }
    });
  };
  for (const entry of past) tell(entry);
  // One of them could not be written: nothing is left to listen for.
  if (watcher.over) return answer;
  listener = tell;
  bucket.listeners.add(tell);
  bucket.watchers.add(end);
  timers.end = clock.setTimer(end, timeoutMs);
  if (request.bookmarks && !resource.uncached) {
    const endsAt = clock.monotonic() + timeoutMs;
    const schedule = (): void => {
      const beforeEnd = endsAt - bookmarkBeforeEndMs - clock.monotonic();
      const delay =
        beforeEnd > 0 && beforeEnd < bookmarkEveryMs ? Math.max(beforeEnd, bookmarkAtLeastMs) : bookmarkEveryMs;
      timers.bookmark = clock.setTimer(() => {
        const { revision } = store;
        inTurn([], () => {
          if (revision <= sentRevision) return;
          sentRevision = revision;
          const frame = watcher.attempt(() => encoder.bookmark(sentRevision, false));
          if (frame !== undefined) watcher.push(frame);
        });
        if (!watcher.over) schedule();
      }, delay);
    };
    schedule();
  }
  if (context.signal.aborted) watcher.end();
  else context.signal.addEventListener("abort", end, { once: true });
  return answer;
}

/** The answer that shows what the watcher gives; without a body where a WebSocket cannot be. */
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
 * Does things one after the other: at once, or where a webhook converts, each after it has made the versions readable. `fail` is called when it
 * could not, and nothing is done from then on.
 */
function createTurns(
  { converter }: ServedResource,
  fail: () => void,
): (versions: readonly Version[], work: () => void) => void {
  if (converter === undefined) return (_versions, work) => work();
  let last = Promise.resolve();
  return (versions, work) => {
    const ready = converter.prepare(versions);
    // Told of when its turn comes, if it comes.
    ready.catch(() => undefined);
    last = last.then(() => ready).then(work);
    last.catch(fail);
  };
}

/** Waits for a revision that a streaming list asks for; answers with the Status of its failure. */
async function reach(context: HandlerContext, resource: ServedResource, revision: number): Promise<Status | undefined> {
  const result = await orStatus(waitForRevision(context, resource, revision));
  return result ?? undefined;
}

/** All that the watch begins with; the Status of the failure where a webhook could not convert it. */
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
