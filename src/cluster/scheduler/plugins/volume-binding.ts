import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { compareQuantities } from "../../../meta/quantity.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import { isOwnedBy } from "../../../objects/owner-references.js";
import { claimName, claimNames, foreignClaim } from "../../controllers/shared/claim-names.js";
import { matchesNodeSelector } from "../../controllers/shared/node-matching.js";
import { matchingVolumes } from "../../controllers/shared/volume-matching.js";
import type { NodeInfo } from "../snapshot/node-info.js";
import { isRelabeled, type SchedulerPlugin } from "./plugin.js";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/** Reads the objects that volumes of pods depend on. */
export interface VolumeReader {
  claim(namespace: string, name: string): Claim | undefined;
  volume(name: string): Volume | undefined;
  volumes(): readonly Volume[];
  storageClass(name: string): DeepReadonly<StorageClass> | undefined;
  driver(name: string): DeepReadonly<CSIDriver> | undefined;
  capacities(): readonly DeepReadonly<CSIStorageCapacity>[];
  /** Returns the CSI drivers of a node. */
  csiNode(name: string): DeepReadonly<CSINode> | undefined;
  attachments(): readonly DeepReadonly<VolumeAttachment>[];
}

/** Claim whose volume is chosen or provisioned for the node of its first pod. */
interface DelayedClaim {
  readonly claim: Claim;
  /** Volumes that match it on any node, the smallest first; only the one that is reserved for it, if there is one. */
  readonly matching: readonly Volume[];
  /** Node for which its volume is provisioned already. */
  readonly selectedNode: string | undefined;
}

/** Claims of a pod by their state. */
export interface PodClaims {
  readonly bound: readonly Claim[];
  /** Claims without a volume, the smallest first. */
  readonly delayed: readonly DelayedClaim[];
}

/** Volumes to bind to a pod's claims on a node, and claims for which volumes are provisioned there. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly provisions: readonly Claim[];
}

/** Name of the rule. */
export const volumeRuleName = "VolumeBinding";
/** Annotation of a claim with the node for which its volume is provisioned. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
const missing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const unavailable = "node(s) didn't find available persistent volumes to bind";
const tooSmall = "node(s) did not have enough free storage";

/** Returns true for a claim that the controller has bound completely. */
export function isFullyBound({ metadata, spec }: Claim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata?.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined;
}

/** Returns the claims of a pod, or the reason for which no node fits. */
export function readClaims(pod: DeepReadonly<Pod>, reader: VolumeReader): PodClaims | { readonly rejectsAll: string } {
  const bound: Claim[] = [];
  const delayed: Claim[] = [];
  let immediate = false;
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimName(pod, volume);
    if (name === undefined) continue;
    const isEphemeral = volume.ephemeral !== undefined;
    const claim = reader.claim(pod.metadata!.namespace!, name);
    if (claim === undefined)
      return {
        rejectsAll: isEphemeral
          ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
          : `persistentvolumeclaim "${name}" not found`,
      };
    if (claim.status?.phase === "Lost")
      return {
        rejectsAll: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ""}"`,
      };
    if (claim.metadata?.deletionTimestamp !== undefined)
      return { rejectsAll: `persistentvolumeclaim "${name}" is being deleted` };
    if (isEphemeral && !isOwnedBy(claim, pod)) return { rejectsAll: foreignClaim(pod, name) };
    const mode = reader.storageClass(claim.spec?.storageClassName ?? "")?.volumeBindingMode;
    if (isFullyBound(claim)) bound.push(claim);
    else if (mode === "WaitForFirstConsumer" && (claim.spec?.volumeName ?? "") === "") delayed.push(claim);
    else immediate = true;
  }
  if (immediate) return { rejectsAll: "pod has unbound immediate PersistentVolumeClaims" };
  delayed.sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)));
  return { bound, delayed: delayed.map((claim) => readDelayed(claim, reader)) };
}

function readDelayed(claim: Claim, reader: VolumeReader): DelayedClaim {
  const matching = matchingVolumes(claim, reader.volumes());
  const reserved = matching.find(({ spec }) => spec?.claimRef !== undefined);
  const selectedNode = claim.metadata?.annotations?.[selectedNodeAnnotation];
  return { claim, matching: reserved === undefined ? matching : [reserved], selectedNode };
}

