import type { Client } from "../../../../client/client.js";
import { isInvalid, isNotFound } from "../../../../errors/predicates.js";
import { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import type { JsonPatchOperation } from "../../../../patch/patch-types.js";
import { trackingFinalizer } from "./job-pods.js";

/** Takes the finalizer off a pod that the Job has counted. */
export async function release(client: Client, { metadata }: DeepReadonly<Pod>): Promise<void> {
  const position = metadata?.finalizers?.indexOf(trackingFinalizer) ?? -1;
  if (position === -1) return;
  const path = `/metadata/finalizers/${position}`;
  const operations: JsonPatchOperation[] = [
    { op: "test", path: "/metadata/uid", value: metadata!.uid! },
    { op: "test", path, value: trackingFinalizer },
    { op: "remove", path },
  ];
  const handle = client.resource(Pod).namespace(metadata!.namespace!);
  await handle.patch(metadata!.name!, { type: "json", operations }).catch((error: unknown) => {
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  });
}
