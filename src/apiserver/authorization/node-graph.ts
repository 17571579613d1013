import type { PersistentVolume, Pod } from "../../kinds/core/v1.js";
import type { ApiObject } from "../objects/api-object.js";
import { configMapNames, secretNames } from "./pod-references.js";

/** Reads stored objects by bucket, such as `/pods`. */
export interface StoredObjects {
  /** Returns a value that changes with every write to the bucket. */
  version(bucket: string): unknown;
  /** Returns all objects of the bucket. They are shared; don't modify them. */
  list(bucket: string): Iterable<ApiObject>;
}

/** Relations between nodes and the objects that their pods need. */
export interface NodeGraph {
  /** True if an object, such as `secrets/NAMESPACE/NAME`, is related to a node. */
  relates(node: string, key: string): boolean;
}

const buckets = ["/pods", "/persistentvolumes", "storage.k8s.io/volumeattachments", "resource.k8s.io/resourceslices"];
const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Creates the graph, which is computed again after its objects have changed. */
export function createNodeGraph(stored: StoredObjects): NodeGraph {
  let known: { readonly versions: readonly unknown[]; readonly related: ReadonlyMap<string, ReadonlySet<string>> } = {
    versions: [],
    related: new Map(),
  };
  return {
    relates(node, key) {
      const versions = buckets.map((bucket) => stored.version(bucket));
      if (versions.some((version, index) => version !== known.versions[index]))
        known = { versions, related: relations(stored) };
      return known.related.get(node)?.has(key) === true;
    },
  };
}

function relations(stored: StoredObjects): Map<string, Set<string>> {
  const related = new Map<string, Set<string>>();
  const add = (node: string | undefined, keys: readonly string[]): void => {
    if (node === undefined || node === "") return;
    const set = related.get(node) ?? new Set();
    related.set(node, set);
    for (const key of keys) set.add(key);
  };
  const [pods, volumes, attachments, slices] = buckets.map((bucket) => stored.list(bucket));
  const byClaim = volumesByClaim(volumes!);
  for (const pod of pods!) add((pod as Pod).spec?.nodeName, podKeys(pod as Pod, byClaim));
  for (const each of attachments!)
    add((each["spec"] as { nodeName?: string } | undefined)?.nodeName, [`volumeattachments//${each.metadata?.name}`]);
  for (const each of slices!)
    add((each["spec"] as { nodeName?: string } | undefined)?.nodeName, [`resourceslices//${each.metadata?.name}`]);
  return related;
}

/** Returns the keys of each claim's volume and of the secrets that a kubelet needs to mount it. */
function volumesByClaim(volumes: Iterable<ApiObject>): Map<string, string[]> {
  const byClaim = new Map<string, string[]>();
  for (const object of volumes) {
    const { metadata, spec } = object as PersistentVolume;
    const { namespace = "", name = "" } = spec?.claimRef ?? {};
    if (name === "") continue;
    const secret = (reference: { namespace?: string | undefined; name?: string | undefined } | undefined): string[] =>
      reference?.name === undefined ? [] : [`secrets/${reference.namespace ?? namespace}/${reference.name}`];
    const { azureFile, cephfs, csi, flexVolume, iscsi, rbd, scaleIO, storageos } = spec ?? {};
    const key = `${namespace}/${name}`;
    byClaim.set(key, [
      ...(byClaim.get(key) ?? []),
      `persistentvolumes//${metadata?.name}`,
      ...secret(azureFile && { namespace: azureFile.secretNamespace ?? namespace, name: azureFile.secretName }),
      ...[cephfs, flexVolume, iscsi, rbd, scaleIO, storageos].flatMap((source) => secret(source?.secretRef)),
      ...[csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef].flatMap(secret),
    ]);
  }
  return byClaim;
}

/** Returns the keys of a pod and of everything it needs. */
function podKeys(pod: Pod, volumesByClaimName: ReadonlyMap<string, readonly string[]>): string[] {
  const { name = "", namespace = "", annotations } = pod.metadata ?? {};
  const own = `pods/${namespace}/${name}`;
  // A node must not gain access to objects by creating the mirror of a static pod.
  if (annotations !== undefined && Object.hasOwn(annotations, mirrorAnnotation)) return [own];
  const names = (resource: string, found: readonly (string | undefined)[]): string[] =>
    found.flatMap((each) => (each === undefined || each === "" ? [] : [`${resource}/${namespace}/${each}`]));
  const claims = (pod.spec?.volumes ?? []).flatMap((volume) =>
    volume.ephemeral ? [`${name}-${volume.name}`] : (volume.persistentVolumeClaim?.claimName ?? []),
  );
  const generated = new Map(pod.status?.resourceClaimStatuses?.toReversed().map((each) => [each.name, each]));
  return [
    own,
    ...names("serviceaccounts", [pod.spec?.serviceAccountName]),
    ...names("secrets", secretNames(pod)),
    ...names("configmaps", configMapNames(pod)),
    ...names("persistentvolumeclaims", claims),
    ...claims.flatMap((claim) => volumesByClaimName.get(`${namespace}/${claim}`) ?? []),
    ...names("resourceclaims", [
      ...(pod.spec?.resourceClaims ?? []).map(
        (claim) => claim.resourceClaimName ?? generated.get(claim.name)?.resourceClaimName,
      ),
      pod.status?.extendedResourceClaimStatus?.resourceClaimName,
    ]),
  ];
}
