import type { Controller, SourceRegistration } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import { Pod } from "../../../kinds/core/v1.js";
import { ResourceClaim, ResourceClaimTemplate } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isBeingDeleted } from "../../../objects/finalizers.js";
import { isOwnedBy } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import {
  allDeviceClaims,
  type DeviceClaimUse,
  deviceClaims,
  isReservedFor,
  mostPods,
  updateClaimStatus,
  withReservation,
} from "../shared/device-claims.js";
import { isFinished } from "../shared/pods.js";
import { serverMessage } from "../shared/server-message.js";
import { makeClaims } from "./make-claims.js";
import { releaseClaim } from "./release-claim.js";

/** Index of pods by `namespace/name` of their claims. */
const byClaim = "resourceclaim";
/** Index of pods by `namespace/name` of the templates of their claims. */
const byTemplate = "resourceclaimtemplate";

/**
 * Creates the controller that makes ResourceClaims from the templates that pods name, reserves allocated ones for pods that
 * were assigned without the scheduler, and takes claims back from pods that have ended, those for extended resources
 * included. It reads claims and templates from the first pod that uses some.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
export function createResourceClaimController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const events = context.recorder("resource_claim");
  const pods = context.cache(Pod).store;
  let claimSource: SourceRegistration | undefined;
  let templateSource: SourceRegistration | undefined;

  /** Watches claims: each change concerns the claim, and the pods that it isn't reserved for yet. */
  function followClaims(): SourceRegistration {
    pods.addIndex(byClaim, claimKeys);
    const requestsOf = (claim: DeepReadonly<ResourceClaim>): ReconcileRequest[] => {
      const { namespace, name } = claim.metadata!;
      const waiting = pods.byIndex(byClaim, `${namespace}/${name}`).filter((pod) => needsReservation(pod, claim));
      return [claim, ...waiting].map(({ metadata }) => ({ namespace: namespace!, name: metadata!.name! }));
    };
    return controller.addSource(kindSource(client.resource(ResourceClaim), enqueueMapped(requestsOf)));
  }

  /** Watches templates: pods may wait for one. */
  function followTemplates(): SourceRegistration {
    pods.addIndex(byTemplate, templateKeys);
    const requestsOf = ({ metadata }: DeepReadonly<ResourceClaimTemplate>): ReconcileRequest[] => {
      const namespace = metadata!.namespace!;
      const waiting = pods.byIndex(byTemplate, `${namespace}/${metadata!.name!}`);
      return waiting.map((pod) => ({ namespace, name: pod.metadata!.name! }));
    };
    const predicates = [({ type }: { type: string }) => type !== "deleted"];
    return controller.addSource(
      kindSource(client.resource(ResourceClaimTemplate), enqueueMapped(requestsOf), { predicates }),
    );
  }

  async function reserveClaims(pod: DeepReadonly<Pod>, signal: AbortSignal): Promise<void> {
    const claims = context.cache(ResourceClaim).store;
    for (const { namespace, name } of claimsOf(pod)) {
      const claim = claims.get(`${namespace}/${name}`);
      if (claim !== undefined && needsReservation(pod, claim))
        await updateClaimStatus(client, claim, (status) => withReservation(status, pod), signal);
    }
  }

  const controller: Controller = createController({
    name: "resourceclaim",
    for: client.resource(Pod),
    predicates: [({ object }) => (object.spec?.resourceClaims ?? []).length > 0],
    watches: [
      kindSource(
        client.resource(Pod),
        enqueueMapped((pod) => requestsFor(pod, allDeviceClaims(pod))),
        {
          predicates: [({ type, object }) => type === "deleted" || isFinished(object) || isBeingDeleted(object)],
        },
      ),
    ],
    clock,
    log,
    // A request is for the pod of that name, and for the claim of that name.
    async reconcile({ namespace, name }, { object: pod, signal }) {
      claimSource ??= followClaims();
      await claimSource.synced({ signal });
      const claim = context.cache(ResourceClaim).store.get(`${namespace}/${name}`);
      if (claim !== undefined) await releaseClaim(context, claim, signal);
      if (pod === undefined || isFinished(pod) || isBeingDeleted(pod)) return;
      const report = (entry: string, error: unknown): void => {
        const note = `PodResourceClaim ${entry}: ${serverMessage(error)}`;
        events.event(pod, { type: "Warning", reason: "FailedResourceClaimCreation", note });
      };
      if (templateKeys(pod).length > 0) templateSource ??= followTemplates();
      await makeClaims(client, pod, report, signal);
      await reserveClaims(pod, signal);
    },
  });
  return controller;
}

/** Returns requests for claims of a pod. */
function requestsFor({ metadata }: DeepReadonly<Pod>, uses: readonly DeviceClaimUse[]): ReconcileRequest[] {
  const namespace = metadata!.namespace!;
  return uses.flatMap(({ claim }) => (claim === undefined ? [] : [{ namespace, name: claim }]));
}

/** Returns requests for the claims that a pod names. */
function claimsOf(pod: DeepReadonly<Pod>): ReconcileRequest[] {
  return requestsFor(pod, deviceClaims(pod));
}

function claimKeys(pod: DeepReadonly<Pod>): string[] {
  return claimsOf(pod).map(({ namespace, name }) => `${namespace}/${name}`);
}

function templateKeys({ metadata, spec }: DeepReadonly<Pod>): string[] {
  return (spec?.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: template }) =>
    template === undefined ? [] : [`${metadata!.namespace!}/${template}`],
  );
}

/** Returns true if an allocated claim can be reserved for a pod, which has a node already. */
function needsReservation(pod: DeepReadonly<Pod>, claim: DeepReadonly<ResourceClaim>): boolean {
  if (pod.spec?.nodeName === undefined || isFinished(pod) || isBeingDeleted(pod)) return false;
  const { allocation, reservedFor = [] } = claim.status ?? {};
  if (allocation === undefined || isReservedFor(claim, pod) || reservedFor.length >= mostPods) return false;
  const isMade = deviceClaims(pod).some((each) => each.claim === claim.metadata!.name && each.isMade);
  return !isMade || isOwnedBy(claim, pod);
}
