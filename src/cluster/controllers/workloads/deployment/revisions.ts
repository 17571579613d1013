import { deepEqual } from "../../../../internal/deep-equal.js";
import type { Deployment, ReplicaSet } from "../../../../kinds/apps/v1.js";
import type { PodTemplateSpec } from "../../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../../meta/label-selector.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { podTemplateHash } from "../../../../objects/hashes/template-hashes.js";
import { ownerReference } from "../../../../objects/owner-references.js";
import { desiredAnnotation, desiredReplicas, maxAnnotation, oldestFirst, rollingLimits } from "./replica-counts.js";

/** Label that distinguishes the pods of a Deployment's ReplicaSets. */
export const hashLabel = "pod-template-hash";
/** Annotation with the revision, of the Deployment and of each ReplicaSet. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
/** Annotation with which clients of extensions/v1beta1 request a rollback to a revision; 0 for the last one. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

/** Number of characters that the name of a ReplicaSet has at most. */
const longestName = 253;

/** Annotations of a Deployment that its ReplicaSets don't inherit. */
export const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);

/** Returns the oldest ReplicaSet that was made from the Deployment's current template. */
export function findCurrent(
  deployment: DeepReadonly<Deployment>,
  sets: readonly DeepReadonly<ReplicaSet>[],
): DeepReadonly<ReplicaSet> | undefined {
  return oldestFirst(sets).find(({ spec }) => isSameTemplate(spec?.template, deployment.spec?.template));
}

/** Compares two templates without the label that the controller adds. */
export function isSameTemplate(
  a: DeepReadonly<PodTemplateSpec> | undefined,
  b: DeepReadonly<PodTemplateSpec> | undefined,
): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: DeepReadonly<PodTemplateSpec> | undefined): unknown {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** Returns the revision of a ReplicaSet, a number of 64 bits; 0 if it has none. */
export function revisionOf({ metadata }: DeepReadonly<ReplicaSet>): bigint {
  return parseRevision(metadata?.annotations?.[revisionAnnotation]);
}

const wholeNumber = /^\d{1,19}$/;

function parseRevision(text = ""): bigint {
  return wholeNumber.test(text) ? BigInt(text) : 0n;
}

/** Returns the annotations of a Deployment that its ReplicaSets inherit. */
function inheritedAnnotations({ metadata }: DeepReadonly<Deployment>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata?.annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}

/** Returns the annotations from which later reconciles see how a ReplicaSet was scaled. */
export function scaleAnnotations(deployment: DeepReadonly<Deployment>): Record<string, string> {
  const desired = desiredReplicas(deployment);
  return {
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + rollingLimits(deployment).maxSurge),
  };
}

/**
 * Returns the annotations of the current ReplicaSet for a revision. A set that was used before remembers the old one. A
 * revision that isn't a number stays.
 */
export function currentAnnotations(
  deployment: DeepReadonly<Deployment>,
  set: DeepReadonly<ReplicaSet>,
  revision: bigint,
): Record<string, string> {
  const annotations = { ...set.metadata?.annotations, ...inheritedAnnotations(deployment) };
  const before = annotations[revisionAnnotation];
  if (before && (!wholeNumber.test(before) || parseRevision(before) >= revision)) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (before !== undefined)
    annotations[historyAnnotation] = [annotations[historyAnnotation], before].filter(Boolean).join(",");
  return annotations;
}

/** Returns a new ReplicaSet for the Deployment's current template. */
export function newReplicaSet(deployment: DeepReadonly<Deployment>, revision: bigint): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec!;
  const hash = podTemplateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const copy = structuredClone(template) as PodTemplateSpec;
  return {
    metadata: {
      name: `${deployment.metadata?.name?.slice(0, longestName - hash.length - 1)}-${hash}`,
      namespace: deployment.metadata!.namespace!,
      labels,
      annotations: {
        ...inheritedAnnotations(deployment),
        ...scaleAnnotations(deployment),
        [revisionAnnotation]: String(revision),
      },
      ownerReferences: [ownerReference(deployment, { controller: true })],
    },
    spec: {
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: {
        ...(structuredClone(selector) as LabelSelector),
        matchLabels: { ...selector.matchLabels, [hashLabel]: hash },
      },
      template: { ...copy, metadata: { ...copy.metadata, labels } },
    },
  };
}
