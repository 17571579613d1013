import type { Client } from "../../../client/client.js";
import type { Resource } from "../../../client/resource/resource.js";
import type { DeepReadonly, ObjectMeta, OwnerReference } from "../../../meta/object.js";
import type { Located } from "./owner-graph.js";

/** Writes of the garbage collector. They reject with a conflict if the object has changed since. */
export interface MetadataWriter {
  dropFinalizer(located: Located, finalizer: string, signal: AbortSignal): Promise<void>;
  keepOwners(
    located: Located,
    keep: (owner: DeepReadonly<OwnerReference>) => boolean,
    signal: AbortSignal,
  ): Promise<void>;
  /** Lets the owners of an object go before it. */
  unblockOwners(located: Located, signal: AbortSignal): Promise<void>;
  delete(
    located: Located,
    propagationPolicy: "Background" | "Foreground" | undefined,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Creates the writer. */
export function createMetadataWriter(client: Client): MetadataWriter {
  const handleOf = ({ kind, metadata: { namespace } }: Located): Pick<Resource<object>, "patch" | "delete"> => {
    const all = client.resource(kind);
    return kind.scope === "Namespaced" ? all.namespace(namespace!) : all;
  };
  const change = async (located: Located, changed: Partial<ObjectMeta>, signal: AbortSignal): Promise<void> => {
    const { name = "", uid, resourceVersion } = located.metadata;
    const patch = { metadata: { uid, resourceVersion, ...changed } };
    await handleOf(located).patch(name, { type: "merge", patch }, { signal });
  };
  return {
    dropFinalizer(located, finalizer, signal) {
      const finalizers = located.metadata.finalizers!.filter((each) => each !== finalizer);
      return change(located, { finalizers }, signal);
    },
    keepOwners(located, keep, signal) {
      const ownerReferences = located.metadata.ownerReferences!.filter(keep).map((owner) => ({ ...owner }));
      return change(located, { ownerReferences }, signal);
    },
    unblockOwners(located, signal) {
      const ownerReferences = located.metadata.ownerReferences!.map((owner) => ({
        ...owner,
        blockOwnerDeletion: false,
      }));
      return change(located, { ownerReferences }, signal);
    },
    async delete(located, propagationPolicy, signal) {
      const { name = "", uid = "" } = located.metadata;
      await handleOf(located).delete(name, { preconditions: { uid }, propagationPolicy, signal });
    },
  };
}
