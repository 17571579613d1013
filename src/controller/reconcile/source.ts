import type { Informer, WaitOptions } from "../../cache/informer/informer.js";
import type { InformerFactory, SharedInformerOptions } from "../../cache/informer/informer-factory.js";
import type { Change } from "../../cache/store/change.js";
import { metadataOf } from "../../cache/store/object-key.js";
import type { ListWatch } from "../../client/resource/collection.js";
import type { Kind } from "../../meta/kind.js";
import { type AddOptions, lowPriority } from "../queue/work-queue.js";
import type { EventHandler } from "./enqueue.js";
import type { Predicate } from "./predicates.js";
import type { ReconcileRequest } from "./reconcile-request.js";

/** What a controller may watch: a resource handle or anything else that lists and watches, or an informer, which then stays yours to close. */
export type Watchable<T> = (ListWatch<T> & { readonly kind?: Kind }) | Informer<T>;

/** What a source is given when it starts. */
export interface SourceContext {
  /** Where informers come from. */
  readonly informers: Pick<InformerFactory, "informer">;
  /** Adds a request to the controller's queue. */
  enqueue(request: ReconcileRequest, options?: AddOptions): void;
  /** Takes what handlers and predicates throw. */
  onError(error: unknown): void;
}

/** A source that runs. */
export interface RunningSource {
  /** The informer that it hangs on, if it does. */
  readonly informer?: Informer<unknown>;
  /** Resolves when all of the present was told. */
  synced(options?: WaitOptions): Promise<void>;
  /** Ends it; resolves when its connection is closed. */
  stop(): Promise<void>;
}

/** Where a controller's requests come from. */
export interface Source {
  /** Names it in messages, as `pods in "apps"`. */
  readonly description: string;
  /** Kind of the objects; absent where it has none, or is not known. */
  readonly kind?: Pick<Kind, "group" | "kind">;
  /** Its informer, without a handler, for whoever wants it filled ahead; absent where it is of its own or has none. */
  open?(informers: Pick<InformerFactory, "informer">): Informer<unknown>;
  /** Begins. */
  start(context: SourceContext): RunningSource;
}

/** Options of `kindSource`. */
export interface KindSourceOptions<T> {
  /** Changes that one of them does not let through are left out. */
  readonly predicates?: readonly Predicate<T>[];
  /** Selectors, indexes and the rest for the informer that is made of a handle. */
  readonly informer?: SharedInformerOptions<T>;
}

/**
 * Watches the objects of a collection or informer and asks a handler whom each change concerns. What was there at the
 * start, and resyncs, have low priority.
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
          const priority = isRepetition(change) ? lowPriority : 0;
          for (const request of handler(change)) enqueue(request, { priority });
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

/** The kind of what is watched, where it is known. */
export function getKind(watchable: Watchable<unknown>): Kind | undefined {
  return isInformer(watchable) ? undefined : watchable.kind;
}

function isInformer<T>(watchable: Watchable<T>): watchable is Informer<T> {
  return "addHandler" in watchable;
}

/** Whether nothing has happened: the present at the start, or the same state again. */
function isRepetition(change: Change<unknown>): boolean {
  if (change.type === "added") return change.initial;
  return (
    change.type === "updated" && metadataOf(change.old)?.resourceVersion === metadataOf(change.object)?.resourceVersion
  );
}
