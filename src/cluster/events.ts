import type { Client } from "../client/client.js";
import { ReplicaSet } from "../kinds/apps/v1.js";
import { Job } from "../kinds/batch/v1.js";
import { Event, Pod } from "../kinds/core/v1.js";
import type { KubernetesObject } from "../meta/object.js";
import { parseTime } from "../meta/time.js";

/** An event, as a line of a log. */
export interface ClusterEvent {
  /** Time of the last occurrence in milliseconds since the epoch. */
  readonly timeMs: number;
  /** `Normal` or `Warning`. */
  readonly type: string;
  /** Machine-readable reason, such as `FailedScheduling`. */
  readonly reason: string;
  /** Kind and name of the object, such as `Pod/web-0`. */
  readonly object: string;
  /** Description for people. */
  readonly message: string;
  /** Number of occurrences. */
  readonly count: number;
}

/**
 * Returns the events about the objects of a name, and about the ReplicaSets, Jobs and pods that belong to them, in order
 * of time. Without a name, it returns all events. `name` is `namespace/name`, or the name of a cluster-scoped object.
 */
export async function listEvents(client: Client, name?: string): Promise<ClusterEvent[]> {
  const { items } = await client.resource(Event).list();
  const members = name === undefined ? undefined : await membersOf(client, name);
  return items
    .filter(({ involvedObject: { namespace, name: about, uid = "" } }) => {
      return members === undefined || keyOf(namespace, about) === name || members.has(uid);
    })
    .map(toClusterEvent)
    .sort((a, b) => a.timeMs - b.timeMs);
}

/** Returns the UIDs of the objects that belong to the objects of a name, directly or not. */
async function membersOf(client: Client, name: string): Promise<Set<string>> {
  const [last, namespace] = name.split("/").reverse();
  const members = new Set<string>();
  if (namespace === undefined) return members;
  // Owners come before what they own.
  const lists: readonly KubernetesObject[][] = [
    (await client.resource(ReplicaSet).namespace(namespace).list()).items,
    (await client.resource(Job).namespace(namespace).list()).items,
    (await client.resource(Pod).namespace(namespace).list()).items,
  ];
  for (const { metadata } of lists.flat())
    if (metadata?.ownerReferences?.some((owner) => owner.name === last || members.has(owner.uid)))
      members.add(metadata.uid!);
  return members;
}

function keyOf(namespace: string | undefined, name = ""): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

function toClusterEvent({ involvedObject, series, ...event }: Event): ClusterEvent {
  const time = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return {
    timeMs: parseTime(time)?.getTime() ?? 0,
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    object: `${involvedObject.kind ?? ""}/${involvedObject.name ?? ""}`,
    message: event.message ?? "",
    count: series?.count ?? event.count ?? 1,
  };
}
