import type { Client } from "../client/client.js";
import { Event, Pod } from "../kinds/core/v1.js";
import type { Kind } from "../meta/kind.js";
import type { LabelSelector } from "../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import { matchesLabelSelector } from "../objects/label-selectors.js";
import { getControllerOwner } from "../objects/owner-references.js";

/** Events and pods shown at most. */
const mostEvents = 20;
const mostPods = 10;

interface Conditioned {
  readonly spec?: { readonly selector?: DeepReadonly<LabelSelector> };
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, unknown>>[] };
}

/** Describes an object that didn't reach a state: its conditions, its pods, and the last events about all of them. */
export async function explainObject(client: Client, kind: Kind, name: string): Promise<string> {
  const [last = "", namespace] = name.split("/").reverse();
  const { items: events } = await client.resource(Event).list();
  const { items: pods } = await client.resource(Pod).list();
  const handle = client.resource(kind as Kind<KubernetesObject>);
  const { items } = await handle.list({ fieldSelector: `metadata.name=${last}` });
  const object = items.find(({ metadata }) => (metadata?.namespace ?? "") === (namespace ?? ""));
  if (object === undefined) return `${kind.kind} ${name} does not exist`;
  const related = kind.kind === "Pod" ? [] : podsOf(object, pods);
  const about = new Set([
    object.metadata!.uid!,
    ...related.map(({ metadata }) => metadata!.uid!),
    ...ownersOf(related),
  ]);
  const notes = events
    .filter(({ involvedObject }) => about.has(involvedObject.uid ?? ""))
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
    .slice(-mostEvents);
  const shown = kind.kind === "Pod" ? [object as Pod] : related;
  return [
    ...section("conditions", conditionsOf(object)),
    ...section("pods", shown.slice(0, mostPods).flatMap(podLines)),
    ...(shown.length > mostPods ? [`  … and ${shown.length - mostPods} more pods`] : []),
    ...section("events", notes.map(eventLine)),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return [`${title}:`, ...(lines.length === 0 ? ["(none)"] : lines).map((line) => `  ${line}`)];
}

function conditionsOf(object: DeepReadonly<KubernetesObject>): string[] {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return ((object as Conditioned).status?.conditions ?? []).map(({ type, status, reason, message }) =>
    [`${text(type)}=${text(status)}`, text(reason), text(message)].filter((part) => part !== "").join(" "),
  );
}

/** Returns the pods that an object's selector selects, or that it controls itself or through another object. */
function podsOf(object: DeepReadonly<KubernetesObject>, pods: readonly Pod[]): readonly Pod[] {
  const { namespace, uid, name } = object.metadata!;
  const selector = (object as Conditioned).spec?.selector;
  const isSelector = selector?.matchLabels !== undefined || selector?.matchExpressions !== undefined;
  return pods.filter((pod) => {
    if (pod.metadata?.namespace !== namespace) return false;
    if (getControllerOwner(pod)?.uid === uid) return true;
    if (isSelector) return matchesLabelSelector(selector, pod.metadata?.labels);
    return pod.spec?.nodeName === name && namespace === undefined;
  });
}

function ownersOf(pods: readonly Pod[]): string[] {
  return pods.flatMap((pod) => getControllerOwner(pod)?.uid ?? []);
}

function podLines(pod: DeepReadonly<Pod>): string[] {
  const { metadata, spec, status } = pod;
  const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(
    ({ name, state, restartCount, ready }) => {
      const { waiting, terminated } = state ?? {};
      const reason =
        waiting?.reason ??
        (terminated ? `${terminated.reason ?? "Terminated"} (exit code ${terminated.exitCode})` : "Running");
      const message = waiting?.message ?? terminated?.message;
      return `${name}: ${reason}${ready ? ", ready" : ""}, ${restartCount} restarts${message ? `: ${message}` : ""}`;
    },
  );
  const head = `${metadata?.name ?? ""} ${status?.phase ?? ""} on ${spec?.nodeName ?? "no node"}`;
  const unmet = conditionsOf(pod).filter((line) => !/^\S+=True/.test(line));
  return [head, ...[...states, ...unmet].map((line) => `  ${line}`)];
}

function timeOf({ series, lastTimestamp, eventTime, firstTimestamp }: DeepReadonly<Event>): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? "";
}

function eventLine(event: DeepReadonly<Event>): string {
  const { involvedObject, reason = "", message = "", reportingComponent = "", series } = event;
  const times = series?.count === undefined ? "" : ` (${series.count} times)`;
  return `${timeOf(event)} ${reportingComponent}: ${involvedObject.kind ?? ""} ${involvedObject.name ?? ""}: ${reason}: ${message}${times}`;
}
