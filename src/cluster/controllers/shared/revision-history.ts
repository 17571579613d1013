import type { Client } from "../../../client/client.js";
import { isAlreadyExists, isNotFound } from "../../../errors/predicates.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { ControllerRevision } from "../../../kinds/apps/v1.js";
import type { PodTemplateSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import { ownerReference } from "../../../objects/owner-references.js";

/** Options for `findRevision`. */
export interface RevisionOptions {
  readonly client: Client;
  /** Workload, with apiVersion and kind. */
  readonly owner: DeepReadonly<KubernetesObject>;
  /** Its current template. */
  readonly template: DeepReadonly<PodTemplateSpec> | undefined;
  /** The workload's revisions. */
  readonly history: readonly DeepReadonly<ControllerRevision>[];
  /** Label of a revision with the hash of its template. */
  readonly hashLabel: string;
  /** Returns the hash that names a revision. Both arguments are those of the revision. */
  hashOf(data: object, collisionCount: number): string;
  /** True to make the revision of the current template the newest even if an old one only has the same number. */
  readonly raisesTies?: boolean;
  /** Number of hashes that were taken by other revisions. */
  readonly collisionCount: number;
  /** Signal and `recordWrite` of the reconcile. */
  readonly call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void };
}

/** The revision of a workload's current template. */
export interface CurrentRevision {
  readonly revision: DeepReadonly<ControllerRevision>;
  readonly collisionCount: number;
}

/** Number of characters of its owner's name that a revision's name has at most. */
const longestOwner = 223;

/** Returns revisions in ascending order. */
export function inOrder(history: readonly DeepReadonly<ControllerRevision>[]): DeepReadonly<ControllerRevision>[] {
  const ages = (a: DeepReadonly<ControllerRevision>, b: DeepReadonly<ControllerRevision>): number =>
    (parseTime(a.metadata?.creationTimestamp)?.getTime() ?? 0) -
    (parseTime(b.metadata?.creationTimestamp)?.getTime() ?? 0);
  return [...history].sort(
    (a, b) => a.revision - b.revision || ages(a, b) || (a.metadata!.name! < b.metadata!.name! ? -1 : 1),
  );
}

/** Returns the revision of the current template. Creates it, or makes an old one with the same template the newest. */
export async function findRevision(options: RevisionOptions): Promise<CurrentRevision> {
  const { client, owner, template, history, hashLabel, hashOf, raisesTies = false, call } = options;
  const revisions = client.resource(ControllerRevision).namespace(owner.metadata!.namespace!);
  const ordered = inOrder(history);
  const newest = ordered.at(-1)?.revision ?? 0;
  const data = dataOf(template);
  const known = revisionsOf(template, ordered).at(-1);
  let { collisionCount } = options;
  if (known !== undefined) {
    const isNewest = raisesTies
      ? ordered.every((each) => each.revision < known.revision || deepEqual(each.data, data))
      : known === ordered.at(-1);
    if (isNewest) return { revision: known, collisionCount };
    const raised = await revisions.update({ ...known, revision: newest + 1 }, { signal: call.signal });
    call.recordWrite(raised);
    return { revision: raised, collisionCount };
  }
  for (; ; collisionCount++) {
    const hash = hashOf(data, collisionCount);
    const name = `${owner.metadata!.name!.slice(0, longestOwner)}-${hash}`;
    const metadata = {
      name,
      labels: { ...template?.metadata?.labels, [hashLabel]: hash },
      ...(owner.metadata?.annotations && { annotations: { ...owner.metadata.annotations } }),
      ownerReferences: [ownerReference(owner, { controller: true })],
    };
    try {
      const created = await revisions.create({ metadata, data, revision: newest + 1 }, { signal: call.signal });
      call.recordWrite(created);
      return { revision: created, collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await revisions.get(name, { signal: call.signal });
      if (deepEqual(taken.data, data)) return { revision: taken, collisionCount };
    }
  }
}

/** Returns the revisions of a template in ascending order. */
export function revisionsOf(
  template: RevisionOptions["template"],
  history: readonly DeepReadonly<ControllerRevision>[],
): DeepReadonly<ControllerRevision>[] {
  const data = dataOf(template);
  return inOrder(history).filter((revision) => deepEqual(revision.data, data));
}

/** Returns the data of a template's revision. Upstream's controllers and tests compare the bytes, which have sorted members. */
function dataOf(template: RevisionOptions["template"]): Record<string, unknown> {
  return sorted({ spec: { template: { ...template, $patch: "replace" } } });
}

/** Returns a copy of a JSON value with sorted members. */
function sorted<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted) as T;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member as unknown)])) as T;
}

/** Returns the template that a revision remembers. */
export function templateOf({ data }: DeepReadonly<ControllerRevision>): DeepReadonly<PodTemplateSpec> {
  const { $patch: _, ...template } = (data as { spec: { template: PodTemplateSpec & { $patch?: string } } }).spec
    .template;
  return template;
}

/** Deletes the oldest revisions beyond the limit that nothing uses. */
export async function trimRevisions(
  client: Client,
  history: readonly DeepReadonly<ControllerRevision>[],
  { limit, isUsed, signal }: { limit: number; isUsed: (name: string) => boolean; signal: AbortSignal },
): Promise<void> {
  const unused = inOrder(history).filter(({ metadata }) => !isUsed(metadata!.name!));
  for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit))) {
    const revisions = client.resource(ControllerRevision).namespace(metadata!.namespace!);
    await revisions.delete(metadata!.name!, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