function sizeOf({ spec }: Claim): string {
  return spec?.resources?.requests?.["storage"] ?? "0";
}

/** Plans the volumes of a pod on a node. Returns the reasons for which the pod can't have them there. */
export function planVolumes(claims: PodClaims, node: NodeInfo, reader: VolumeReader): VolumePlan | readonly string[] {
  const reasons: string[] = [];
  for (const claim of claims.bound) {
    const volume = reader.volume(claim.spec!.volumeName!);
    if (volume !== undefined && isReachable(volume, node)) continue;
    reasons.push(volume === undefined ? missing : elsewhere);
    break;
  }
  const plan = planDelayed(claims.delayed, node, reader);
  if (typeof plan !== "string") return reasons.length === 0 ? plan : reasons;
  // Upstream's order.
  return reasons.includes(elsewhere) ? [...reasons, plan] : [plan, ...reasons];
}

/** Plans the volumes of claims that have none. An earlier claim takes the smallest volume that matches it. */
function planDelayed(delayed: PodClaims["delayed"], node: NodeInfo, reader: VolumeReader): VolumePlan | string {
  if (delayed.some(({ selectedNode = node.name }) => selectedNode !== node.name)) return unavailable;
  const provisions = delayed.filter(({ selectedNode }) => selectedNode !== undefined).map(({ claim }) => claim);
  const bindings = new Map<Volume, Claim>();
  for (const { claim, matching, selectedNode } of delayed) {
    if (selectedNode !== undefined) continue;
    const volume = matching.find((each) => !bindings.has(each) && isReachable(each, node));
    if (volume === undefined) provisions.push(claim);
    else bindings.set(volume, claim);
  }
  for (const claim of provisions) {
    const problem = provisioningProblem(claim, node, reader);
    if (problem !== undefined) return problem;
  }
  return { bindings: [...bindings].map(([volume, claim]) => ({ claim, volume })), provisions };
}

function isReachable({ spec }: Volume, { node }: NodeInfo): boolean {
  return spec?.nodeAffinity?.required === undefined || matchesNodeSelector(spec.nodeAffinity.required, node);
}

/** Returns the reason for which no volume can be provisioned for a claim on a node; `undefined` if one can. */
function provisioningProblem(claim: Claim, { labels }: NodeInfo, reader: VolumeReader): string | undefined {
  const storageClass = reader.storageClass(claim.spec?.storageClassName ?? "");
  if (storageClass === undefined || storageClass.provisioner === "kubernetes.io/no-provisioner") return unavailable;
  const topologies = storageClass.allowedTopologies ?? [];
  const isAllowed = topologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
  );
  if (topologies.length > 0 && !isAllowed) return unavailable;
  if (reader.driver(storageClass.provisioner)?.spec.storageCapacity !== true) return undefined;
  const hasRoom = reader
    .capacities()
    .some(
      ({ storageClassName, nodeTopology, capacity, maximumVolumeSize = capacity }) =>
        storageClassName === storageClass.metadata!.name &&
        maximumVolumeSize !== undefined &&
        compareQuantities(maximumVolumeSize, sizeOf(claim)) >= 0 &&
        nodeTopology !== undefined &&
        matchesLabelSelector(nodeTopology, labels),
    );
  return hasRoom ? undefined : tooSmall;
}

/** Creates the rule that a pod's volumes must be reachable from its node. */
export function volumeBinding(reader: VolumeReader): SchedulerPlugin {
  return {
    name: volumeRuleName,
    mayHelp: (change) => change.type === "volume" || isRelabeled(change),
    filter({ pod }) {
      if (claimNames(pod).length === 0) return undefined;
      const claims = readClaims(pod, reader);
      if ("rejectsAll" in claims) return claims;
      return (info) => {
        const plan = planVolumes(claims, info, reader);
        return "bindings" in plan ? undefined : { reasons: plan, resolvable: false };
      };
    },
  };
}
