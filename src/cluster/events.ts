import type { Client } from "../client/client.js";
import { ReplicaSet } from "../kinds/apps/v1.js";
import { Job } from "../kinds/batch/v1.js";
import { Event, Pod } from "../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
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
 * Returns the events about the objects of a name, and about the ReplicaSets, Jobs and pods that belong to them, in the
 * order of their last occurrence. Without a name, it returns all events. `name` is `namespace/name`, or the name of a cluster-scoped object.
 */
export async function listEvents(client: Client, name?: string): Promise<ClusterEvent[]> {
  const { items } = await client.resource(Event).list();
  const members = name === undefined ? undefined : await membersOf(client, name);
  return items
    .filter(({ involvedObject: { namespace, name: about, uid = "" } }) => {
      return members === undefined || keyOf(namespace, about) === name || members.has(uid);
    })
    .sort(compareEvents)
    .map(toClusterEvent);
}

/** Orders events by the time of their last occurrence, and those of one moment as they were written. */
export function compareEvents(a: DeepReadonly<Event>, b: DeepReadonly<Event>): number {
  return timeOf(a) - timeOf(b) || versionOf(a) - versionOf(b);
}

function timeOf(event: DeepReadonly<Event>): number {
  return parseTime(lastTimeOf(event))?.getTime() ?? 0;
}

function versionOf({ metadata }: DeepReadonly<Event>): number {
  return Number(metadata.resourceVersion ?? 0);
}

/** Returns the time of the last occurrence of an event; an empty text if it has none. */
export function lastTimeOf(event: DeepReadonly<Event>): string {
  const { series, lastTimestamp, eventTime, firstTimestamp, metadata } = event;
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? "";
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

function toClusterEvent(event: Event): ClusterEvent {
  const { involvedObject, series } = event;
  return {
    timeMs: timeOf(event),
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    object: `${involvedObject.kind ?? ""}/${involvedObject.name ?? ""}`,
    message: event.message ?? "",
    count: series?.count ?? event.count ?? 1,
  };
}
