import type { Client } from "../client/client.js";
import { eventName, toObjectReference } from "../controller/events/create-event.js";
import type { EventDetails, EventRecorder } from "../controller/events/event-recorder.js";
import { createOutbox, type Outbox } from "../controller/events/outbox.js";
import { createSpamFilter } from "../controller/events/spam-filter.js";
import type { Log } from "../controller/reconcile/controller-log.js";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../errors/predicates.js";
import type { Clock } from "../internal/clock.js";
import { Event, type ObjectReference } from "../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import { formatTime } from "../meta/time.js";

/** Options for `createCoreRecorder`. */
export interface CoreRecorderOptions {
  readonly client: Client;
  /** Name of the reporting component, such as `job-controller`. */
  readonly component: string;
  /** Name of the node that reports; empty for a controller. */
  readonly host: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Sends the events of all recorders of a cluster. */
  readonly outbox: Outbox<CountedEvent>;
}

/** An event with the number of its occurrences. */
export interface CountedEvent {
  /** Sends the event. Resolves with true if it happened again by then. */
  readonly send: (event: CountedEvent) => Promise<boolean>;
  readonly name: string;
  readonly namespace: string;
  readonly firstMs: number;
  count: number;
  lastMs: number;
  isCreated: boolean;
  /** Contents that have to be sent; `undefined` when they are. */
  unsent: UnsentEvent | undefined;
}

