import type { Event as CoreEvent } from "../../../kinds/core/v1.js";
import type { Event } from "../../../kinds/events/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import type { ApiObject } from "../../objects/api-object.js";
import { replaceContent } from "../../objects/metadata.js";
import { printGoObject } from "../../schema/go-decode.js";
import { eventErrors, eventFields, eventPrinter } from "../core/event.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

/** Field names in this group, mapped to those in the core group, where Events are stored. */
const coreNames = {
  reportingController: "reportingComponent",
  regarding: "involvedObject",
  note: "message",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
} as const satisfies Partial<Record<keyof Event, keyof CoreEvent>>;

const ownNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(coreNames).map(([own, core]) => [core, own]),
);

function renamed(object: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value]));
}

/** Returns an Event with the field names of the core group. */
function inCoreNames(event: Event): CoreEvent {
  return renamed(event, coreNames) as unknown as CoreEvent;
}

/**
 * Renames the fields of an object and gives it the form of a definition, in place; its metadata stays the same object.
 */
function convert(object: ApiObject, names: Readonly<Record<string, string>>, definition: string): void {
  const printed = printGoObject(definition, renamed(object, names));
  const { metadata } = object;
  replaceContent(object, metadata === undefined ? printed : { ...printed, metadata });
}

function seriesErrors({ series }: Event): FieldError[] {
  if (series === undefined) return [];
  return [
    ...(series.count < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime === null ? [required("series.lastObservedTime")] : []),
  ];
}

function validate(event: Event): FieldError[] {
  const { type = "", deprecatedSource: source } = event;
  const unset = (field: string, set: boolean): FieldError[] => (set ? [invalid(field, "", "must not be set")] : []);
  return [
    ...eventErrors(inCoreNames(event), "reportingController"),
    ...seriesErrors(event),
    ...((event.eventTime as string | null | undefined) == null ? [required("eventTime")] : []),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...unset("firstTimestamp", event.deprecatedFirstTimestamp != null),
    ...unset("lastTimestamp", event.deprecatedLastTimestamp != null),
    ...unset("count", (event.deprecatedCount ?? 0) !== 0),
    ...unset("source", (source?.component ?? "") !== "" || (source?.host ?? "") !== ""),
  ];
}

/** Immutable fields; one of them is checked twice. */
const fixed: readonly (keyof Event)[] = [
  "regarding",
  "reason",
  "note",
  "deprecatedSource",
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "deprecatedCount",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingController",
  "reportingInstance",
];

function validateUpdate(event: Event, old: Event): FieldError[] {
  const field = (key: keyof Event): string =>
    key === "reportingController" ? key : (coreNames[key as keyof typeof coreNames] ?? key);
  return [
    ...eventErrors(inCoreNames(event), "reportingController"),
    ...(check.sameValue(event.series, old.series) ? [] : seriesErrors(event)),
    ...fixed.flatMap((key) => check.immutable(field(key), event[key], old[key])),
  ];
}

export const newEvent: KindDefinition = defineBuiltin<Event>({
  resource: "events.k8s.io/events",
  createOnUpdate: true,
  storage: {
    bucket: "/events",
    version: "/v1",
    uncached: true,
    conversions: {
      v1: {
        fromStorage: (object) => convert(object, ownNames, "io.k8s.api.events.v1.Event"),
        toStorage: (object) => convert(object, coreNames, "io.k8s.api.core.v1.Event"),
      },
    },
  },
  deletion: { garbageCollected: false },
  validate: { create: validate, update: validateUpdate },
  printer: {
    columns: eventPrinter.columns,
    nameLast: true,
    cells: (event, age, nowMs) => eventPrinter.cells(inCoreNames(event), age, nowMs),
  },
  selectableFields(event) {
    const { source: _source, reportingComponent, ...fields } = eventFields(inCoreNames(event));
    return {
      ...Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name.replace("involvedObject.", "regarding."), value]),
      ),
      reportingController: reportingComponent ?? "",
    };
  },
});
