import type { Informer, WaitOptions } from "../../cache/informer/informer.js";
import type { InformerFactory } from "../../cache/informer/informer-factory.js";
import type { Change } from "../../cache/store/change.js";
import type { ListWatch } from "../../client/resource/collection.js";
import type { Kind, Scope } from "../../meta/kind.js";
import type { EnqueueOptions, ReconcileRequest } from "./reconcile-request.js";

/**
 * Collection that a controller can watch: a resource handle or other `ListWatch`, or an informer, which the controller
 * leaves open. `S` is the scope of the kind, if known at compile time.
 */
export type Watchable<T, S extends Scope = Scope> =
  | (ListWatch<T> & { readonly kind?: Kind<unknown, S> | undefined })
  | Informer<T>;

/** Context passed to a source when it starts. */
export interface SourceContext {
  /** Factory for informers. */
  readonly informers: Pick<InformerFactory, "informer">;
  /**
   * Adds a request to the controller's queue. A request without a namespace is an error if the controller's own kind is
   * namespaced; it is reported like an error of a handler. `change` is the change that caused the request, for tracing.
   */
  enqueue(request: ReconcileRequest, options?: EnqueueOptions, change?: Change<unknown>): void;
  /** Reports an error of a handler or predicate. */
  onError(error: unknown): void;
}

/** A started source. */
export interface RunningSource {
  /** The source's informer, if it has one. */
  readonly informer?: Informer<unknown> | undefined;
  /** Resolves when every initial object was delivered. */
  synced(options?: WaitOptions): Promise<void>;
  /**
   * Stops the source. Resolves when its connection is closed. `reportDeleted` is set if the kind is gone: the source
   * then enqueues the requests for a deletion of every object that it knows.
   */
  stop(options?: { readonly reportDeleted?: boolean | undefined }): Promise<void>;
}

/** Definition of an optional kind. */
export interface SourceDefinition {
  /**
   * Returns a source that enqueues nothing and calls `onServed` when the server starts or ceases to serve the kind, and
   * possibly more often.
   */
  watch(onServed: (isServed: boolean) => void): Source;
}

/** Source of a controller's requests. */
export interface Source {
  /** Name in messages, such as `pods in "apps"`. */
  readonly description: string;
  /** Kind of the objects, if the source has one. */
  readonly kind?: Pick<Kind, "group" | "kind"> | undefined;
  /** Definition of the kind, if it is optional: a controller starts the source only while the kind is served. */
  readonly definition?: SourceDefinition | undefined;
  /**
   * Returns the source's informer without a handler, so that it can be filled before the start. Absent if the source
   * doesn't use the factory.
   */
  open?(informers: Pick<InformerFactory, "informer">): Informer<unknown>;
  /** Starts the source. */
  start(context: SourceContext): RunningSource;
}
