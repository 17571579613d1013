import type { StatefulSet } from "../../../../kinds/apps/v1.js";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "../../../../kinds/core/v1.js";
import type { DeepReadonly, OwnerReference } from "../../../../meta/object.js";
import { ownerReference } from "../../../../objects/owner-references.js";
import { podFromTemplate } from "../../shared/pods.js";

/** Label with the name of the revision from which a pod was made. */
export const revisionLabel = "controller-revision-hash";
const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";

type Set = DeepReadonly<StatefulSet>;
type PodVolume = DeepReadonly<Volume>;

/** Returns the ordinal of a StatefulSet's pod from its name; `undefined` for the name of another pod. */
export function ordinalOf(set: Set, pod: DeepReadonly<Pod>): number | undefined {
  const name = pod.metadata?.name ?? "";
  const prefix = `${set.metadata?.name ?? ""}-`;
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^(0|[1-9]\d{0,8})$/.test(rest) ? Number(rest) : undefined;
}

/** Returns the labels of a pod's ordinal if the pod lacks its name as a label; `undefined` if it has it. */
export function ordinalLabels(set: Set, pod: DeepReadonly<Pod>): Record<string, string> | undefined {
  const { name, labels } = pod.metadata!;
  if (labels?.[podNameLabel] === name) return undefined;
  return { [podNameLabel]: name!, [podIndexLabel]: String(ordinalOf(set, pod)) };
}

/** Returns the volumes of a pod with those of its claims if it lacks one of them; `undefined` if it has them. */
export function ordinalVolumes(set: Set, { metadata, spec }: DeepReadonly<Pod>): readonly PodVolume[] | undefined {
  const volumes = withClaims(set, metadata!.name!, spec?.volumes ?? []);
  const hasAll = claimNames(set).every((claim) => {
    const own = spec?.volumes?.find(({ name }) => name === claim);
    return own?.persistentVolumeClaim?.claimName === `${claim}-${metadata!.name!}`;
  });
  return hasAll ? undefined : volumes;
}

function claimNames({ spec }: Set): string[] {
  return (spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata!.name!);
}

/** Returns the volumes of a pod with those of its claims, which replace others of their names. */
function withClaims(set: Set, podName: string, volumes: readonly PodVolume[]): PodVolume[] {
  const claims = claimNames(set);
  const mounted = claims.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${podName}`, readOnly: false },
  }));
  return [...mounted, ...volumes.filter(({ name }) => !claims.includes(name))];
}

/** Returns a new pod of a StatefulSet. */
export function ordinalPod(
  set: Set,
  ordinal: number,
  { revision, template }: { revision: string; template: DeepReadonly<PodTemplateSpec> },
): Pod {
  const pod = podFromTemplate(template, set);
  const name = `${set.metadata!.name!}-${ordinal}`;
  const metadata = pod.metadata!;
  const spec = pod.spec!;
  const volumes = withClaims(set, name, spec.volumes ?? []);
  return {
    metadata: {
      ...metadata,
      name,
      labels: {
        ...metadata.labels,
        [podNameLabel]: name,
        [podIndexLabel]: String(ordinal),
        [revisionLabel]: revision,
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec?.serviceName !== undefined && { subdomain: set.spec.serviceName }),
      ...(volumes.length > 0 && { volumes: volumes as Volume[] }),
    },
  };
}

/** Returns the claims of a pod. Their retention policy decides whether they belong to the StatefulSet. */
export function ordinalClaims(set: Set, ordinal: number): PersistentVolumeClaim[] {
  const retained = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted !== "Delete";
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => {
    const { metadata, spec } = structuredClone(template) as PersistentVolumeClaim;
    return {
      metadata: {
        ...metadata,
        name: `${metadata!.name!}-${set.metadata!.name!}-${ordinal}`,
        namespace: set.metadata!.namespace!,
        labels: { ...metadata?.labels, ...set.spec?.selector.matchLabels },
        ...(!retained && { ownerReferences: [ownerReference(set, { controller: true })] }),
      },
      ...(spec && { spec }),
    };
  });
}

/**
 * Returns true if a retention policy can't apply to the claim of a pod, because it belongs to another controller, or to an
 * earlier set or pod of the same name.
 */
export function hasOtherController(
  set: Set,
  { metadata: pod }: DeepReadonly<Pod>,
  { metadata }: DeepReadonly<PersistentVolumeClaim>,
): boolean {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled !== "Delete" && whenDeleted !== "Delete") return false;
  return (metadata?.ownerReferences ?? []).some(({ kind, name, uid, controller }) => {
    if (kind === "StatefulSet" && name === set.metadata!.name) return uid !== set.metadata!.uid;
    if (kind === "Pod" && name === pod!.name) return uid !== pod!.uid;
    return controller === true;
  });
}

/**
 * Returns the owners that the retention policy gives to the claim of a pod: the set, or the pod of an ordinal that is
 * removed. A claim that belongs to an earlier set or pod, or to another controller, gets none of them.
 */
export function claimOwners(
  set: Set,
  pod: DeepReadonly<Pod>,
  claim: DeepReadonly<PersistentVolumeClaim>,
  isSurplus: boolean,
): readonly DeepReadonly<OwnerReference>[] {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const owners = claim.metadata?.ownerReferences ?? [];
  const setReference = ownerReference(set, { controller: true });
  const podReference = ownerReference({ apiVersion: "v1", kind: "Pod", metadata: pod.metadata! }, { controller: true });
  const isOurs = ({ kind, name }: DeepReadonly<OwnerReference>): boolean =>
    [setReference, podReference].some((own) => own.kind === kind && own.name === name);
  const isCurrent = ({ uid }: DeepReadonly<OwnerReference>): boolean =>
    uid === setReference.uid || uid === podReference.uid;
  if (owners.some((owner) => isOurs(owner) && !isCurrent(owner))) return owners;
  const others = owners.filter((owner) => !isOurs(owner));
  if (others.some(({ controller }) => controller === true)) return others;
  const goesWithPod = isSurplus && whenScaled === "Delete";
  const own = goesWithPod ? [podReference] : whenDeleted === "Delete" ? [setReference] : [];
  return [...others, ...own];
}
