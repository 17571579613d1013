/** Annotation of a claim or volume that the controller chose the other side of. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** Annotation of a volume with the provisioner that created it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** Annotation of a claim with the node of its first pod. */
export const selectedNode = "volume.kubernetes.io/selected-node";
