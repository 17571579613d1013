import { utf8Encode } from "../../internal/bytes.js";
import type { ObjectReference } from "../../kinds/core/v1.js";
import type { Event } from "../../kinds/events/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import { formatMicroTime } from "../../meta/time.js";
import type { EventDetails } from "./event-recorder.js";

const longestWord = 128;
const longestNote = 1024;
const longestName = 253;
const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The component that reports events. */
export interface Reporter {
  /** Name of the controller. */
  readonly controller: string;
  /** Name of the controller's process. */
  readonly instance: string;
}

/** Returns a reference to an object. Throws a `TypeError` if the object lacks apiVersion, kind or name. */
export function toObjectReference(object: DeepReadonly<KubernetesObject> | ObjectReference): ObjectReference {
  const { apiVersion, kind } = object;
  const { name, namespace, uid, resourceVersion } =
    "metadata" in object ? (object.metadata ?? {}) : (object as ObjectReference);
  if (!apiVersion || !kind || !name) throw new TypeError("event: the object needs apiVersion, kind and metadata.name");
  return {
    apiVersion,
    kind,
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
    ...("fieldPath" in object && object.fieldPath ? { fieldPath: object.fieldPath } : {}),
  };
}

/** Creates the Event for `now` (milliseconds since the epoch). `serial` keeps names within a millisecond unique. */
export function createEvent(
  regarding: ObjectReference,
  details: EventDetails,
  reporter: Reporter,
  stamp: { readonly now: number; readonly serial: number },
): Event & { metadata: { name: string; namespace: string } } {
  const { now, serial } = stamp;
  const { type = "Normal", reason, action = reason, note = "", related } = details;
  if (type !== "Normal" && type !== "Warning")
    throw new TypeError(`event: type must be "Normal" or "Warning", not "${String(type)}"`);
  if (reason === "") throw new TypeError("event: reason is required");
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: eventName(regarding.name!, now, serial), namespace: regarding.namespace ?? "default" },
    eventTime: formatMicroTime(now),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance,
    type,
    regarding,
    reason: reason.slice(0, longestWord),
    action: (action === "" ? reason : action).slice(0, longestWord),
    note: cutToBytes(note, longestNote),
    ...(related && { related: toObjectReference(related) }),
  };
}

/**
 * Returns the identity of a series: events with the same key are repetitions, regardless of their notes and, unless
 * `perVersion` is true, of changes to the object.
 */
export function seriesKey({ type, action, reason, regarding, related }: Event, perVersion: boolean): string {
  const identity = (reference: ObjectReference | undefined): unknown =>
    reference && (perVersion ? reference : { ...reference, resourceVersion: undefined });
  return JSON.stringify([type, action, reason, identity(regarding), identity(related)]);
}

/** Returns the name of an event about an object. `serial` keeps names within a millisecond unique. */
export function eventName(about: string, now: number, serial: number): string {
  const name = `${about}.${(BigInt(Math.trunc(now)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16)}`;
  return name.length <= longestName && namePattern.test(name) ? name : crypto.randomUUID();
}

function cutToBytes(text: string, most: number): string {
  if (utf8Encode(text).length <= most) return text;
  let bytes = 0;
  let cut = "";
  for (const char of text) {
    bytes += utf8Encode(char).length;
    if (bytes > most) break;
    cut += char;
  }
  return cut;
}
