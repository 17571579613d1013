import type { Client } from "../client/client.js";
import { isPermanent } from "../errors/predicates.js";
import { type BackoffOptions, backoffDelayMs } from "../internal/backoff.js";
import { type Clock, sleep } from "../internal/clock.js";
import { createLogCursor, type TimedLine } from "./log-cursor.js";
import { type LogLinesOptions, logLines } from "./logs.js";
import type { PodLogSource } from "./pod-log-line.js";

/** One run of a container. A restart begins another one. */
export interface ContainerRun {
  /** Differs between the runs. */
  readonly id: string;
  readonly isRunning: boolean;
}

/** Dependencies of `tailContainer`. */
export interface TailParts {
  readonly client: Pick<Client, "request">;
  readonly source: PodLogSource;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
  readonly backoff: BackoffOptions;
  readonly maxLineBytes: number;
  /** Part of the log with which the first request begins. */
  readonly begin: Pick<LogLinesOptions, "tailLines" | "sinceSeconds">;
  /** Returns the current run; `undefined` before the first one, `gone` when the pod was deleted. */
  readonly run: () => ContainerRun | "gone" | undefined;
  /** Resolves when the pod has changed. Rejects when the signal aborts. */
  readonly changed: () => Promise<void>;
  /** Waits for a place among the streams. The returned function frees it. */
  readonly acquire: () => Promise<() => void>;
  /** Takes a line. Waits while too many lines wait for the reader. */
  readonly push: (line: TimedLine) => Promise<void> | undefined;
  /** Receives a failure, after which the stream is opened again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Follows the log of a container over its restarts and over broken connections until its pod is gone. Rejects when the
 * signal aborts or the client is closed.
 */
export async function tailContainer(parts: TailParts): Promise<void> {
  const { signal, clock, random, backoff } = parts;
  const cursor = createLogCursor();
  let begin = parts.begin;
  /** Run of the last request, and the run that was read to its end. */
  let known: string | undefined;
  let finished: string | undefined;
  let attempts = 0;

  const read = async (): Promise<void> => {
    const release = await parts.acquire();
    try {
      const { sinceTime } = cursor;
      cursor.resume();
      const { namespace, pod: name, container } = parts.source;
      const position = sinceTime === undefined ? begin : { sinceTime };
      const options = { container, follow: true, timestamps: true, ...position, signal };
      const { maxLineBytes } = parts;
      for await (const line of await logLines(parts.client, { namespace, name }, { ...options, maxLineBytes })) {
        const entry = cursor.take(line);
        if (entry === undefined) continue;
        attempts = 0;
        await parts.push(entry);
      }
    } finally {
      release();
    }
  };

  for (;;) {
    signal.throwIfAborted();
    const run = parts.run();
    if (run === "gone") return;
    if (run === undefined || run.id === finished) {
      await parts.changed();
      continue;
    }
    // All of a later run is new.
    if (known !== undefined && run.id !== known) begin = {};
    known = run.id;
    attempts++;
    try {
      await read();
      // The log of a container that had ended before the request is complete. Another one may have been cut off.
      if (!run.isRunning) finished = run.id;
    } catch (error) {
      signal.throwIfAborted();
      if (isPermanent(error)) throw error;
      // The log goes with the pod, and the news of its deletion may arrive later.
      if (parts.run() !== "gone") parts.onError(error);
    }
    if (run.id !== finished && parts.run() !== "gone")
      await sleep(backoffDelayMs(backoff, Math.max(1, attempts), random()), clock, signal);
  }
}
