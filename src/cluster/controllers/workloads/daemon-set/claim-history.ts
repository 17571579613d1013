import type { Informer } from "../../../../cache/informer/informer.js";
import type { Client } from "../../../../client/client.js";
import { ControllerRevision, type DaemonSet } from "../../../../kinds/apps/v1.js";
import { Pod } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { type ClaimPodsOptions, claimRevisions } from "../../shared/claim-pods.js";
import { revisionsOf, trimRevisions } from "../../shared/revision-history.js";
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

/** A DaemonSet with its revisions and pods. */
export interface DaemonHistory {
  readonly set: DeepReadonly<DaemonSet>;
  readonly history: readonly DeepReadonly<ControllerRevision>[];
  readonly pods: readonly DeepReadonly<Pod>[];
  /** Signal and `recordWrite` of the reconcile. */
  readonly call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void };
}

/**
 * Deletes all revisions of the current template but the newest, whose hash all pods get. Returns false if there is at most
 * one.
 */
export async function mergeDuplicates(client: Client, { set, history, pods, call }: DaemonHistory): Promise<boolean> {
  const same = revisionsOf(set.spec?.template, history);
  const kept = same.pop();
  if (kept === undefined || same.length === 0) return false;
  const { signal } = call;
  const namespace = set.metadata!.namespace!;
  const hash = kept.metadata!.labels![hashLabel]!;
  const patch = { metadata: { labels: { [hashLabel]: hash } } };
  for (const { metadata } of pods.filter((pod) => pod.metadata?.labels?.[hashLabel] !== hash))
    call.recordWrite(
      await client.resource(Pod).namespace(namespace).patch(metadata!.name!, { type: "merge", patch }, { signal }),
    );
  for (const { metadata } of same)
    await client.resource(ControllerRevision).namespace(namespace).delete(metadata!.name!, { signal });
  return true;
}

/** Deletes the oldest revisions beyond the limit that pods don't have. Unlike with a StatefulSet, those of pods count. */
export async function trimHistory(
  client: Client,
  { set, history, pods, call }: DaemonHistory,
  current: DeepReadonly<ControllerRevision>,
): Promise<void> {
  const hashes = new Set(pods.map(({ metadata }) => metadata?.labels?.[hashLabel]));
  const old = history.filter(({ metadata }) => metadata!.name !== current.metadata!.name);
  const used = old.filter(({ metadata }) => hashes.has(metadata?.labels?.[hashLabel]));
  const names = new Set(used.map(({ metadata }) => metadata!.name!));
  const limit = (set.spec?.revisionHistoryLimit ?? 10) - used.length;
  await trimRevisions(client, old, { limit, isUsed: (name) => names.has(name), signal: call.signal });
}
