import type { Client } from "../../../../client/client.js";
import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../../../errors/predicates.js";
import { deepEqual } from "../../../../internal/deep-equal.js";
import type { StatefulSet } from "../../../../kinds/apps/v1.js";
import { PersistentVolumeClaim, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { serverMessage } from "../../shared/server-message.js";
import {
  claimOwners,
  hasOtherController,
  ordinalClaims,
  ordinalLabels,
  ordinalOf,
  ordinalVolumes,
} from "./ordinal-pods.js";

/** Creates and deletes the pods and claims of one StatefulSet, and records an event for each. */
export interface OrdinalControl {
  /** Creates a pod after those of its claims that don't exist. Rejects if another pod has its name. */
  create(ordinal: number, pod: Pod): Promise<void>;
  /** Deletes a pod. Does nothing if it's gone. */
  delete(pod: DeepReadonly<Pod>): Promise<void>;
  /**
   * Gives a pod the labels and the volumes of its ordinal, and its claims the owners of the retention policy. The server
   * refuses other volumes: that shows in an event, and the set waits.
   */
  keep(pod: DeepReadonly<Pod>): Promise<void>;
  /** Creates the claims that a pending pod lacks, with the owners of the retention policy. */
  createMissingClaims(pod: DeepReadonly<Pod>): Promise<void>;
  /** Makes the set or a surplus pod the owner of the pod's claims, as the retention policy wants. */
  ownClaims(pod: DeepReadonly<Pod>, isSurplus: boolean): Promise<void>;
}

/** Options for `createOrdinalControl`. */
export interface OrdinalControlOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly set: DeepReadonly<StatefulSet>;
  /** Cache of the claims. */
  readonly claims: { get(key: string): DeepReadonly<PersistentVolumeClaim> | undefined };
  /** Signal and `recordWrite` of the reconcile. */
  readonly call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void };
}

/** Failure of a pod's claim, which keeps the pod from being created. */
class ClaimError extends Error {}

/** Claim that is deleted together with an earlier pod of the same name. */
class StaleClaimError extends Error {}

type Verb = "Create" | "Delete" | "Update";

/** Result of a request: its error, or the word that ends the message of a success. */
interface Outcome {
  readonly error?: unknown;
  readonly success: string;
}

/** Records how a request went, unless it failed because the namespace ends. */
function recordOutcome(
  { events, set }: Pick<OrdinalControlOptions, "events" | "set">,
  verb: Verb,
  what: string,
  { error, success }: Outcome,
): void {
  const text = `${verb} ${what} in StatefulSet ${set.metadata!.name!}`;
  if (error === undefined) events.event(set, { reason: `Successful${verb}`, note: `${text} ${success}` });
  else if (!isNamespaceTerminating(error))
    events.event(set, {
      type: "Warning",
      reason: `Failed${verb}`,
      note: `${text} failed error: ${error instanceof ClaimError ? error.message : serverMessage(error)}`,
    });
}

/** Creates a claim unless it exists. Rejects if it is being deleted. */
async function createClaim(
  options: OrdinalControlOptions,
  claim: PersistentVolumeClaim,
  podName: string,
): Promise<void> {
  const { signal } = options.call;
  const name = claim.metadata!.name!;
  const claims = options.client.resource(PersistentVolumeClaim).namespace(claim.metadata!.namespace!);
  try {
    const { metadata } = await claims.get(name, { signal });
    const goesWithPod = options.set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete";
    const hadPod = metadata?.ownerReferences?.some((owner) => owner.kind === "Pod" && owner.name === podName);
    if (goesWithPod && hadPod === true)
      throw new StaleClaimError(`claim ${name} of an earlier pod ${podName} is still being deleted`);
    if (metadata?.deletionTimestamp !== undefined) throw new ClaimError(`pvc ${name} is being deleted`);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await claims.create(claim, { signal });
  } catch (error) {
    if (isAlreadyExists(error)) return;
    if (isNamespaceTerminating(error)) throw error;
    recordOutcome(options, "Create", `Claim ${name} for Pod ${podName}`, { error, success: "" });
    throw new ClaimError(`failed to create PVC ${name}: ${serverMessage(error)}`, { cause: error });
  }
  recordOutcome(options, "Create", `Claim ${name} Pod ${podName}`, { success: "success" });
}

/** Records which claims of a pod belong to another controller, so that the retention policy doesn't apply to them. */
function noteConflicts(
  { set, events }: OrdinalControlOptions,
  pod: DeepReadonly<Pod>,
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
): void {
  for (const claim of claims) {
    if (!hasOtherController(set, pod, claim)) continue;
    const text = "has a conflicting OwnerReference that acts as a manging controller";
    const note = `PersistentVolumeClaim ${claim.metadata!.name!} ${text}, the retention policy is ignored for this claim`;
    events.event(set, { type: "Warning", reason: "ConflictingController", note });
  }
}

