import type { ControllerOptions } from "./controller.js";
import { enqueueForObject, enqueueForOwner } from "./enqueue.js";
import { getKind, kindSource } from "./kind-source.js";
import type { Source, Watchable } from "./source.js";

/** Returns the sources that a controller's options name: its own kind, the kinds it owns, and others. */
export function sourcesOf<T>(options: ControllerOptions<T>): Source[] {
  const { name, owns = [], watches = [], predicates } = options;
  const kind = options.kind ?? getKind(options.for);
  const own = kindSource(options.for, enqueueForObject(), {
    ...(predicates && { predicates }),
    ...(options.informer && { informer: options.informer }),
    optional: options.optional,
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
