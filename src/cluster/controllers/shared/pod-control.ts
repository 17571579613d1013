import type { Client } from "../../../client/client.js";
import type { EventRecorder } from "../../../controller/events/event-recorder.js";
import { isNamespaceTerminating, isNotFound } from "../../../errors/predicates.js";
import { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import { serverMessage } from "./server-message.js";

/** Creates and deletes the pods of an owner, and records an event for each. */
export interface PodControl {
  /** Creates a pod. Does nothing in a namespace that is being deleted. Rejects if the server refuses the pod. */
  create(pod: Pod): Promise<Pod | undefined>;
  /** Deletes a pod. Does nothing if it's gone. */
  delete(pod: DeepReadonly<Pod>): Promise<void>;
}

/** Options for `createPodControl`. */
export interface PodControlOptions {
  /** Client for the requests. */
  readonly client: Client;
  /** Recorder of the controller. */
  readonly events: EventRecorder;
  /** Object that owns the pods and that the events are about. */
  readonly owner: DeepReadonly<KubernetesObject>;
  /** Signal and `recordWrite` of the reconcile. */
  readonly call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void };
}

/** Creates the pod control of one reconcile. */
export function createPodControl({ client, events, owner, call }: PodControlOptions): PodControl {
  const { signal } = call;
  const pods = client.resource(Pod).namespace(owner.metadata!.namespace!);
  return {
    async create(pod) {
      try {
        const created = await pods.create(pod, { signal });
        call.recordWrite(created);
        const note = `Created pod: ${created.metadata?.name}`;
        events.event(owner, { reason: "SuccessfulCreate", note });
        return created;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        const note = `Error creating: ${serverMessage(error)}`;
        events.event(owner, { type: "Warning", reason: "FailedCreate", note });
        throw error;
      }
    },
    async delete(pod) {
      const { metadata } = pod;
      try {
        const preconditions = { uid: metadata!.uid! };
        const deleted = await pods.delete(metadata!.name!, { preconditions, signal });
        if (deleted.kind === "Pod") call.recordWrite(deleted);
        const note = `Deleted pod: ${metadata?.name}`;
        events.event(owner, { reason: "SuccessfulDelete", note });
      } catch (error) {
        if (isNotFound(error)) return;
        const note = `Error deleting: ${serverMessage(error)}`;
        events.event(owner, { type: "Warning", reason: "FailedDelete", note });
        throw error;
      }
    },
  };
}