/** Creates the control of one reconcile. */
export function createOrdinalControl(options: OrdinalControlOptions): OrdinalControl {
  const { client, events, set, call } = options;
  const { signal } = call;
  const namespace = set.metadata!.namespace!;
  const pods = client.resource(Pod).namespace(namespace);
  const claims = client.resource(PersistentVolumeClaim).namespace(namespace);

  const note = (verb: Verb, what: string, outcome: Outcome): void =>
    recordOutcome({ events, set }, verb, what, outcome);

  /** Runs a request for a pod and records how it went. Rejects like the request. */
  async function change(verb: Verb, { metadata }: DeepReadonly<Pod>, request: () => Promise<void>): Promise<void> {
    const what = `Pod ${metadata!.name!}`;
    try {
      await request();
    } catch (error) {
      // A pod that has the name, or a claim of an earlier pod, may go at any time.
      const isTaken = verb === "Create" && (isAlreadyExists(error) || error instanceof StaleClaimError);
      if (!isTaken) note(verb, what, { error, success: "" });
      if (isNamespaceTerminating(error)) return;
      throw error;
    }
    note(verb, what, { success: "successful" });
  }

  const createMissingClaims = async (pod: DeepReadonly<Pod>): Promise<void> => {
    for (const claim of ordinalClaims(set, ordinalOf(set, pod)!)) {
      const known = options.claims.get(`${namespace}/${claim.metadata!.name!}`);
      if (known === undefined) await createClaim(options, claim, pod.metadata!.name!);
      else if (known.metadata?.deletionTimestamp !== undefined)
        throw new ClaimError(`pvc ${claim.metadata!.name!} is being deleted`);
    }
    await ownClaims(pod, false);
  };

  const claimsOf = (pod: DeepReadonly<Pod>): DeepReadonly<PersistentVolumeClaim>[] =>
    ordinalClaims(set, ordinalOf(set, pod)!).flatMap(
      ({ metadata }) => options.claims.get(`${namespace}/${metadata!.name!}`) ?? [],
    );

  /** Returns the claims of a pod that have other owners than the retention policy wants. */
  const misownedClaims = (pod: DeepReadonly<Pod>, isSurplus: boolean): DeepReadonly<PersistentVolumeClaim>[] =>
    claimsOf(pod).filter((claim) => {
      const owners = claimOwners(set, pod, claim, isSurplus);
      return !deepEqual(owners, claim.metadata?.ownerReferences ?? []);
    });

  const ownClaims = async (pod: DeepReadonly<Pod>, isSurplus: boolean): Promise<void> => {
    const changed = misownedClaims(pod, isSurplus);
    if (changed.length > 0) noteConflicts(options, pod, claimsOf(pod));
    for (const claim of changed) {
      const { resourceVersion, name } = claim.metadata!;
      const patch = { metadata: { resourceVersion, ownerReferences: claimOwners(set, pod, claim, isSurplus) } };
      await claims.patch(name!, { type: "merge", patch }, { signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  };

  return {
    createMissingClaims,
    ownClaims,
    async create(ordinal, pod) {
      await change("Create", pod, async () => {
        for (const claim of ordinalClaims(set, ordinal)) await createClaim(options, claim, pod.metadata!.name!);
        noteConflicts(options, pod, claimsOf(pod));
        call.recordWrite(await pods.create(pod, { signal }));
      });
    },
    async keep(pod) {
      const isPending = pod.status?.phase === "Pending";
      if (isPending) await createMissingClaims(pod);
      const isOwned = isPending || misownedClaims(pod, false).length === 0;
      const labels = ordinalLabels(set, pod);
      const volumes = ordinalVolumes(set, pod);
      if (labels === undefined && volumes === undefined && isOwned) return;
      const { name, uid } = pod.metadata!;
      const patch = { metadata: { uid, ...(labels && { labels }) }, ...(volumes && { spec: { volumes } }) };
      await change("Update", pod, async () => {
        if (volumes !== undefined) await createMissingClaims(pod);
        else if (!isOwned) await ownClaims(pod, false);
        call.recordWrite(await pods.patch(name!, { type: "merge", patch }, { signal }));
      });
    },
    async delete(pod) {
      const { metadata } = pod;
      await change("Delete", pod, async () => {
        try {
          const deleted = await pods.delete(metadata!.name!, { preconditions: { uid: metadata!.uid! }, signal });
          if (deleted.kind === "Pod") call.recordWrite(deleted);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      });
    },
  };
}
