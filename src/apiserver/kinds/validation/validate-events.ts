import type { Event as CoreEvent } from "../../../kinds/core/v1.js";
import type { Event } from "../../../kinds/events/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { dnsSubdomain, immutable, invalid, qualifiedName, required, sameValue } from "../shared/field-errors.js";

const LONGEST_NAME = 128;
const LONGEST_NOTE = 1024;

/** What both kinds of Events say, under the names of the core group. */
interface Said {
  readonly namespace: string;
  readonly about: string;
  readonly eventTime: unknown;
  readonly reporter: string;
  readonly instance: string;
  readonly action: string;
  readonly reason: string;
  readonly message: string;
}

/** Rules as old as Events: those without a time of their own say little. */
function oldErrors(said: Said, reporterField: string): FieldError[] {
  const errors: FieldError[] = [];
  const { namespace, about } = said;
  const apart = invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (said.eventTime === undefined || said.eventTime === null) {
    if (about === "" ? namespace !== "" && namespace !== "default" : about !== namespace) errors.push(apart);
  } else {
    if (about === "" && namespace !== "default" && namespace !== "kube-system") errors.push(apart);
    if (said.reporter === "") errors.push(required(reporterField));
    errors.push(...qualifiedName(reporterField, said.reporter));
    const short = (field: string, value: string): FieldError[] => [
      ...(value === "" ? [required(field)] : []),
      ...(value.length > LONGEST_NAME
        ? [invalid(field, "", `can have at most ${String(LONGEST_NAME)} characters`)]
        : []),
    ];
    errors.push(
      ...short("reportingInstance", said.instance),
      ...short("action", said.action),
      ...short("reason", said.reason),
    );
    if (said.message.length > LONGEST_NOTE)
      errors.push(invalid("message", "", `can have at most ${String(LONGEST_NOTE)} characters`));
  }
  return [...errors, ...dnsSubdomain("namespace", namespace)];
}

/** Errors of an Event of the core group. */
export function validateEvent(event: CoreEvent): FieldError[] {
  const {
    metadata,
    involvedObject,
    eventTime,
    reportingComponent = "",
    reportingInstance = "",
    action = "",
    reason = "",
    message = "",
  } = event;
  return oldErrors(
    {
      namespace: metadata?.namespace ?? "",
      about: involvedObject.namespace ?? "",
      eventTime,
      reporter: reportingComponent,
      instance: reportingInstance,
      action,
      reason,
      message,
    },
    "reportingComponent",
  );
}

function saidBy(event: Event): FieldError[] {
  const {
    metadata,
    regarding,
    eventTime,
    reportingController = "",
    reportingInstance = "",
    action = "",
    reason = "",
    note = "",
  } = event;
  return oldErrors(
    {
      namespace: metadata?.namespace ?? "",
      about: regarding?.namespace ?? "",
      eventTime,
      reporter: reportingController,
      instance: reportingInstance,
      action,
      reason,
      message: note,
    },
    "reportingController",
  );
}

function seriesErrors({ series }: Event): FieldError[] {
  if (series === undefined) return [];
  return [
    ...(series.count < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime === null ? [required("series.lastObservedTime")] : []),
  ];
}

/** What holds for Events written through `events.k8s.io`: the new fields are required, those of the core group stay empty. */
export function validateNewEvent(event: Event): FieldError[] {
  const errors = [...saidBy(event), ...seriesErrors(event)];
  const unset = (field: string, set: boolean): void => {
    if (set) errors.push(invalid(field, "", "needs to be unset"));
  };
  if ((event.eventTime as string | null | undefined) == null) errors.push(required("eventTime"));
  const type = event.type ?? "";
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", "", `has invalid value: ${type}`));
  unset("firstTimestamp", event.deprecatedFirstTimestamp != null);
  unset("lastTimestamp", event.deprecatedLastTimestamp != null);
  unset("count", (event.deprecatedCount ?? 0) !== 0);
  unset("source", (event.deprecatedSource?.component ?? "") !== "" || (event.deprecatedSource?.host ?? "") !== "");
  return errors;
}

/** What may not change once an Event is written through `events.k8s.io`, under the names of the core group. */
export function validateNewEventUpdate(event: Event, old: Event): FieldError[] {
  const errors = [...saidBy(event), ...(sameValue(event.series, old.series) ? [] : seriesErrors(event))];
  const kept = (field: string, key: keyof Event, show: (value: never) => unknown = (value) => value ?? ""): void => {
    if (immutable(field, event[key], old[key]).length > 0)
      errors.push(invalid(field, show(event[key] as never), "field is immutable"));
  };
  kept("involvedObject", "regarding", goReference);
  kept("reason", "reason");
  kept("message", "note");
  kept(
    "source",
    "deprecatedSource",
    ({ component = "", host = "" }: { readonly component?: string; readonly host?: string }) => ({
      Component: component,
      Host: host,
    }),
  );
  kept("firstTimestamp", "deprecatedFirstTimestamp", (value) => value ?? null);
  kept("lastTimestamp", "deprecatedLastTimestamp", (value) => value ?? null);
  kept("count", "deprecatedCount", (value) => value ?? 0);
  kept("reason", "reason");
  kept("type", "type");
  kept("eventTime", "eventTime", (value) => value ?? null);
  kept("action", "action");
  kept("related", "related", goReference);
  kept("reportingController", "reportingController");
  kept("reportingInstance", "reportingInstance");
  return errors;
}

/** A reference as Go prints its own struct. */
function goReference(reference: NonNullable<Event["regarding"]> | undefined): object | null {
  if (reference === undefined) return null;
  const {
    kind = "",
    namespace = "",
    name = "",
    uid = "",
    apiVersion = "",
    resourceVersion = "",
    fieldPath = "",
  } = reference;
  return {
    Kind: kind,
    Namespace: namespace,
    Name: name,
    UID: uid,
    APIVersion: apiVersion,
    ResourceVersion: resourceVersion,
    FieldPath: fieldPath,
  };
}
