import type { Informer } from "../../../../cache/informer/informer.js";
import type { Client } from "../../../../client/client.js";
import { ControllerRevision } from "../../../../kinds/apps/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { type ClaimPodsOptions, claimRevisions } from "../../shared/claim-pods.js";
import { hashLabel } from "./node-pods.js";

/** Returns the revisions of a DaemonSet. One that lacks the label with its hash gets its name in place of that. */
export async function claimHistory(
  client: Client,
  revisions: Informer<ControllerRevision>,
  options: Omit<ClaimPodsOptions, "accepts" | "finalizer">,
): Promise<DeepReadonly<ControllerRevision>[]> {
  const { owner, signal } = options;
  const handle = client.resource(ControllerRevision).namespace(owner.metadata!.namespace!);
  const history = await claimRevisions(client, revisions, options);
  return await Promise.all(
    history.map(async (revision) => {
      const { name, labels } = revision.metadata!;
      if (labels?.[hashLabel] !== undefined) return revision;
      const patch = { metadata: { labels: { [hashLabel]: name! } } };
      return await handle.patch(name!, { type: "merge", patch }, { signal });
    }),
  );
}
