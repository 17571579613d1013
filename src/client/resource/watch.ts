import type { WatchDecoder } from "../../codec/codec.js";
import { ProtocolError } from "../../errors/errors.js";
import { StatusError } from "../../errors/status-error.js";
import { linkAbort } from "../../internal/abort.js";
import { createIdleIterator } from "../../internal/streams/idle-iterator.js";
import type { KubernetesObject } from "../../meta/object.js";
import type { WatchOptions } from "../../meta/options.js";
import type { Status } from "../../meta/status.js";
import type { Bookmark, RawWatchEvent, WatchEvent } from "../../meta/watch-event.js";
import type { BodyIterator } from "../../transport/transport.js";
import { normalizeStatus } from "../call/failure.js";
import type { OpenResponse } from "../call/open-response.js";
import { type Redact, redactError } from "../call/redact-error.js";
import { noteResponse, type ResponseInfo } from "../call/response-info.js";
import { withAction } from "../call/with-action.js";
import type { Watch } from "./collection.js";

/** Source of a watch. */
export interface WatchSource<T> {
  /** Description of the watch for messages. */
  readonly action: string;
  /** Opens the connection and picks the decoder for the response's content type. */
  open(signal: AbortSignal): Promise<{ readonly response: OpenResponse; readonly decoder: WatchDecoder }>;
  /** Replaces credentials in a text. */
  readonly redact: Redact;
  /** Converts an event's object to the handle's view. */
  convert(object: KubernetesObject): T;
  /** Reads the object of a BOOKMARK event. */
  bookmark(object: KubernetesObject): Bookmark;
}

/** Opens a watch immediately; errors surface at the first `next()`. */
export function openWatch<T>(source: WatchSource<T>, options: WatchOptions): Watch<T> & AsyncDisposable {
  const link = linkAbort(options.signal);
  const opening = source.open(link.signal);
  const opened = opening.then(() => undefined);
  opened.catch(() => undefined); // Surfaces at next(). If nothing calls it, the rejection must not go unhandled.
  let events: readonly RawWatchEvent[] = [];
  let at = 0;
  let stream:
    | { readonly chunks: BodyIterator; readonly decoder: WatchDecoder; readonly response: OpenResponse }
    | undefined;
  let failure: Error | undefined;
  let over = false;
  /** Converts an event; returns `undefined` for event types that this version doesn't know. */
  const convert = (event: RawWatchEvent): WatchEvent<T> | undefined => {
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return { type: event.type, object: source.convert(event.object) };
      case "BOOKMARK":
        return { type: "BOOKMARK", object: source.bookmark(event.object) };
      case "ERROR":
        throw errorOf(event.object, source.action, stream?.response.info);
      default:
        return undefined;
    }
  };

  const iterator = createIdleIterator<WatchEvent<T>>({
    take() {
      try {
        while (failure === undefined && !link.aborted) {
          while (at < events.length) {
            const event = convert(events[at++]!);
            if (event !== undefined) return event;
          }
          const chunk = stream?.chunks.take?.();
          if (chunk === undefined) return undefined;
          events = stream!.decoder.push(chunk);
          at = 0;
        }
      } catch (error) {
        failure = named(error);
      }
      return undefined;
    },
    async fill() {
      if (failure !== undefined) throw failure;
      options.signal?.throwIfAborted();
      if (stream === undefined) {
        const { response, decoder } = await opening;
        noteResponse(watch, response.info);
        stream = { chunks: response.body[Symbol.asyncIterator]() as BodyIterator, decoder, response };
      }
      const { done, value } = await stream.chunks.next();
      if (done === true) {
        if (!over) naming(() => stream!.decoder.end());
        return false;
      }
      events = naming(() => stream!.decoder.push(value));
      at = 0;
      return true;
    },
    stop() {
      over = true;
      link.abort(options.signal?.reason);
      void opening.then(
        ({ response }) => response.close(),
        () => undefined,
      );
    },
  });

  const watch = Object.assign(iterator, { opened });
  const named = (error: unknown): Error => redactError(withAction(error, source.action), source.redact) as Error;
  const naming = <R>(decode: () => R): R => {
    try {
      return decode();
    } catch (error) {
      throw named(error);
    }
  };
  return watch;
}

function errorOf(status: Status, action: string, info: ResponseInfo | undefined): StatusError | ProtocolError {
  if (status.kind !== "Status") return new ProtocolError(`${action}: the server sent an ERROR event without a Status`);
  const error = new StatusError(normalizeStatus(status, 500, "GET"), {
    action,
    flowSchemaUid: info?.flowSchemaUid,
    priorityLevelUid: info?.priorityLevelUid,
  });
  if (info) noteResponse(error, info);
  return error;
}
