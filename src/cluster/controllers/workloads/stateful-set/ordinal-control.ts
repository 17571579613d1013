import type { Client } from "../../../../client/client.js";
import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import { KubestreamError } from "../../../../errors/kubestream-error.js";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../../../errors/predicates.js";
import { deepEqual } from "../../../../internal/deep-equal.js";
import type { StatefulSet } from "../../../../kinds/apps/v1.js";
import { PersistentVolumeClaim, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { serverMessage } from "../../shared/server-message.js";
import { claimOwners, ordinalClaims, ordinalOf } from "./ordinal-pods.js";

/** Creates and deletes the pods and claims of one StatefulSet, and records an event for each. */
export interface OrdinalControl {
  /** Creates a pod after those of its claims that don't exist. */
  create(ordinal: number, pod: Pod): Promise<void>;
  /** Deletes a pod. Does nothing if it's gone. */
  delete(pod: DeepReadonly<Pod>): Promise<void>;
  /** Makes the set or the pod the owner of the pod's claims, as the retention policy wants. */
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

/** Subject of an event, and the word that ends its message. */
interface About {
  readonly what: string;
  readonly success: "successful" | "success";
}

/** Creates the control of one reconcile. */
export function createOrdinalControl(options: OrdinalControlOptions): OrdinalControl {
  const { client, events, set, call } = options;
  const { signal } = call;
  const namespace = set.metadata!.namespace!;
  const pods = client.resource(Pod).namespace(namespace);
  const claims = client.resource(PersistentVolumeClaim).namespace(namespace);

  const aboutPod = ({ metadata }: DeepReadonly<Pod>): About => ({
    what: `Pod ${metadata!.name!}`,
    success: "successful",
  });

  /** Runs a request and records how it went. */
  async function record(verb: "Create" | "Delete", about: About, request: () => Promise<void>): Promise<void> {
    const note = `${verb} ${about.what} in StatefulSet ${set.metadata!.name!}`;
    try {
      await request();
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const failure = `${note} failed error: ${serverMessage(error)}`;
      events.event(set, { type: "Warning", reason: `Failed${verb}`, note: failure });
      throw error;
    }
    events.event(set, { reason: `Successful${verb}`, note: `${note} ${about.success}` });
  }

  async function createClaim(claim: PersistentVolumeClaim, podName: string): Promise<void> {
    const name = claim.metadata!.name!;
    try {
      const { metadata } = await claims.get(name, { signal });
      const isStale = metadata?.ownerReferences?.some((owner) => owner.kind === "Pod" && owner.name === podName);
      if (isStale === true || metadata?.deletionTimestamp !== undefined)
        throw new KubestreamError(`claim ${name} of an earlier pod ${podName} is still being deleted`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await record("Create", { what: `Claim ${name} Pod ${podName}`, success: "success" }, async () => {
        await claims.create(claim, { signal }).catch((failure: unknown) => {
          if (!isAlreadyExists(failure)) throw failure;
        });
      });
    }
  }

  return {
    async create(ordinal, pod) {
      for (const claim of ordinalClaims(set, ordinal)) await createClaim(claim, pod.metadata!.name!);
      await record("Create", aboutPod(pod), async () => {
        call.recordWrite(await pods.create(pod, { signal }));
      });
    },
    async delete(pod) {
      const { metadata } = pod;
      await record("Delete", aboutPod(pod), async () => {
        try {
          const deleted = await pods.delete(metadata!.name!, { preconditions: { uid: metadata!.uid! }, signal });
          if (deleted.kind === "Pod") call.recordWrite(deleted);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      });
    },
    async ownClaims(pod, isSurplus) {
      for (const { metadata } of ordinalClaims(set, ordinalOf(set, pod)!)) {
        const claim = options.claims.get(`${namespace}/${metadata!.name!}`);
        const owners = claim && claimOwners(set, pod, claim, isSurplus);
        if (owners === undefined || deepEqual(owners, claim?.metadata?.ownerReferences ?? [])) continue;
        const { resourceVersion, name } = claim!.metadata!;
        const patch = { metadata: { resourceVersion, ownerReferences: owners } };
        await claims.patch(name!, { type: "merge", patch }, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    },
  };
}
