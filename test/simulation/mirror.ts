import type { Change } from "../../src/cache/store/change.js";
import type { ConfigMap } from "../../src/kinds/core/v1.js";
import type { DeepReadonly } from "../../src/meta/object.js";
import { compareResourceVersions } from "../../src/meta/resource-version.js";

/** Copy built only from changes, which reports every impossible change. */
export interface Mirror {
  /** Objects by key. */
  readonly objects: ReadonlyMap<string, DeepReadonly<ConfigMap>>;
  /** Errors found so far. */
  readonly faults: string[];
  /** Applies a change. */
  take(change: Change<ConfigMap>): void;
}

/**
 * Creates an empty mirror. `isHistoryLost` returns true if the server may have gone back in time. `lifeOf` returns the
 * identity of the object that currently exists on the server.
 */
export function createMirror(isHistoryLost: () => boolean, lifeOf: (key: string) => string | undefined): Mirror {
  const objects = new Map<string, DeepReadonly<ConfigMap>>();
  const faults: string[] = [];
  const fault = (what: string, change: Change<ConfigMap>): void =>
    void faults.push(`${what}: ${change.type} ${change.key} (${change.cause})`);
  return {
    objects,
    faults,
    take(change) {
      const held = objects.get(change.key);
      switch (change.type) {
        case "added":
          if (held !== undefined) fault("added twice", change);
          objects.set(change.key, change.object);
          return;
        case "updated": {
          if (held === undefined) fault("updated before it was added", change);
          else if (held !== change.old) fault("the old object is not the one reported before", change);
          // Every object gets an id at creation. A different id means a different object, whatever its uid.
          if (change.old.data?.["life"] !== change.object.data?.["life"])
            fault("another object reported as an update", change);
          const order = compareResourceVersions(
            change.object.metadata!.resourceVersion!,
            change.old.metadata!.resourceVersion!,
          );
          if (order === undefined || (order <= 0 && (change.cause === "live" || !isHistoryLost())))
            fault("went back in time", change);
          objects.set(change.key, change.object);
          return;
        }
        case "deleted":
          if (held === undefined) fault("deleted although it does not exist", change);
          if (!isHistoryLost() && lifeOf(change.key) === change.object.data?.["life"])
            fault("deleted although it exists", change);
          objects.delete(change.key);
      }
    },
  };
}
