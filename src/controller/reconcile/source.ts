import type { Informer, WaitOptions } from "../../cache/informer/informer.js";
import type { InformerFactory, SharedInformerOptions } from "../../cache/informer/informer-factory.js";
import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import type { ListWatch } from "../../client/resource/collection.js";
import type { Kind, Scope } from "../../meta/kind.js";
import { type AddOptions, lowPriority } from "../queue/work-queue.js";
import { type EventHandler, requestsOf } from "./enqueue.js";
import type { Predicate } from "./predicates.js";
import type { ReconcileRequest } from "./reconcile-request.js";

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
  enqueue(request: ReconcileRequest, options?: AddOptions, change?: Change<unknown>): void;
  /** Reports an error of a handler or predicate. */
  onError(error: unknown): void;
}

/** A started source. */
export interface RunningSource {
  /** The source's informer, if it has one. */
  readonly informer?: Informer<unknown> | undefined;
  /** Resolves when every initial object was delivered. */
  synced(options?: WaitOptions): Promise<void>;
  /** Stops the source. Resolves when its connection is closed. */
  stop(): Promise<void>;
}

/** Source of a controller's requests. */
export interface Source {
  /** Name in messages, such as `pods in "apps"`. */
  readonly description: string;
  /** Kind of the objects, if the source has one. */
  readonly kind?: Pick<Kind, "group" | "kind"> | undefined;
  /**
   * Returns the source's informer without a handler, so that it can be filled before the start. Absent if the source
   * doesn't use the factory.
   */
  open?(informers: Pick<InformerFactory, "informer">): Informer<unknown>;
  /** Starts the source. */
  start(context: SourceContext): RunningSource;
}

/** Options for `kindSource`. */
export interface KindSourceOptions<T> {
  /** Filters: a change must pass all of them. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /** Selectors, indexes and other options for the informer of a handle. */
  readonly informer?: SharedInformerOptions<T> | undefined;
}

/**
 * Creates a source that watches a collection or informer and enqueues the requests that `handler` returns for each
 * change. Initial objects and resyncs are enqueued with `lowPriority`.
 *
 * @example
 * ```ts
 * import { createController, enqueueForOwner, generationChanged, kindSource } from "kubestream/controller";
 * import { Deployment, ReplicaSet } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const replicaSets = kindSource(client.resource(ReplicaSet), enqueueForOwner(Deployment), {
 *   predicates: [generationChanged()],
 *   informer: { labelSelector: "app=shop" },
 * });
 * const controller = createController({
 *   name: "rollout",
 *   for: client.resource(Deployment),
 *   watches: [replicaSets],
 *   reconcile: ({ name }) => console.log("checking", name),
 * });
 * controller.start();
 * ```
 */
export function kindSource<T>(
  watchable: Watchable<T>,
  handler: EventHandler<T>,
  options: KindSourceOptions<T> = {},
): Source {
  const { predicates = [] } = options;
  const kind = getKind(watchable);
  const open = (informers: Pick<InformerFactory, "informer">): Informer<T> =>
    isInformer(watchable) ? watchable : informers.informer(watchable, options.informer);
  return {
    description: watchable.description,
    ...(kind && { kind }),
    ...(!isInformer(watchable) && { open: (informers: Pick<InformerFactory, "informer">) => open(informers) }),
    start({ informers, enqueue, onError }) {
      const informer = open(informers);
      const registration = informer.addHandler((change) => {
        try {
          if (!predicates.every((predicate) => predicate(change))) return;
          const repeated = isRepetition(change);
          for (const request of requestsOf(handler(change)))
            enqueue(request, { priority: repeated ? lowPriority : 0 }, repeated ? undefined : change);
        } catch (error) {
          onError(error);
        }
      });
      return {
        informer,
        synced: (wait) => registration.synced(wait),
        async stop() {
          registration.remove();
          if (informer !== watchable) await informer.close();
        },
      };
    },
  };
}

/** Returns the kind of a watchable, if known. */
export function getKind(watchable: Watchable<unknown>): Kind | undefined {
  return isInformer(watchable) ? undefined : watchable.kind;
}

function isInformer<T>(watchable: Watchable<T>): watchable is Informer<T> {
  return "addHandler" in watchable;
}

/** Returns true for a change that isn't news: an initial object, or the same state again. */
function isRepetition(change: Change<unknown>): boolean {
  if (change.type === "added") return change.initial;
  return (
    change.type === "updated" && metadataOf(change.old)?.resourceVersion === metadataOf(change.object)?.resourceVersion
  );
}