/** Contents of an event. */
interface UnsentEvent {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Events about one object with the same reason and different messages. Most have one message. */
interface SimilarEvents {
  messages: string | Set<string>;
  lastMs: number;
}

/** Number of different messages from which on similar events become one, and the pause after which they don't. */
const mostSimilar = 10;
const similarMs = 600_000;
const burstPerObject = 25;
const maxRemembered = 4_096;
/** Number of waiting events of all recorders at which new ones are dropped. */
const maxPending = 100_000;
/** Number of events that are sent at once. */
const lanes = 32;

/**
 * Creates the queue that the recorders of a cluster share. With a queue for each of hundreds of nodes, more memory of
 * sent events stayed in use until a collection of the whole heap.
 */
export function createEventOutbox(): Outbox<CountedEvent> {
  return createOutbox({ lanes, send: (event) => event.send(event) });
}

/**
 * Creates a recorder of core/v1 events, which kube-controller-manager and kubelets write: a repeated message counts up,
 * and from the tenth message on, those of one reason about one object are combined. Queue and memory are bounded.
 */
export function createCoreRecorder(options: CoreRecorderOptions): EventRecorder {
  const { client, component, host, clock, random, log, outbox } = options;
  const counts = { recorded: 0, sent: 0, counted: 0, dropped: 0, spam: 0, failed: 0 };
  const remembered = new Map<string, CountedEvent>();
  const combine = createCombiner(clock);
  const spam = createSpamFilter(burstPerObject, maxRemembered, clock);
  const abort = new AbortController();
  let serial = Math.floor(random() * 1_000_000);
  let closed = false;

  const source = { component, ...(host !== "" && { host }) };
  const reporter = { source, reportingComponent: component, reportingInstance: host };

  const sendEntry = async (entry: CountedEvent): Promise<boolean> => {
    const { count, unsent } = entry;
    if (unsent === undefined) return false;
    try {
      abort.signal.throwIfAborted();
      await send(client, { ...reporter, entry, unsent, signal: abort.signal });
      counts.sent++;
    } catch (error) {
      if (abort.signal.aborted) {
        counts.dropped++;
        return false;
      }
      counts.failed++;
      const { reason, about } = unsent;
      const message = `event ${reason} about ${about.kind!} ${about.name!} could not be sent`;
      if (!isNamespaceTerminating(error)) log({ level: "warn", message, error });
    }
    if (entry.count !== count) return true;
    entry.unsent = undefined;
    return false;
  };

  const record = (regarding: DeepReadonly<KubernetesObject> | ObjectReference, details: EventDetails): void => {
    const about = toObjectReference(regarding);
    const { type = "Normal", reason } = details;
    const now = clock.now();
    const [message, key] = combine(about, details);
    const unsent = { about, type, reason, message };
    const known = remembered.get(key);
    if (closed || outbox.size >= maxPending) counts.dropped++;
    else if (!spam.allows(`${type}\n${objectKey(about)}`)) counts.spam++;
    else if (known !== undefined) {
      known.count++;
      known.lastMs = now;
      known.unsent = unsent;
      counts.counted++;
      remember(remembered, key, known);
      outbox.add(known);
    } else {
      const name = eventName(about.name!, now, serial++);
      const namespace = about.namespace ?? "default";
      const entry = { send: sendEntry, name, namespace, firstMs: now, count: 1, lastMs: now, isCreated: false, unsent };
      remember(remembered, key, entry);
      outbox.add(entry);
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    const limit = clock.setTimer(() => abort.abort(), 5_000);
    await outbox.flush();
    limit.cancel();
  };
  return {
    get metrics() {
      return { ...counts, pending: outbox.size };
    },
    event(regarding, details) {
      counts.recorded++;
      try {
        record(regarding, details);
      } catch (error) {
        counts.failed++;
        log({ level: "warn", message: "invalid event was dropped", error });
      }
    },
    flush: ({ signal } = {}) => outbox.flush(signal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Parameters of `send`. */
interface SendOptions extends Pick<Event, "source" | "reportingComponent" | "reportingInstance"> {
  readonly entry: CountedEvent;
  readonly unsent: UnsentEvent;
  readonly signal: AbortSignal;
}

/** Creates an event, or updates its count. */
async function send(client: Client, { entry, unsent, signal, ...reporter }: SendOptions): Promise<void> {
  const { name, namespace, count, lastMs, isCreated } = entry;
  const { about, type, reason, message } = unsent;
  const events = client.resource(Event).namespace(namespace);
  const lastTimestamp = formatTime(lastMs);
  if (isCreated)
    try {
      await events.patch(name, { type: "merge", patch: { count, lastTimestamp, message } }, { signal });
      return;
    } catch (error) {
      // It has expired.
      if (!isNotFound(error)) throw error;
    }
  entry.isCreated = true;
  const event = {
    metadata: { name, namespace },
    involvedObject: about,
    type,
    reason,
    firstTimestamp: formatTime(entry.firstMs),
    count,
    lastTimestamp,
    message,
    ...reporter,
  };
  await events.create(event, { signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

type Combiner = (about: ObjectReference, details: EventDetails) => readonly [message: string, key: string];

/** Creates the function that returns the message under which an event is counted, and its key. */
function createCombiner(clock: Clock): Combiner {
  const similar = new Map<string, SimilarEvents>();
  return (about, { type = "Normal", reason, note = "" }) => {
    // Unlike a template, `join` returns a text in one piece, which needs less memory.
    const key = [type, reason, about.fieldPath, objectKey(about)].join("\n");
    const now = clock.now();
    let group = similar.get(key);
    if (group === undefined || now - group.lastMs > similarMs) group = { messages: note, lastMs: now };
    remember(similar, key, group);
    group.lastMs = now;
    if (group.messages === note) return [note, [key, note].join("\n")];
    if (typeof group.messages === "string") group.messages = new Set([group.messages]);
    group.messages.add(note);
    if (group.messages.size < mostSimilar) return [note, [key, note].join("\n")];
    group.messages.delete(note);
    return [`(combined from similar events): ${note}`, key];
  };
}

/** Returns the identity of an object. It's short, because each recorder remembers thousands. */
function objectKey({ apiVersion, kind, namespace, name, uid = "" }: ObjectReference): string {
  return uid === "" ? JSON.stringify([apiVersion, kind, namespace, name]) : `${kind ?? ""}/${uid}`;
}

/** Keeps an entry as the newest of a bounded map. */
function remember<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > maxRemembered) entries.delete(entries.keys().next().value!);
}
