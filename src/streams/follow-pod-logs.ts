import { createInformer } from "../cache/informer/create-informer.js";
import type { Change } from "../cache/store/change.js";
import type { Client } from "../client/client.js";
import { ClosedError } from "../errors/errors.js";
import { type LinkedAbort, linkAbort, whenAborted } from "../internal/abort.js";
import type { BackoffOptions } from "../internal/backoff.js";
import { type Clock, systemClock } from "../internal/clock.js";
import { quietly } from "../internal/quietly.js";
import { Fifo } from "../internal/streams/fifo.js";
import { createIdleIterator } from "../internal/streams/idle-iterator.js";
import { createWaitList, type WaitList } from "../internal/streams/wait-list.js";
import { type ContainerStatus, Pod } from "../kinds/core/v1.js";
import type { DeepReadonly } from "../meta/object.js";
import type { SelectorOptions } from "../meta/options.js";
import { type ContainerRun, type TailParts, tailContainer } from "./container-tail.js";
import { type PodLogLine, type PodLogSource, podLogColor } from "./pod-log-line.js";

/** Options for `followPodLogs`. */
export interface PodLogsOptions extends Pick<SelectorOptions, "labelSelector" | "fieldSelector"> {
  /** Namespace of the pods. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Selects containers. Default: all except init and ephemeral containers. */
  readonly containers?: ((source: PodLogSource, kind: PodContainerKind) => boolean) | undefined;
  /** Number of lines with which the log of each present container begins. Default 10, or all if `sinceSeconds` is set. */
  readonly tailLines?: number | undefined;
  /** Begins with the lines of present containers that are at most this many seconds old. */
  readonly sinceSeconds?: number | undefined;
  /** Maximum length of a line in bytes. A longer line is split. Default 64 KiB. */
  readonly maxLineBytes?: number | undefined;
  /** Maximum number of logs that are followed at once. Others wait, and `onError` reports them. Default 64. */
  readonly maxStreams?: number | undefined;
  /** Delays between attempts to open a broken log. Default: from 1 s, doubled up to 30 s. */
  readonly backoff?: BackoffOptions | undefined;
  /** Receives a failure of one container's log. It is opened again, at the line where it broke. */
  readonly onError?: ((error: unknown, source: PodLogSource) => void) | undefined;
  /** Ends the iteration; `next` then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Random number generator with results in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Kind of a container within a pod. */
export type PodContainerKind = "container" | "init" | "ephemeral";

/** Lines of many containers as they are written. Single-use: `break`, `return` and `await using` close all logs. */
export type PodLogs = AsyncIterableIterator<PodLogLine> & AsyncDisposable;

/** Characters that may wait for the reader before the logs are read no further. */
const mostWaiting = 1024 * 1024;
/** Time after a pod's deletion for which the rest of its logs is read (ms). */
const restMs = 10_000;

const defaultBackoff: BackoffOptions = { initialMs: 1_000, factor: 2, capMs: 30_000, jitter: 0.5 };

/**
 * Follows the logs of all selected pods, also of those that are created later, over restarts of containers and broken
 * connections. A stream that broke resumes at its last line: lines are neither lost nor repeated unless the container
 * restarted in between. The iteration ends only when it is closed. Rejects with a `StatusError` if the server refuses
 * the list of pods, and with a `ClosedError` when the client is closed. Throws a `RangeError` for invalid numbers.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { followPodLogs, formatPodLogLine } from "kubestream/streams";
 *
 * const client = await connect();
 * const logs = followPodLogs(client, {
 *   namespace: "web",
 *   labelSelector: "app=shop",
 *   onError: (error, { pod }) => console.error(pod, String(error)),
 * });
 * for await (const line of logs) console.log(formatPodLogLine(line, { colors: true }));
 * ```
 */
export function followPodLogs(client: Client, options: PodLogsOptions = {}): PodLogs {
  const { namespace, labelSelector, fieldSelector, clock = systemClock, random = Math.random } = options;
  const maxStreams = positive("maxStreams", options.maxStreams ?? 64);
  const maxLineBytes = positive("maxLineBytes", options.maxLineBytes ?? 64 * 1024);
  const link = linkAbort(options.signal);
  const lines = createLineQueue(link.signal);
  const slots = createSlots(maxStreams, link.signal);
  const report = quietly((failure: { readonly error: unknown; readonly source: PodLogSource }) =>
    options.onError?.(failure.error, failure.source),
  );
  const pods = client.resource(Pod);
  const informer = createInformer(namespace === undefined ? pods : pods.namespace(namespace), {
    labelSelector,
    fieldSelector,
    clock,
    random,
  });
  const followed = new Map<string, FollowedPod>();
  /** Lets the logs of a deleted pod come to their end, and closes them if they don't. */
  const leave = (pod: FollowedPod): void => {
    pod.isGone = true;
    pod.changes.resolveAll(undefined);
    const timer = clock.setTimer(() => pod.link.abort(new ClosedError("the pod was deleted")), restMs);
    pod.link.onAbort(() => timer.cancel());
  };
  const { sinceSeconds, tailLines = sinceSeconds === undefined ? 10 : undefined } = options;

  const tail = (pod: FollowedPod, source: PodLogSource, isFirst: boolean): void => {
    const color = podLogColor(source.namespace, source.pod);
    const parts: TailParts = {
      client,
      source,
      signal: pod.link.signal,
      clock,
      random,
      backoff: options.backoff ?? defaultBackoff,
      maxLineBytes,
      begin: isFirst ? { tailLines, sinceSeconds } : {},
      run: () => (pod.isGone ? "gone" : runOf(pod.latest, source.container)),
      changed: () => pod.changes.wait(pod.link.signal),
      acquire: () =>
        slots.acquire(pod.link.signal, () => {
          const error = new RangeError(`${maxStreams} logs are followed already; this one waits (options.maxStreams)`);
          report({ error, source });
        }),
      push: ({ time, text }) => lines.push({ ...source, time, text, color }),
      onError: (error) => report({ error, source }),
    };
    tailContainer(parts).catch((error: unknown) => pod.link.aborted || lines.fail(error));
  };

  const take = (change: Change<Pod>): void => {
    const { key, object } = change;
    const known = followed.get(key);
    // A pod of the same name may have taken the place of another one whose deletion was missed.
    if (known !== undefined && (change.type === "deleted" || known.latest.metadata?.uid !== object.metadata?.uid)) {
      followed.delete(key);
      leave(known);
    }
    if (change.type === "deleted") return;
    const pod = followed.get(key) ?? {
      latest: object,
      isGone: false,
      changes: createWaitList<undefined>(),
      link: linkAbort(link.signal),
      containers: new Set<string>(),
    };
    followed.set(key, pod);
    pod.latest = object;
    pod.changes.resolveAll(undefined);
    for (const [container, kind] of containersOf(object)) {
      const source = { namespace: object.metadata?.namespace ?? "", pod: object.metadata?.name ?? "", container };
      if (pod.containers.has(container)) continue;
      pod.containers.add(container);
      if (options.containers?.(source, kind) ?? kind === "container") tail(pod, source, change.initial);
    }
  };

  informer.addHandler((change) => {
    try {
      take(change);
    } catch (error) {
      // The selection of containers threw: a mistake of the caller.
      lines.fail(error);
    }
  });
  informer.synced({ signal: link.signal }).catch(lines.fail);
  // The client was closed. Without an open log, nothing else says so.
  informer.onStatus((status) => status.type === "closed" && !link.aborted && lines.fail(status.error));
  whenAborted(link.signal, () => void informer.close());
  const { take: shift, fill } = lines;
  const stop = (): void => link.abort(new ClosedError("followPodLogs was closed"));
  return createIdleIterator<PodLogLine>({ take: shift, fill, stop });
}

interface FollowedPod {
  latest: DeepReadonly<Pod>;
  isGone: boolean;
  readonly changes: WaitList<undefined>;
  readonly link: LinkedAbort;
  readonly containers: Set<string>;
}

function* containersOf({ spec }: DeepReadonly<Pod>): Generator<[name: string, kind: PodContainerKind]> {
  for (const { name } of spec?.initContainers ?? []) yield [name, "init"];
  for (const { name } of spec?.containers ?? []) yield [name, "container"];
  for (const { name } of spec?.ephemeralContainers ?? []) yield [name, "ephemeral"];
}

/** Returns the run of a container that has a log: the current one, or the one before a pending restart. */
function runOf({ status }: DeepReadonly<Pod>, name: string): ContainerRun | undefined {
  const all: readonly DeepReadonly<ContainerStatus>[] = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find((each) => each.name === name);
  if (found === undefined) return undefined;
  const { state, lastState, containerID, restartCount } = found;
  const run = state?.running ?? state?.terminated ?? lastState?.terminated;
  if (run === undefined) return undefined;
  const id = containerID ?? `${restartCount} ${run.startedAt ?? ""}`;
  return { id, isRunning: state?.running !== undefined };
}

/** Lines between the logs and the reader. */
interface LineQueue {
  /** Adds a line. Returns a promise for the time when there is room for more. */
  push(line: PodLogLine): Promise<void> | undefined;
  /** Makes the reader fail after the lines that wait. */
  fail(error: unknown): void;
  take(): PodLogLine | undefined;
  fill(): Promise<boolean>;
}

/** Counts the object behind a line, too. */
const sizeOf = ({ text }: PodLogLine): number => text.length + 100;

function createLineQueue(signal: AbortSignal): LineQueue {
  const waiting = new Fifo<PodLogLine>();
  const arrived = createWaitList<undefined>();
  const room = createWaitList<undefined>();
  let size = 0;
  let failure: { readonly error: unknown } | undefined;
  return {
    push(line) {
      waiting.push(line);
      size += sizeOf(line);
      arrived.resolveAll(undefined);
      return size > mostWaiting ? room.wait(signal).then(() => undefined) : undefined;
    },
    fail(error) {
      failure ??= { error };
      arrived.resolveAll(undefined);
    },
    take() {
      const line = waiting.shift();
      if (line === undefined) return undefined;
      size -= sizeOf(line);
      if (size <= mostWaiting) room.resolveAll(undefined);
      return line;
    },
    async fill() {
      if (waiting.length === 0 && failure === undefined) await arrived.wait(signal);
      if (waiting.length === 0 && failure !== undefined) throw failure.error;
      return true;
    },
  };
}

/** Places for a limited number of streams. */
function createSlots(
  count: number,
  closing: AbortSignal,
): { acquire(signal: AbortSignal, onWait: () => void): Promise<() => void> } {
  const waiting = createWaitList<undefined>();
  let free = count;
  const release = (): void => {
    if (waiting.size > 0 && !closing.aborted) waiting.resolveNext(undefined);
    else free++;
  };
  return {
    async acquire(signal, onWait) {
      if (free > 0) free--;
      else {
        onWait();
        await waiting.wait(signal);
      }
      return release;
    },
  };
}

function positive(name: string, value: number): number {
  if (!(Number.isSafeInteger(value) && value > 0))
    throw new RangeError(`${name} must be a positive integer, not ${value}`);
  return value;
}
