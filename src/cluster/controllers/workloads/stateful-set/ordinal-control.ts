import type { Client } from "../../../../client/client.js";
import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../../../errors/predicates.js";
import type { StatefulSet } from "../../../../kinds/apps/v1.js";
import { type ObjectReference, PersistentVolumeClaim, Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { ownerReference } from "../../../../objects/owner-references.js";
import { ordinalClaims, ordinalOf } from "./ordinal-pods.js";

/** Creates and deletes the pods and claims of one StatefulSet, and records an event for each. */
export interface OrdinalControl {
  /** Creates a pod after those of its claims that don't exist. */
  create(ordinal: number, pod: Pod): Promise<void>;
  /** Deletes a pod. Does nothing if it's gone. */
  delete(pod: DeepReadonly<Pod>): Promise<void>;
  /** Makes a pod that is about to be removed the owner of its claims, if they are to go with it. */
  releaseClaims(pod: DeepReadonly<Pod>): Promise<void>;
}

/** Options for `createOrdinalControl`. */
export interface OrdinalControlOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly set: DeepReadonly<StatefulSet>;
  /** Signal and `recordWrite` of the reconcile. */
  readonly call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void };
}

/** Subject of an event. */
interface About {
  readonly what: string;
  readonly related: ObjectReference;
}

/** Creates the control of one reconcile. */
export function createOrdinalControl({ client, events, set, call }: OrdinalControlOptions): OrdinalControl {
  const { signal } = call;
  const namespace = set.metadata!.namespace!;
  const pods = client.resource(Pod).namespace(namespace);
  const claims = client.resource(PersistentVolumeClaim).namespace(namespace);

  const related = (kind: string, name: string): ObjectReference => ({ apiVersion: "v1", kind, namespace, name });
  const aboutPod = ({ metadata }: DeepReadonly<Pod>): About => ({
    what: `Pod ${metadata!.name!}`,
    related: related("Pod", metadata!.name!),
  });

  /** Runs a request and records how it went. Events about different objects stay apart. */
  async function record(verb: "create" | "delete", about: About, request: () => Promise<void>): Promise<void> {
    const { what, related } = about;
    const action = verb === "create" ? "Create" : "Delete";
    const note = `${verb} ${what} in StatefulSet ${set.metadata!.name!}`;
    try {
      await request();
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const failure = `${note} failed error: ${(error as Error).message}`;
      events.event(set, { type: "Warning", reason: `Failed${action}`, action, related, note: failure });
      throw error;
    }
    events.event(set, { reason: `Successful${action}`, action, related, note: `${note} successful` });
  }

  async function createClaim(claim: PersistentVolumeClaim, podName: string): Promise<void> {
    const name = claim.metadata!.name!;
    try {
      await claims.get(name, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await record(
        "create",
        { what: `Claim ${name} Pod ${podName}`, related: related("PersistentVolumeClaim", name) },
        async () => {
          await claims.create(claim, { signal }).catch((failure: unknown) => {
            if (!isAlreadyExists(failure)) throw failure;
          });
        },
      );
    }
  }

  return {
    async create(ordinal, pod) {
      for (const claim of ordinalClaims(set, ordinal)) await createClaim(claim, pod.metadata!.name!);
      await record("create", aboutPod(pod), async () => {
        call.recordWrite(await pods.create(pod, { signal }));
      });
    },
    async delete(pod) {
      const { metadata } = pod;
      await record("delete", aboutPod(pod), async () => {
        try {
          const deleted = await pods.delete(metadata!.name!, { preconditions: { uid: metadata!.uid! }, signal });
          if (deleted.kind === "Pod") call.recordWrite(deleted);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      });
    },
    async releaseClaims(pod) {
      if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return;
      const owner = ownerReference({ apiVersion: "v1", kind: "Pod", metadata: pod.metadata! });
      for (const { metadata } of ordinalClaims(set, ordinalOf(set, pod)!)) {
        const patch = { metadata: { ownerReferences: [owner] } };
        await claims.patch(metadata!.name!, { type: "strategic", patch }, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    },
  };
}
