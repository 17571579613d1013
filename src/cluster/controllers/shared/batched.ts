import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import type { Source } from "../../../controller/reconcile/source.js";
import type { ClusterContext } from "../context.js";

/** Turns of the event loop in which changes are joined. Assigning and starting a pod takes some 20 of them. */
const batchTurns = 50;

/**
 * Returns a source that enqueues a request for changes in quick succession once. For owners of many objects, whose
 * reconcile counts all of them.
 */
export function batched(source: Source, { afterTurns }: Pick<ClusterContext, "afterTurns">): Source {
  return {
    ...source,
    start(context) {
      const waiting = new Map<string, () => void>();
      const flush = (): void => {
        const batch = [...waiting.values()];
        waiting.clear();
        for (const enqueue of batch) enqueue();
      };
      return source.start({
        ...context,
        enqueue(request, options, change) {
          if (waiting.size === 0) afterTurns(batchTurns, flush);
          const key = keyOf(request);
          // The last change is as good as the others: the reconcile reads the cache.
          waiting.set(key, () => context.enqueue(request, options, change));
        },
      });
    },
  };
}

function keyOf({ namespace = "", name }: ReconcileRequest): string {
  return `${namespace}/${name}`;
}
