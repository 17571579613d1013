import { PersistentVolume, PersistentVolumeClaim, type Pod } from "../../kinds/core/v1.js";
import { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from "../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { compareQuantities } from "../../meta/quantity.js";
import type { ClusterContext } from "../controllers/context.js";
import { claimNames } from "../controllers/shared/claim-names.js";
import { selectedNodeAnnotation, type VolumePlan, type VolumeReader } from "./plugins/volume-binding.js";
import { readOnce } from "./read-once.js";

/** Functions that report changes. */
export interface VolumeChanges {
  /** Reports a change of a claim, a volume, a class or a capacity. */
  changed(): void;
  /** Reports that a node may attach more volumes. */
  limitRaised(): void;
}

/** Claims, volumes and the reports of drivers about them. */
export interface ClusterVolumes extends VolumeReader {
  /** Returns true if everything has been read that a pod's volumes depend on. Otherwise, begins to read it. */
  isReadFor(pod: DeepReadonly<Pod>): boolean;
  /** Shows the volumes and claims of a plan as they will be, until the returned function is called. */
  assume(plan: VolumePlan, node: string): () => void;
}

/** Creates the reader. Reports of drivers are read from the first pod with a claim on. */
export function createVolumeReader(context: ClusterContext, changes: VolumeChanges): ClusterVolumes {
  const { cache } = context;
  const claims = cache(PersistentVolumeClaim);
  const volumes = cache(PersistentVolume);
  const classes = cache(StorageClass);
  for (const informer of [claims, volumes, classes])
    informer.addHandler(({ type }) => {
      // What is gone helps no pod.
      if (type !== "deleted") changes.changed();
    });
  const assumed = {
    claims: new Map<string, DeepReadonly<PersistentVolumeClaim>>(),
    volumes: new Map<string, DeepReadonly<PersistentVolume>>(),
  };
  const readDrivers = readOnce(context, {
    what: "drivers of volumes",
    follow: () => followDrivers(context, changes),
    done: () => changes.changed(),
  });

  return {
    isReadFor: (pod) => claimNames(pod).length === 0 || readDrivers(),
    claim(namespace, name) {
      const claim = claims.store.get(`${namespace}/${name}`);
      return (claim && assumed.claims.get(claim.metadata!.uid!)) ?? claim;
    },
    volume: (name) => volumes.store.get(name),
    volumes: () => {
      const all = volumes.store.list();
      if (assumed.volumes.size === 0) return all;
      return all.map((volume) => assumed.volumes.get(volume.metadata!.uid!) ?? volume);
    },
    storageClass: (name) => classes.store.get(name),
    driver: (name) => cache(CSIDriver).store.get(name),
    capacities: () => cache(CSIStorageCapacity).store.list(),
    csiNode: (name) => cache(CSINode).store.get(name),
    attachments: () => cache(VolumeAttachment).store.list(),
    assume({ bindings, provisions }, node) {
      for (const { claim, volume } of bindings) {
        const { namespace, name, uid } = claim.metadata!;
        const spec = { ...volume.spec, claimRef: { namespace, name, uid } };
        assumed.volumes.set(volume.metadata!.uid!, { ...volume, spec });
      }
      for (const claim of provisions) {
        const annotations = { ...claim.metadata?.annotations, [selectedNodeAnnotation]: node };
        assumed.claims.set(claim.metadata!.uid!, { ...claim, metadata: { ...claim.metadata, annotations } });
      }
      return () => {
        for (const { volume } of bindings) assumed.volumes.delete(volume.metadata!.uid!);
        for (const claim of provisions) assumed.claims.delete(claim.metadata!.uid!);
      };
    },
  };
}

/** Reports changes of drivers' capacities, nodes and attachments. Resolves when they are read. */
async function followDrivers({ cache }: ClusterContext, { changed, limitRaised }: VolumeChanges): Promise<void> {
  const [drivers, capacities] = [cache(CSIDriver), cache(CSIStorageCapacity)];
  const [nodes, attachments] = [cache(CSINode), cache(VolumeAttachment)];
  capacities.addHandler((change) => {
    const old = change.type === "updated" ? limitOf(change.old) : undefined;
    const now = change.type === "deleted" ? undefined : limitOf(change.object);
    if (change.type === "added" || isMore(now, old)) changed();
  });
  nodes.addHandler((change) => {
    const old = change.type === "updated" ? countsOf(change.old) : undefined;
    if (change.type !== "deleted" && [...countsOf(change.object)].some(([name, most]) => most > (old?.get(name) ?? 0)))
      limitRaised();
  });
  attachments.addHandler(({ type }) => type === "deleted" && limitRaised());
  await Promise.all([drivers, capacities, nodes, attachments].map((informer) => informer.synced()));
}

function limitOf({ maximumVolumeSize, capacity }: DeepReadonly<CSIStorageCapacity>): string | undefined {
  return maximumVolumeSize ?? capacity;
}

function isMore(now: string | undefined, old: string | undefined): boolean {
  return now !== undefined && (old === undefined || compareQuantities(now, old) > 0);
}

function countsOf({ spec }: DeepReadonly<CSINode>): ReadonlyMap<string, number> {
  return new Map(spec.drivers.map(({ name, allocatable }) => [name, allocatable?.count ?? 0]));
}
