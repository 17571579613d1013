import type { ApiServer } from "../apiserver/server.js";
import type { ClusterSnapshot } from "./cluster.js";
import type { SavedParts } from "./run-parts.js";
import type { StartedParts } from "./start-parts.js";
import type { ClusterClock } from "./time/cluster-clock.js";
import type { Random } from "./time/random.js";

interface SavedCluster {
  readonly server: ReturnType<ApiServer["snapshot"]>;
  readonly parts: SavedParts;
  readonly random: number | undefined;
}

/** Parts of a cluster that a snapshot covers. */
interface SnapshotSubjects {
  readonly server: Pick<ApiServer, "snapshot" | "restore" | "faults" | "settled">;
  readonly clock: ClusterClock;
  readonly random: Random | undefined;
  readonly parts: StartedParts;
  readonly settled: () => Promise<void>;
}

/** Creates the functions that take and restore snapshots of a cluster. */
export function createSnapshots({ server, clock, random, parts, settled }: SnapshotSubjects): {
  snapshot(): Promise<ClusterSnapshot>;
  restore(snapshot: ClusterSnapshot): Promise<void>;
} {
  const states = new WeakMap<ClusterSnapshot, SavedCluster>();
  let isRestoring = false;
  return {
    async snapshot() {
      await settled();
      const snapshot = Object.freeze({ timeMs: clock.now() });
      states.set(snapshot, { server: server.snapshot(), parts: parts.save(), random: random?.save() });
      return snapshot;
    },
    async restore(snapshot) {
      const saved = states.get(snapshot);
      if (saved === undefined) throw new TypeError("snapshot must come from this cluster's snapshot()");
      if (isRestoring) throw new TypeError("restore: another call is restoring the cluster");
      isRestoring = true;
      try {
        await parts.restart(saved.parts, () => {
          server.faults.clear();
          server.restore(saved.server);
          clock.rewind(snapshot.timeMs);
          if (saved.random !== undefined) random?.restore(saved.random);
        });
        await settled();
      } finally {
        isRestoring = false;
      }
    },
  };
}
