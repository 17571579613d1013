import type { Client } from "../client/client.js";
import { ReplicaSet } from "../kinds/apps/v1.js";
import { Job } from "../kinds/batch/v1.js";
import { Event, Pod } from "../kinds/core/v1.js";
import type { Kind } from "../meta/kind.js";
import type { LabelSelector } from "../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import { matchesLabelSelector } from "../objects/label-selectors.js";
import { getControllerOwner } from "../objects/owner-references.js";
import { compareEvents, lastTimeOf } from "./events.js";
import { explainClaims } from "./explain-claims.js";
import { conditionsOf, explainPod, type NodeDiagnostics } from "./explain-pod.js";

/** Events, pods and names shown at most. */
const mostEvents = 20;
const mostPods = 10;
const mostNames = 5;

interface Conditioned {
  readonly spec?: { readonly selector?: DeepReadonly<LabelSelector> | Readonly<Record<string, string>> };
}

/**
 * Describes an object that didn't reach a state: its conditions, its pods with the ends of their logs, and the last
 * events about all of them.
 */
export async function explainObject(
  client: Client,
  kind: Kind,
  name: string,
  diagnostics: NodeDiagnostics,
): Promise<string> {
  const [last = "", namespace] = name.split("/").reverse();
  const { items: events } = await client.resource(Event).list();
  const { items: pods } = await client.resource(Pod).list();
  const { items } = await client.resource(kind as Kind<KubernetesObject>).list();
  const object = items.find(({ metadata }) => metadata?.name === last && metadata.namespace === namespace);
  if (object === undefined) return `${kind.kind} ${name} does not exist${existing(items, namespace)}`;
  const related = kind.kind === "Pod" ? [object as Pod] : podsOf(object, pods);
  const about = new Set([
    object.metadata!.uid!,
    ...related.map(({ metadata }) => metadata!.uid!),
    ...ownersOf(related),
    ...(await ownedBy(client, object)),
  ]);
  const claims = new Set(related.flatMap(claimsOf));
  const notes = events
    .filter(({ involvedObject: { uid = "", kind: regarding, namespace: within, name: claim } }) => {
      return about.has(uid) || (regarding === "PersistentVolumeClaim" && claims.has(`${within}/${claim}`));
    })
    .sort(compareEvents);
  const shown = related.slice(0, mostPods).flatMap((pod) => explainPod(pod, diagnostics));
  const devices = await explainClaims(client, related.slice(0, mostPods));
  const unmatched = related.length === 0 ? selectorText(object) : undefined;
  return [
    ...section("conditions", conditionsOf(object)),
    ...section("pods", unmatched === undefined ? shown : [`(none matches the selector ${unmatched})`]),
    ...(related.length > mostPods ? [`  … and ${related.length - mostPods} more pods`] : []),
    ...(devices.length > 0 ? section("resource claims", devices) : []),
    ...section("events", eventLines(notes).slice(-mostEvents)),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return [`${title}:`, ...(lines.length === 0 ? ["(none)"] : lines).map((line) => `  ${line}`)];
}

/** Lists objects of the same kind, in case that the name or the namespace is misspelled. */
function existing(objects: readonly KubernetesObject[], namespace: string | undefined): string {
  if (objects.length === 0) return "";
  const siblings = objects.filter(({ metadata }) => metadata?.namespace === namespace);
  const names =
    siblings.length > 0
      ? siblings.map(({ metadata }) => metadata?.name ?? "")
      : objects.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
  const more = names.length > mostNames ? `, … (${names.length} in all)` : "";
  const place = siblings.length > 0 && namespace !== undefined ? `${namespace} has` : "there are";
  return `; ${place}: ${names.slice(0, mostNames).join(", ")}${more}`;
}

function selectorOf(object: DeepReadonly<KubernetesObject>): DeepReadonly<LabelSelector> | undefined {
  const { selector } = (object as Conditioned).spec ?? {};
  if (selector === undefined) return undefined;
  const given = selector as DeepReadonly<LabelSelector>;
  if (typeof given.matchLabels === "object" || Array.isArray(given.matchExpressions)) return given;
  // Services and ReplicationControllers have a map of labels.
  const labels = Object.entries(selector).filter(([, value]) => typeof value === "string");
  return labels.length === 0 ? undefined : { matchLabels: Object.fromEntries(labels) };
}

function selectorText(object: DeepReadonly<KubernetesObject>): string | undefined {
  const { matchLabels, matchExpressions } = selectorOf(object) ?? {};
  const parts = [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(matchExpressions ?? []).map(({ key, operator, values }) =>
      `${key} ${operator} ${values?.join("|") ?? ""}`.trim(),
    ),
  ];
  return parts.length === 0 ? undefined : parts.join(",");
}

/** Returns the pods that an object's selector selects, or that it controls itself or through another object. */
function podsOf(object: DeepReadonly<KubernetesObject>, pods: readonly Pod[]): readonly Pod[] {
  const { namespace, uid, name } = object.metadata!;
  const selector = selectorOf(object);
  return pods.filter((pod) => {
    if (namespace === undefined) return pod.spec?.nodeName === name;
    if (pod.metadata?.namespace !== namespace) return false;
    if (getControllerOwner(pod)?.uid === uid || claimsOf(pod).includes(`${namespace}/${name}`)) return true;
    return selector !== undefined && matchesLabelSelector(selector, pod.metadata?.labels);
  });
}

/** Returns `namespace/name` of the claims that a pod mounts. */
function claimsOf({ metadata, spec }: DeepReadonly<Pod>): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [`${metadata?.namespace}/${claim.claimName}`],
  );
}

function ownersOf(pods: readonly Pod[]): string[] {
  return pods.flatMap((pod) => getControllerOwner(pod)?.uid ?? []);
}

/** Returns the UIDs of the ReplicaSets and Jobs that an object controls, which may have no pods yet. */
async function ownedBy(client: Client, { metadata }: DeepReadonly<KubernetesObject>): Promise<string[]> {
  const { namespace, uid } = metadata!;
  if (namespace === undefined) return [];
  const { items: replicaSets } = await client.resource(ReplicaSet).namespace(namespace).list();
  const { items: jobs } = await client.resource(Job).namespace(namespace).list();
  return [...replicaSets, ...jobs].flatMap((owned) =>
    getControllerOwner(owned)?.uid === uid ? [owned.metadata!.uid!] : [],
  );
}

/** Returns a line for each event; those that differ only by a generated name are one. */
function eventLines(events: readonly Event[]): string[] {
  const groups = new Map<string, Event[]>();
  for (const event of events) {
    const { involvedObject, reason = "", message = "" } = event;
    const pattern = message.replace("(combined from similar events): ", "").replaceAll(/"[^"]*"/g, '""');
    const key = [involvedObject.uid, reason, pattern].join(" ");
    const group = groups.get(key) ?? [];
    // The group moves to the place of its last event.
    groups.delete(key);
    groups.set(key, [...group, event]);
  }
  return [...groups.values()].map((group) => {
    const line = eventLine(group.at(-1)!);
    return group.length === 1 ? line : `${line} (and ${group.length - 1} similar)`;
  });
}

function eventLine(event: DeepReadonly<Event>): string {
  const { involvedObject, reason = "", message = "", reportingComponent = "", series } = event;
  const times = series?.count === undefined ? "" : ` (${series.count} times)`;
  return `${lastTimeOf(event)} ${reportingComponent}: ${involvedObject.kind ?? ""} ${involvedObject.name ?? ""}: ${reason}: ${message}${times}`;
}
