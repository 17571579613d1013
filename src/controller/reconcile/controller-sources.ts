import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { StoreReader } from "../../cache/store/store.js";
import type { Clock } from "../../internal/clock.js";
import type { AddOptions } from "../queue/work-queue.js";
import type { ControllerOptions } from "./controller.js";
import type { Log } from "./controller-log.js";
import { enqueueForObject, enqueueForOwner } from "./enqueue.js";
import type { SourceInformer } from "./expectations.js";
import type { ReconcileRequest } from "./reconcile-request.js";
import type { EnqueueCause } from "./reconcile-tracing.js";
import { getKind, kindSource, type Source, type SourceContext, type Watchable } from "./source.js";
import { type ControllerSource, monitorSource } from "./source-monitor.js";
import { type StartedSource, waitForSources } from "./wait-for-sources.js";

/** Dependencies of `ControllerSources`. */
export interface ControllerSourcesParts {
  /** Name of the controller. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds a request to the queue. Throws for an invalid one. */
  readonly enqueue: (request: ReconcileRequest, options: AddOptions | undefined, cause?: EnqueueCause) => void;
  /** Called if the informer of a source ended because its client was closed. */
  readonly onClosed: (error: unknown) => void;
}

/** The sources of a controller: starts them, waits for their caches, counts their errors, and stops them. */
export class ControllerSources {
  /** All sources, starting with the controller's own kind. */
  readonly all: readonly ControllerSource[];
  /** Errors thrown by handlers and predicates. */
  handlerErrors = 0;
  /** Failed requests of informers. */
  failures = 0;
  /** Collections whose caches aren't filled yet. */
  missing: readonly string[] = [];
  readonly #parts: ControllerSourcesParts;
  readonly #started: StartedSource[] = [];

  constructor(sources: readonly Source[], parts: ControllerSourcesParts) {
    this.#parts = parts;
    this.all = sources.map((source) => this.#monitor(source));
  }

  /** Informers of the started sources. */
  get informers(): SourceInformer[] {
    return this.#started.flatMap(({ source, running }) =>
      source.kind && running.informer ? [{ kind: source.kind, informer: running.informer }] : [],
    );
  }

  /** Cache of the controller's own kind. Only after `start`. */
  get ownStore(): StoreReader<unknown> {
    return this.#started[0]!.running.informer!.store;
  }

  /** Starts all sources. */
  start(informers: InformerFactory): void {
    for (const source of this.all) this.#start(source, informers);
    this.missing = this.all.map(({ description }) => description);
  }

  /** Waits until all caches are filled. Rejects with a `CacheSyncError` after `timeoutMs`. */
  synced(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { name, clock } = this.#parts;
    const onSynced = (missing: readonly string[]): void => void (this.missing = missing);
    return waitForSources(`controller ${name}`, this.#started, { timeoutMs, signal, clock }, onSynced);
  }

  /** Stops all started sources. */
  async stop(): Promise<void> {
    await Promise.all(this.#started.map(({ running }) => running.stop()));
  }

  #monitor(source: Source): ControllerSource {
    const { name, clock, log, onClosed } = this.#parts;
    return monitorSource(source, {
      clock,
      log: (entry) => log({ ...entry, controller: name }),
      onFailure: () => this.failures++,
      onClosed,
    });
  }

  #start(source: ControllerSource, informers: InformerFactory): void {
    const { name, log, enqueue } = this.#parts;
    const onError = (error: unknown): void => {
      this.handlerErrors++;
      const message = `a handler or predicate of ${source.description} threw`;
      log({ level: "error", message, controller: name, error });
    };
    const tryEnqueue: SourceContext["enqueue"] = (request, options, change) => {
      try {
        enqueue(request, options, change && { source: source.description, change });
      } catch (error) {
        onError(error);
      }
    };
    this.#started.push({ source, running: source.start({ informers, enqueue: tryEnqueue, onError }) });
  }
}

/** Returns the sources that a controller's options name: its own kind, the kinds it owns, and others. */
export function sourcesOf<T>(options: ControllerOptions<T>): Source[] {
  const { name, owns = [], watches = [], predicates } = options;
  const kind = options.kind ?? getKind(options.for);
  const own = kindSource(options.for, enqueueForObject(), {
    ...(predicates && { predicates }),
    ...(options.informer && { informer: options.informer }),
  });
  const owned = owns.map((watchable: Watchable<unknown>) => {
    if (kind === undefined)
      throw new TypeError(
        `controller ${name}: options.kind is required for options.owns when options.for is an informer`,
      );
    return kindSource(watchable, enqueueForOwner(kind));
  });
  return [kind === undefined ? own : { ...own, kind }, ...owned, ...watches];
}
