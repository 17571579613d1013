import type { Pod, Volume } from "../../kinds/core/v1.js";
import { configMapNames, secretNames } from "../authorization/pod-references.js";
import type { ApiObject } from "../objects/api-object.js";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Returns the reason why a node may not create a pod: it may only create mirrors of its own static pods. */
export function mirrorProblem(node: string, pod: Pod, stored: ApiObject | undefined): string | undefined {
  const shown = JSON.stringify(node);
  const { annotations, ownerReferences: owners = [] } = pod.metadata ?? {};
  if (annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have "${mirrorAnnotation}" annotation, node ${shown} can only create mirror pods`;
  if (pod.spec?.nodeName !== node) return `node ${shown} can only create pods with spec.nodeName set to itself`;
  const only = `node ${shown} can only create pods with`;
  if (owners.length > 1) return `${only} a single owner reference set to itself`;
  const [owner] = owners;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `${only} an owner reference set to itself`;
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node ${shown} must not set blockOwnerDeletion on an owner reference`;
  if (stored === undefined) return `error looking up node ${node} to verify uid: node ${shown} not found`;
  if (owner.uid !== stored.metadata?.uid)
    return `node ${node} UID mismatch: expected ${owner.uid} got ${stored.metadata?.uid ?? ""}`;
  const reference = referenceOf(pod);
  return reference === undefined ? undefined : `node ${shown} can not create pods that reference ${reference}`;
}

/** Returns the kind of API object that a pod refers to. */
function referenceOf(pod: Pod): string | undefined {
  const { spec } = pod;
  if ((spec?.serviceAccountName ?? "") !== "") return "serviceaccounts";
  if (secretNames(pod).some((name) => name !== undefined)) return "secrets";
  if (configMapNames(pod).some((name) => name !== undefined)) return "configmaps";
  if ((spec?.resourceClaims ?? []).length > 0) return "resourceclaims";
  return (spec?.volumes ?? []).map(volumeReference).find((found) => found !== undefined);
}

function volumeReference({ csi, glusterfs, persistentVolumeClaim, ephemeral, projected }: Volume): string | undefined {
  if (csi !== undefined) return "csidrivers (via CSI volumes)";
  if (glusterfs !== undefined) return "endpoints (via glusterFS volumes)";
  if (persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
  if (ephemeral !== undefined) return "persistentvolumeclaims (via ephemeral volumes)";
  for (const source of projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) return "serviceaccounts (via projected volumes)";
    if (source.clusterTrustBundle !== undefined) return "clustertrustbundles";
    if (source.podCertificate !== undefined) return "podcertificates";
  }
  return undefined;
}
