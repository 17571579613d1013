import {
  type ContainerStatus,
  Node,
  type PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../../kinds/core/v1.js";
import { CSIDriver } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted } from "../../../objects/finalizers.js";
import type { ClusterContext } from "../context.js";
import { attachedByController } from "../shared/attached-volumes.js";
import { claimNames } from "../shared/claim-names.js";
import { isFinished } from "../shared/pods.js";

/** Index of pods by `namespace/name` of their claims. */
const byClaim = "volume-claim";

/** Volumes that are attached to nodes, and the pods that use them. */
export interface VolumeUsers {
  /** Returns the pods that use a volume, by their node; none if nothing attaches it. */
  usersOf(volume: DeepReadonly<PersistentVolume> | undefined): Map<string, DeepReadonly<Pod>[]>;
  /** Returns the names of the volumes of a pod. */
  volumesOf(pod: DeepReadonly<Pod>): string[];
}

/** Creates the view of the users of volumes. */
export function createVolumeUsers({ cache }: ClusterContext): VolumeUsers {
  const nodes = cache(Node).store;
  const pods = cache(Pod).store;
  const claims = cache(PersistentVolumeClaim).store;
  const drivers = cache(CSIDriver).store;
  pods.addIndex(byClaim, (pod) => claimNames(pod).map((name) => `${pod.metadata!.namespace!}/${name}`));
  return {
    usersOf({ metadata, spec } = {}) {
      const users = new Map<string, DeepReadonly<Pod>[]>();
      const claim = `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`;
      if (spec?.csi === undefined || drivers.get(spec.csi.driver)?.spec.attachRequired === false) return users;
      if (claims.get(claim)?.spec?.volumeName !== metadata?.name) return users;
      for (const pod of pods.byIndex(byClaim, claim).filter(usesVolumes)) {
        const name = pod.spec!.nodeName!;
        if (nodes.get(name)?.metadata?.annotations?.[attachedByController] === undefined) continue;
        users.set(name, [...(users.get(name) ?? []), pod]);
      }
      return users;
    },
    volumesOf: (pod) =>
      claimNames(pod).flatMap((name) => claims.get(`${pod.metadata!.namespace!}/${name}`)?.spec?.volumeName ?? []),
  };
}

/** Returns true for a pod that needs its volumes on its node: until its containers have ended for good. */
export function usesVolumes(pod: DeepReadonly<Pod>): boolean {
  if (pod.spec?.nodeName === undefined || isFinished(pod)) return false;
  if (!isBeingDeleted(pod)) return true;
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const runs = ({ state }: DeepReadonly<ContainerStatus>): boolean =>
    state?.waiting === undefined && state?.terminated === undefined;
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].some(runs);
}

/** Returns true for a node that unmounts its volumes, or whose administrator has declared that it's shut down. */
export function canUnmount(node: DeepReadonly<Node> | undefined): boolean {
  return (
    isNodeReady(node) || node?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true
  );
}

function isNodeReady(node: DeepReadonly<Node> | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

/** Returns true for a volume that can be attached to only one node at a time. */
export function isExclusive({ spec }: DeepReadonly<PersistentVolume>): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.includes("ReadWriteMany") && !modes.includes("ReadOnlyMany");
}

/** Returns the text of the event for pods whose volume is attached to another node, where `others` use it. */
export function conflictNote(volume: string, others: readonly DeepReadonly<Pod>[]): string {
  const names = others.map(({ metadata }) => metadata!.name!).sort();
  const cause =
    names.length > 0
      ? `already used by pod(s) ${names.join(", ")}`
      : "already exclusively attached to one node and can't be attached to another";
  return `Multi-Attach error for volume "${volume}" Volume is ${cause}`;
}
