import type { Controller, SourceRegistration } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueForObject, enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import { Pod, type PodResourceClaim, type PodResourceClaimStatus } from "../../../kinds/core/v1.js";
import { ResourceClaim, ResourceClaimTemplate } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted } from "../../../objects/finalizers.js";
import { getControllerOwner, ownerReference } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { deviceClaims } from "../shared/device-claims.js";
import { isFinished } from "../shared/pods.js";
import { serverMessage } from "../shared/server-message.js";
import { releaseClaim } from "./release-claim.js";

/** Annotation of a generated claim with the name of the entry in the pod's `spec.resourceClaims`. */
const entryAnnotation = "resource.kubernetes.io/pod-claim-name";
const manager = "ResourceClaimController";
/** Most characters of a generated name before the random ones. */
const longestBase = 57;

/**
 * Creates the controller that makes ResourceClaims from the templates that pods name, and takes claims back from pods that
 * have ended. It reads claims from the first pod that uses some.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
export function createResourceClaimController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const events = context.recorder("resource_claim");
  let claimSource: SourceRegistration | undefined;

  /** Returns the name of the claim for an entry; `undefined` if the pod needs none. */
  async function claimFor(
    pod: DeepReadonly<Pod>,
    { name, resourceClaimTemplateName: template }: DeepReadonly<PodResourceClaim>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (template === undefined) return undefined;
    const namespace = pod.metadata!.namespace!;
    const claims = client.resource(ResourceClaim).namespace(namespace);
    const recorded = recordedClaim(pod, name);
    const known = recorded === undefined ? undefined : await claims.getOptional(recorded, { signal });
    if (known !== undefined && isMadeFor(known, pod)) return recorded;
    // It may exist without being in the status.
    for (const claim of (await claims.list({ signal })).items)
      if (isMadeFor(claim, pod) && claim.metadata?.annotations?.[entryAnnotation] === name) return claim.metadata.name!;
    const source = await client.resource(ResourceClaimTemplate).namespace(namespace).get(template, { signal });
    const { labels, annotations } = source.spec.metadata ?? {};
    const created = await claims.create(
      {
        metadata: {
          generateName: baseName(pod.metadata!.name!, name),
          ...(labels && { labels }),
          annotations: { ...annotations, [entryAnnotation]: name },
          ownerReferences: [ownerReference(pod, { controller: true, blockOwnerDeletion: false })],
        },
        spec: source.spec.spec,
      },
      { signal },
    );
    return created.metadata!.name!;
  }

  const controller: Controller = createController({
    name: "resourceclaim",
    for: client.resource(Pod),
    predicates: [({ object }) => (object.spec?.resourceClaims ?? []).length > 0],
    watches: [
      kindSource(client.resource(Pod), enqueueMapped(claimsOf), {
        predicates: [({ type, object }) => type === "deleted" || isFinished(object) || isBeingDeleted(object)],
      }),
    ],
    clock,
    log,
    // A request is for the pod of that name, and for the claim of that name.
    async reconcile({ namespace, name }, { object: pod, signal }) {
      claimSource ??= controller.addSource(kindSource(client.resource(ResourceClaim), enqueueForObject()));
      await claimSource.synced({ signal });
      const claim = context.cache(ResourceClaim).store.get(`${namespace}/${name}`);
      if (claim !== undefined) await releaseClaim(context, claim, signal);
      if (pod === undefined || isFinished(pod) || isBeingDeleted(pod)) return;
      const statuses: PodResourceClaimStatus[] = [];
      for (const entry of pod.spec?.resourceClaims ?? []) {
        try {
          const claim = await claimFor(pod, entry, signal);
          if (claim !== undefined) statuses.push({ name: entry.name, resourceClaimName: claim });
        } catch (error) {
          const note = `PodResourceClaim ${entry.name}: ${serverMessage(error)}`;
          events.event(pod, { type: "Warning", reason: "FailedResourceClaimCreation", note });
          throw error;
        }
      }
      if (statuses.every(({ name: entry, resourceClaimName }) => recordedClaim(pod, entry) === resourceClaimName))
        return;
      await client
        .resource(Pod)
        .namespace(namespace)
        .subresource("status")
        .apply(
          { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, status: { resourceClaimStatuses: statuses } },
          { fieldManager: manager, force: true, signal },
        );
    },
  });
  return controller;
}

/** Returns requests for the claims of a pod. */
function claimsOf(pod: DeepReadonly<Pod>): ReconcileRequest[] {
  const namespace = pod.metadata!.namespace!;
  return deviceClaims(pod).flatMap(({ claim }) => (claim === undefined ? [] : [{ namespace, name: claim }]));
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
