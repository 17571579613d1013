import type { WaitOptions } from "../../cache/informer/informer.js";
import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import { createStore, type StoreReader } from "../../cache/store/store.js";
import { ClosedError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import type { Clock } from "../../internal/clock.js";
import type { SourceRegistration } from "./controller.js";
import type { Log } from "./controller-log.js";
import type { SourceInformer } from "./expectations.js";
import type { EnqueueOptions, ReconcileRequest } from "./reconcile-request.js";
import type { EnqueueCause } from "./reconcile-tracing.js";
import type { Source, SourceContext } from "./source.js";
import { type ControllerSource, monitorSource } from "./source-monitor.js";
import { type StartedSource, waitForSources } from "./wait-for-sources.js";

/** Dependencies of `ControllerSources`. */
export interface ControllerSourcesParts {
  /** Name of the controller. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds a request to the queue. Throws for an invalid one. */
  readonly enqueue: (request: ReconcileRequest, options: EnqueueOptions | undefined, cause?: EnqueueCause) => void;
  /** Called if the informer of a source ended because its client was closed. */
  readonly onClosed: (error: unknown) => void;
}

/** The sources of a controller: starts and stops them, waits for their caches, and counts their errors. */
export class ControllerSources {
  /** Errors thrown by handlers and predicates. */
  handlerErrors = 0;
  /** Failed requests of informers. */
  failures = 0;
  /** Collections whose caches aren't filled yet. */
  missing: readonly string[] = [];
  readonly #parts: ControllerSourcesParts;
  /** All sources, starting with the controller's own kind. An optional kind has its definition's source and, while it is served, its own. */
  readonly #all = new Set<ControllerSource>();
  readonly #started = new Map<ControllerSource, StartedSource>();
  /** Sources of optional kinds that are served, by those of their definitions. */
  readonly #served = new Map<ControllerSource, ControllerSource>();
  /** Sources that are being stopped. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #own: ControllerSource;
  readonly #isOwnOptional: boolean;
  #noObjects: StoreReader<unknown> | undefined;
  #state: "idle" | { readonly informers: InformerFactory } | "stopped" = "idle";

  constructor(sources: readonly Source[], parts: ControllerSourcesParts) {
    this.#parts = parts;
    for (const source of sources) this.#all.add(this.#prepare(source));
    [this.#own] = this.#all as unknown as [ControllerSource];
    this.#isOwnOptional = sources[0]?.definition !== undefined;
  }

  /** All current sources. */
  get all(): readonly ControllerSource[] {
    return [...this.#all];
  }

  /** Informers of the started sources. */
  get informers(): SourceInformer[] {
    return Array.from(this.#started.values()).flatMap(({ source, running }) =>
      source.kind && running.informer ? [{ kind: source.kind, informer: running.informer }] : [],
    );
  }

  /** Cache of the controller's own kind. It is empty while the kind is optional and not served. */
  get ownStore(): StoreReader<unknown> {
    const own = this.#isOwnOptional ? this.#served.get(this.#own) : this.#own;
    return own === undefined
      ? (this.#noObjects ??= createStore(() => undefined))
      : this.#started.get(own)!.running.informer!.store;
  }

  /** Starts all sources. */
  start(informers: InformerFactory): void {
    this.#state = { informers };
    this.missing = this.all.map(({ description }) => description);
    for (const source of this.all) this.#start(source, informers);
  }

  /** Waits until all caches are filled. Rejects with a `CacheSyncError` after `timeoutMs`. */
  async synced(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { name, clock } = this.#parts;
    const since = clock.monotonic();
    const waited = new Set<StartedSource>();
    const onSynced = (missing: readonly string[]): void => void (this.missing = missing);
    for (;;) {
      // Definitions that are found start the sources of optional kinds.
      const next = Array.from(this.#started.values()).filter((started) => !waited.has(started));
      if (next.length === 0) return;
      for (const started of next) waited.add(started);
      const waitedMs = Math.min(timeoutMs, clock.monotonic() - since);
      await waitForSources(`controller ${name}`, next, { timeoutMs, waitedMs, signal, clock }, onSynced);
    }
  }

  /** Adds a source, and starts it if the controller runs. Throws a `ClosedError` after `stop`. */
  add(source: Source): SourceRegistration {
    const { name } = this.#parts;
    if (this.#state === "stopped") throw new ClosedError(`controller ${name} was stopped`);
    const added = this.#prepare(source);
    this.#addPrepared(added);
    return {
      source: added,
      synced: (options) => this.#syncedOne(added, options),
      remove: () => this.#remove(added),
    };
  }

  /** Stops all sources. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    const stopping = [...Array.from(this.#started.values(), ({ running }) => running.stop()), ...this.#stopping];
    for (const result of await Promise.allSettled(stopping)) if (result.status === "rejected") throw result.reason;
  }

  #addPrepared(source: ControllerSource): void {
    this.#all.add(source);
    if (typeof this.#state === "string") return;
    try {
      this.#start(source, this.#state.informers);
    } catch (error) {
      this.#all.delete(source);
      throw error;
    }
  }

  /** Resolves when a source and, if its kind is optional and served, the source of the kind have been filled. */
  async #syncedOne(source: ControllerSource, options?: WaitOptions): Promise<void> {
    const started = this.#started.get(source);
    if (started === undefined)
      throw new KubestreamError(`controller ${this.#parts.name}: ${source.description} hasn't been started`);
    await started.running.synced(options);
    const served = this.#served.get(source);
    if (served !== undefined) await this.#started.get(served)!.running.synced(options);
  }

  async #remove(source: ControllerSource, options?: { readonly reportDeleted: boolean }): Promise<void> {
    this.#all.delete(source);
    const started = this.#started.get(source);
    this.#started.delete(source);
    const served = this.#served.get(source);
    this.#served.delete(source);
    if (started !== undefined) started.removed = true;
    const stopping = Promise.all([started?.running.stop(options), served && this.#remove(served)]).then(
      () => undefined,
    );
    this.#stopping.add(stopping);
    try {
      await stopping;
    } finally {
      this.#stopping.delete(stopping);
    }
  }

  /** Wraps a source. That of an optional kind is replaced by its definition's, which adds and removes it. */
  #prepare(source: Source): ControllerSource {
    if (source.definition === undefined) return this.#monitor(source);
    const definition: ControllerSource = this.#monitor(
      source.definition.watch((isServed) => {
        const served = this.#served.get(definition);
        if (isServed === (served !== undefined) || this.#state === "stopped" || !this.#all.has(definition)) return;
        const { name: controller, log } = this.#parts;
        log({
          level: "info",
          message: `${source.description}: the kind ${isServed ? "is served" : "is gone"}`,
          controller,
        });
        if (served === undefined) {
          const added = this.#monitor(source);
          this.#addPrepared(added);
          this.#served.set(definition, added);
        } else {
          this.#served.delete(definition);
          this.#remove(served, { reportDeleted: true }).catch((error: unknown) =>
            log({ level: "error", message: `stopping ${source.description} failed`, controller, error }),
          );
        }
      }),
    );
    return definition;
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
    this.#started.set(source, { source, running: source.start({ informers, enqueue: tryEnqueue, onError }) });
  }
}
