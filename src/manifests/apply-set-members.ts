import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { DynamicResource, Resource } from "../client/resource/resource.js";
import type { Discovery } from "../discovery/discovery.js";
import type { ManifestOutcome } from "../errors/manifests-error.js";
import { isConflict, isNotFound } from "../errors/predicates.js";
import { getApiVersion } from "../meta/kind.js";
import type { DeleteOptions, RequestOptions } from "../meta/options.js";
import { type Members, setLabels } from "./apply-set-parent.js";
import { onlySignal } from "./each-manifest.js";

/** Members of a set to look for, without those to keep. */
export interface MemberQuery extends Members {
  /** ID of the set. */
  readonly id: string;
  /** UIDs of the members that stay. */
  readonly keep: ReadonlySet<string>;
}

/** A member that is no longer in the manifests. */
export interface FormerMember {
  readonly ref: Pick<ManifestOutcome, "apiVersion" | "kind" | "name" | "namespace">;
  readonly handle: Resource<DynamicObject>;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A kind whose members can't be found because its discovery failed. */
export interface UnknownMembers {
  readonly ref: Pick<ManifestOutcome, "apiVersion" | "kind" | "name">;
  readonly error: unknown;
}

/** Finds the members that aren't applied this time: by label, without those whose UID is to be kept. */
export async function* formerMembers(
  client: Client,
  discovery: Discovery,
  { kinds, namespaces, id, keep }: MemberQuery,
  request: RequestOptions,
): AsyncGenerator<FormerMember | UnknownMembers> {
  const selector = `${setLabels.partOf}=${id}`;
  for (const groupAndKind of kinds) {
    const dot = groupAndKind.indexOf(".");
    const [kind, group] = dot < 0 ? [groupAndKind, ""] : [groupAndKind.slice(0, dot), groupAndKind.slice(dot + 1)];
    const resource = await discovery.find({ group, kind }, request);
    if (resource === undefined) {
      const failure = (await discovery.catalog(request)).failures.find((each) => each.group === group);
      // A kind that is no longer served has no objects. If its discovery failed, it may still have some.
      if (failure) yield { ref: { apiVersion: `${group}/${failure.version}`, kind, name: "" }, error: failure.error };
      continue;
    }
    const all: DynamicResource = client.resource(resource);
    const places =
      resource.scope === "Cluster"
        ? [{ handle: all as Resource<DynamicObject>, namespace: undefined }]
        : [...namespaces].map((namespace) => ({ handle: all.namespace(namespace), namespace }));
    for (const { handle, namespace } of places)
      for await (const member of handle.metadataOnly().items({ labelSelector: selector, ...request })) {
        const { name = "", uid, resourceVersion = "" } = member.metadata;
        if (uid === undefined || keep.has(uid)) continue;
        const apiVersion = getApiVersion(resource);
        const ref = { apiVersion, kind: resource.kind, name, ...(namespace !== undefined && { namespace }) };
        yield { ref, handle, uid, resourceVersion };
      }
  }
}

/** Deletes the members that weren't applied this time. */
export async function pruneMembers(
  client: Client,
  discovery: Discovery,
  query: MemberQuery,
  options: DeleteOptions,
): Promise<ManifestOutcome[]> {
  const outcomes: ManifestOutcome[] = [];
  for await (const member of formerMembers(client, discovery, query, onlySignal(options))) {
    const { ref } = member;
    if ("error" in member) {
      outcomes.push({ ...ref, outcome: "failed", error: member.error });
      continue;
    }
    try {
      await member.handle.delete(ref.name, { ...options, preconditions: { uid: member.uid } });
      outcomes.push({ ...ref, outcome: "pruned" });
    } catch (error) {
      // Already gone, or replaced by another object of the same name.
      if (isNotFound(error) || isConflict(error)) outcomes.push({ ...ref, outcome: "absent" });
      else outcomes.push({ ...ref, outcome: "failed", error });
    }
  }
  return outcomes;
}
