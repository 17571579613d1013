import type { Informer } from "../../cache/informer/informer.js";
import type { InformerFactory, SharedInformerOptions } from "../../cache/informer/informer-factory.js";
import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import type { ListWatch } from "../../client/resource/collection.js";
import type { CustomResourceDefinition } from "../../kinds/apiextensions/v1.js";
import type { Kind } from "../../meta/kind.js";
import type { DeepReadonly } from "../../meta/object.js";
import { lowPriority } from "../queue/work-queue.js";
import { type EventHandler, requestsOf } from "./enqueue.js";
import { createDefinition } from "./optional-kind.js";
import type { Predicate } from "./predicates.js";
import type { Source, SourceDefinition, Watchable } from "./source.js";

/** Options for `kindSource`. */
export interface KindSourceOptions<T> {
  /** Filters: a change must pass all of them. */
  readonly predicates?: readonly Predicate<T>[] | undefined;
  /** Selectors, indexes and other options for the informer of a handle. */
  readonly informer?: SharedInformerOptions<T> | undefined;
  /**
   * Makes a custom kind optional: the source starts when its CustomResourceDefinition appears, and stops when that is
   * deleted or the version is no longer served; objects that are still cached then count as deleted. `definitions` is
   * the handle `client.resource(CustomResourceDefinition)`; only the kind's own definition is listed and watched.
   * Default: the kind must exist.
   */
  readonly optional?: { readonly definitions: ListWatch<CustomResourceDefinition> } | undefined;
}

/**
 * Creates a source that watches a collection or informer and enqueues the requests that `handler` returns for each
 * change. Initial objects and resyncs are enqueued with `lowPriority`. Throws a `TypeError` for `optional` if the kind is
 * unknown or belongs to the core group, which has no definitions.
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
  const { predicates = [], optional } = options;
  const kind = getKind(watchable);
  const open = (informers: Pick<InformerFactory, "informer">): Informer<T> =>
    isInformer(watchable) ? watchable : informers.informer(watchable, options.informer);
  const definition = optional && defineOptional(watchable.description, kind, optional.definitions);
  return {
    description: watchable.description,
    ...(kind && { kind }),
    ...(definition && { definition }),
    ...(!isInformer(watchable) && { open: (informers: Pick<InformerFactory, "informer">) => open(informers) }),
    start({ informers, enqueue, onError }) {
      const informer = open(informers);
      // Objects that the handler knows, to report their deletion with that of their kind.
      const known = optional && new Map<string, DeepReadonly<T>>();
      const onChange = (change: Change<T>): void => {
        if (change.type === "deleted") known?.delete(change.key);
        else known?.set(change.key, change.object);
        try {
          if (!predicates.every((predicate) => predicate(change))) return;
          const repeated = isRepetition(change);
          for (const request of requestsOf(handler(change)))
            enqueue(request, { priority: repeated ? lowPriority : 0 }, repeated ? undefined : change);
        } catch (error) {
          onError(error);
        }
      };
      const registration = informer.addHandler(onChange);
      return {
        informer,
        synced: (wait) => registration.synced(wait),
        async stop({ reportDeleted = false } = {}) {
          registration.remove();
          if (reportDeleted)
            for (const [key, object] of known ?? [])
              onChange({ type: "deleted", key, object, finalStateUnknown: true, cause: "live", initial: false });
          if (informer !== watchable) await informer.close();
        },
      };
    },
  };
}

function defineOptional(
  description: string,
  kind: Kind | undefined,
  definitions: ListWatch<CustomResourceDefinition>,
): SourceDefinition {
  if (kind === undefined || kind.group === "")
    throw new TypeError(`${description}: options.optional requires a handle of a custom kind`);
  return createDefinition(kind, definitions, (collection, onDefinition, informer) =>
    kindSource(
      collection,
      (change) => {
        onDefinition(change.type === "deleted" ? undefined : change.object);
        return [];
      },
      { informer },
    ),
  );
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
