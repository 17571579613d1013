import type { Client } from "../../../client/client.js";
import { Pod, type PodResourceClaim, type PodResourceClaimStatus } from "../../../kinds/core/v1.js";
import { ResourceClaim, ResourceClaimTemplate } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { getControllerOwner, ownerReference } from "../../../objects/owner-references.js";
import { serverMessage } from "../shared/server-message.js";

/** Annotation of a generated claim with the name of the entry in the pod's `spec.resourceClaims`. */
const entryAnnotation = "resource.kubernetes.io/pod-claim-name";
const manager = "ResourceClaimController";
/** Most characters of a generated name before the random ones. */
const longestBase = 57;

/** Reason for which a pod gets no claim. */
class ClaimError extends Error {
  override readonly name = "ClaimError";
}

/**
 * Makes the claims of a pod whose templates have none yet, and writes their names to its status. Calls `onFailure` with the
 * name of an entry whose claim can't be made, and throws its error.
 */
export async function makeClaims(
  client: Client,
  pod: DeepReadonly<Pod>,
  onFailure: (entry: string, error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = pod.metadata!;
  const statuses: PodResourceClaimStatus[] = [];
  for (const entry of pod.spec?.resourceClaims ?? []) {
    try {
      const claim = await claimFor(client, pod, entry, signal);
      if (claim !== undefined) statuses.push({ name: entry.name, resourceClaimName: claim });
    } catch (error) {
      onFailure(entry.name, error);
      throw error;
    }
  }
  if (statuses.every(({ name: entry, resourceClaimName }) => recordedClaim(pod, entry) === resourceClaimName)) return;
  const status = { resourceClaimStatuses: statuses };
  await client
    .resource(Pod)
    .namespace(namespace!)
    .subresource("status")
    .apply(
      { apiVersion: "v1", kind: "Pod", metadata: { name: name!, namespace: namespace! }, status },
      { fieldManager: manager, force: true, signal },
    );
}

/** Returns the name of the claim for an entry; `undefined` if the pod needs none. */
async function claimFor(
  client: Client,
  pod: DeepReadonly<Pod>,
  { name, resourceClaimTemplateName: template }: DeepReadonly<PodResourceClaim>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (template === undefined) return undefined;
  const namespace = pod.metadata!.namespace!;
  const claims = client.resource(ResourceClaim).namespace(namespace);
  const recorded = recordedClaim(pod, name);
  const known = recorded === undefined ? undefined : await claims.getOptional(recorded, { signal });
  if (known !== undefined) return recorded;
  // It may exist without being in the status.
  for (const claim of (await claims.list({ signal })).items)
    if (isMadeFor(claim, pod) && claim.metadata?.annotations?.[entryAnnotation] === name) return claim.metadata.name!;
  const source = await client.resource(ResourceClaimTemplate).namespace(namespace).getOptional(template, { signal });
  if (source === undefined) {
    const missing = `resourceclaimtemplate.resource.k8s.io "${template}" not found`;
    throw new ClaimError(`resource claim template "${template}": ${missing}`);
  }
  const { labels, annotations } = source.spec.metadata ?? {};
  const metadata = {
    generateName: baseName(pod.metadata!.name!, name),
    ...(labels && { labels }),
    annotations: { ...annotations, [entryAnnotation]: name },
    ownerReferences: [ownerReference(pod, { controller: true, blockOwnerDeletion: false })],
  };
  const created = await claims.create({ metadata, spec: source.spec.spec }, { signal }).catch((cause: unknown) => {
    // Events of kube-controller-manager have the name here that the claim doesn't have yet.
    throw new ClaimError(`create ResourceClaim : ${serverMessage(cause)}`, { cause });
  });
  return created.metadata!.name!;
}

/** Returns the name of the claim that a pod's status records for an entry. */
function recordedClaim({ status }: DeepReadonly<Pod>, entry: string): string | undefined {
  return status?.resourceClaimStatuses?.find(({ name }) => name === entry)?.resourceClaimName;
}

/** Returns true for a claim that was made for a pod. */
function isMadeFor(claim: DeepReadonly<ResourceClaim>, pod: DeepReadonly<Pod>): boolean {
  return getControllerOwner(claim)?.uid === pod.metadata?.uid;
}

/** Returns the start of the generated name of a claim: of a long one, both parts are shortened by the same factor. */
function baseName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= longestBase) return whole;
  const shorten = (text: string, length: number): string =>
    text.slice(0, Math.trunc((text.length * longestBase) / length));
  const first = shorten(pod, whole.length);
  return `${first}-${shorten(entry, whole.length)}`;
}
