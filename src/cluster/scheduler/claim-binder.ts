import { KubestreamError } from "../../errors/kubestream-error.js";
import { PersistentVolume, PersistentVolumeClaim, type Pod } from "../../kinds/core/v1.js";
import { StorageClass } from "../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import { findVolume, readClaims, type VolumeReader } from "./plugins/volumes.js";
import type { NodeInfo } from "./snapshot/node-info.js";

/** Time after which a pod is scheduled again if its volumes aren't bound. */
const bindTimeoutMs = 600_000;

/** Error of volumes that weren't bound in time. */
class VolumeTimeoutError extends KubestreamError {
  override readonly name = "VolumeTimeoutError";
}

/** Binds the claims of pods that wait for their first consumer. */
export interface ClaimBinder {
  readonly reader: VolumeReader;
  /**
   * Chooses volumes for a pod's claims, or has them provisioned for a node, and resolves when they are bound. Returns
   * `undefined` if nothing is to be done.
   */
  prepare(pod: DeepReadonly<Pod>, node: NodeInfo, signal: AbortSignal): Promise<void> | undefined;
}

/** Creates a binder. Calls `changed` after each change of a claim, a volume or a storage class. */
export function createClaimBinder({ client, clock, cache }: ClusterContext, changed: () => void): ClaimBinder {
  const claims = cache(PersistentVolumeClaim);
  const volumes = cache(PersistentVolume);
  const classes = cache(StorageClass);
  const waits = new Set<() => void>();
  const notify = (): void => {
    for (const check of [...waits]) check();
    changed();
  };
  claims.addHandler(notify);
  volumes.addHandler(notify);
  classes.addHandler(changed);
  const reader: VolumeReader = {
    claim: (namespace, name) => claims.store.get(`${namespace}/${name}`),
    volume: (name) => volumes.store.get(name),
    volumes: () => volumes.store.list(),
    storageClass: (name) => classes.store.get(name),
  };

  const choose = async (
    claim: DeepReadonly<PersistentVolumeClaim>,
    node: NodeInfo,
    signal: AbortSignal,
  ): Promise<void> => {
    const { namespace, name, uid } = claim.metadata!;
    const volume = findVolume(claim, node, reader);
    if (volume !== undefined) {
      const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
      const { name: volumeName, resourceVersion } = volume.metadata!;
      // A volume that was reserved for the claim before keeps its reference when the claim goes.
      const annotations = volume.spec?.claimRef === undefined ? { "pv.kubernetes.io/bound-by-controller": "yes" } : {};
      const patch = { metadata: { resourceVersion, annotations }, spec: { claimRef } };
      await client.resource(PersistentVolume).patch(volumeName!, { type: "merge", patch }, { signal });
      return;
    }
    const annotations = { "volume.kubernetes.io/selected-node": node.name };
    await client
      .resource(PersistentVolumeClaim)
      .namespace(namespace!)
      .patch(name!, { type: "merge", patch: { metadata: { annotations } } }, { signal });
  };

  const bound = (names: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        waits.delete(check);
        timer.cancel();
        if (error === undefined) resolve();
        else reject(error);
      };
      const check = (): void => {
        if (names.every((name) => claims.store.get(name)?.status?.phase === "Bound")) end();
      };
      const timer = clock.setTimer(
        () => end(new VolumeTimeoutError(`timed out waiting for the claims ${names.join(", ")} to be bound`)),
        bindTimeoutMs,
      );
      waits.add(check);
      check();
    });

  return {
    reader,
    prepare(pod, node, signal) {
      if ((pod.spec?.volumes ?? []).length === 0) return undefined;
      const found = readClaims(pod, reader);
      if ("rejectsAll" in found || found.delayed.length === 0) return undefined;
      const names = found.delayed.map(({ metadata }) => `${metadata!.namespace}/${metadata!.name}`);
      return Promise.all(found.delayed.map((claim) => choose(claim, node, signal))).then(() => bound(names));
    },
  };
}
