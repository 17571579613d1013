import { concatBytes, utf8Decode, utf8Encode } from "../internal/bytes.js";
import { compareResourceVersions } from "../meta/resource-version.js";

/** An event of a watch. */
interface FeedEvent {
  /** Resource version; `""` if it can't be compared. */
  readonly version: string;
  /** The event as it arrived, with its line feed. */
  readonly line: Uint8Array;
}

/** Source of a feed: the body of a watch in JSON. */
export interface FeedSource {
  /** Version after which the events begin. */
  readonly version: string;
  /** Media type of the events. */
  readonly contentType: string;
  /** Returns the lines that arrive next; `undefined` at the end. */
  read(): Promise<readonly Uint8Array[] | undefined>;
  /** Ends the watch. */
  stop(): void;
}

/** A watch with any number of readers. */
export interface WatchFeed {
  /** Media type of the events. */
  readonly contentType: string;
  /**
   * Returns an iterator over the events after a version, as bytes; `undefined` if not all of them are known. It ends early
   * if its reader falls too far behind.
   */
  read(version: string): AsyncIterator<Uint8Array, undefined> | undefined;
}

/** Bytes of events that are kept for slow and for new readers. */
const historyBytes = 1024 * 1024;
/** Bytes of events that are handed over together. */
const batchBytes = 64 * 1024;

/**
 * Creates a feed. It reads its source as fast as its fastest reader. `onOver` is called once when no reader can join any
 * more.
 */
export function createWatchFeed(source: FeedSource, onOver: () => void): WatchFeed {
  const history = createHistory(source.version);
  const readers = new Set<object>();
  let outcome: { readonly error?: unknown } | undefined;
  let joinable = true;
  let pulling: Promise<void> | undefined;

  const close = (): void => {
    if (!joinable) return;
    joinable = false;
    onOver();
  };
  const pull = async (): Promise<void> => {
    try {
      const lines = await source.read();
      history.trim(historyBytes);
      if (lines === undefined) outcome = {};
      else if (!history.add(lines)) close();
    } catch (error) {
      outcome = { error };
    }
    if (outcome !== undefined) close();
    pulling = undefined;
  };

  return {
    contentType: source.contentType,
    read(version) {
      if (!joinable || !isAtLeast(version, history.begin)) return undefined;
      const reader = {};
      readers.add(reader);
      const cursor = history.cursor(version);
      const leave = (): void => {
        if (!readers.delete(reader) || readers.size > 0) return;
        close();
        source.stop();
      };
      return {
        async next() {
          for (;;) {
            const batch = readers.has(reader) ? cursor.take() : undefined;
            if (batch !== undefined && batch.length > 0) return { done: false, value: batch };
            if (batch !== undefined && outcome === undefined) {
              await (pulling ??= pull());
              continue;
            }
            leave();
            if (batch !== undefined && outcome !== undefined && "error" in outcome) throw outcome.error;
            return { done: true, value: undefined };
          }
        },
        return() {
          leave();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

/** Position of a reader in the history. */
interface Cursor {
  /** Takes events; empty before the next one has arrived, `undefined` if it isn't kept any more. */
  take(): Uint8Array | undefined;
}

interface History {
  /** Version after which all events are kept. */
  readonly begin: string;
  /** Adds events. Returns false if one has no version, so that nothing can be said about the next ones. */
  add(lines: readonly Uint8Array[]): boolean;
  /** Drops the oldest events. */
  trim(limit: number): void;
  /** Creates the cursor of a reader that knows the state of a version. */
  cursor(version: string): Cursor;
}

function createHistory(version: string): History {
  let begin = version;
  let events: FeedEvent[] = [];
  /** Number of events in front of `events[0]`. */
  let dropped = 0;
  let bytes = 0;
  /** Columns of a Table, which only the first event of a watch has. */
  let columns: unknown;

  return {
    get begin() {
      return begin;
    },
    add(lines) {
      let known = true;
      for (const line of lines) {
        const { type, object } = parseEvent(line);
        columns ??= object?.columnDefinitions ?? undefined;
        const { resourceVersion } = object?.metadata ?? {};
        const comparable = type !== "ERROR" && isAtLeast(resourceVersion, "1");
        known &&= comparable;
        events.push({ version: comparable ? resourceVersion! : "", line });
        bytes += line.length;
      }
      return known;
    },
    trim(limit) {
      let count = 0;
      for (; bytes > limit && count < events.length; count++) {
        bytes -= events[count]!.line.length;
        begin = events[count]!.version;
      }
      if (count === 0) return;
      events = events.slice(count);
      dropped += count;
    },
    cursor(after) {
      let position = dropped;
      let passed = false;
      let first = true;
      return {
        take() {
          if (position < dropped) return undefined;
          const batch: Uint8Array[] = [];
          for (let size = 0; position - dropped < events.length && size < batchBytes; position++) {
            const event = events[position - dropped]!;
            passed ||= event.version === "" || !isAtLeast(after, event.version);
            if (!passed) continue;
            const line = first && columns !== undefined ? withColumns(event.line, columns) : event.line;
            first = false;
            batch.push(line);
            size += line.length;
          }
          return concatBytes(batch);
        },
      };
    },
  };
}

/** The part of an event that matters here. */
interface ParsedEvent {
  readonly type?: string;
  readonly object?: {
    readonly kind?: string;
    readonly metadata?: { readonly resourceVersion?: string; readonly annotations?: Readonly<Record<string, string>> };
    readonly columnDefinitions?: unknown;
  };
}

/** Parses an event; an empty object if it isn't one. */
export function parseEvent(line: Uint8Array): ParsedEvent {
  try {
    const value: unknown = JSON.parse(utf8Decode(line));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function withColumns(line: Uint8Array, columnDefinitions: unknown): Uint8Array {
  const event = parseEvent(line);
  if (event.object?.kind !== "Table" || event.object.columnDefinitions) return line;
  return utf8Encode(`${JSON.stringify({ ...event, object: { ...event.object, columnDefinitions } })}\n`);
}

/** True if both are resource versions that can be compared, and `version` isn't older. */
function isAtLeast(version: string | undefined, other: string): boolean {
  return version !== undefined && (compareResourceVersions(version, other) ?? -1) >= 0;
}
