import { pushAll } from "../../../internal/push-all.js";
import type { Event } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { formatAge } from "../shared/print-age.js";

const mostName = 128;
const mostNote = 1024;

/** Validates Events of both groups. `reporter`: name of the reporter's field in the group. */
export function eventErrors(event: Event, reporter: string): FieldError[] {
  const { eventTime, reportingComponent = "", message = "" } = event;
  const namespace = event.metadata?.namespace ?? "";
  const about = event.involvedObject?.namespace ?? "";
  const timed = eventTime !== undefined && eventTime !== null;
  const clusterWide = namespace === "default" || (timed ? namespace === "kube-system" : namespace === "");
  const errors: FieldError[] = [];
  if (about === "" ? !clusterWide : !timed && about !== namespace)
    errors.push(invalid("involvedObject.namespace", about, "does not match event.namespace"));
  if (timed) {
    if (reportingComponent === "") errors.push(required(reporter));
    pushAll(errors, check.qualifiedName(reporter, reportingComponent));
    for (const field of ["reportingInstance", "action", "reason"] as const) {
      const value = event[field] ?? "";
      if (value === "") errors.push(required(field));
      if (value.length > mostName) errors.push(invalid(field, "", `can have at most ${mostName} characters`));
    }
    if (message.length > mostNote) errors.push(invalid("message", "", `can have at most ${mostNote} characters`));
  }
  return [...errors, ...check.dnsSubdomain("namespace", namespace)];
}

/** Returns the fields of an Event that selectors support. */
export function eventFields(event: Event): Record<string, string> {
  const about = event.involvedObject ?? {};
  const { source, reportingComponent = "" } = event;
  return {
    "involvedObject.kind": about.kind ?? "",
    "involvedObject.namespace": about.namespace ?? "",
    "involvedObject.name": about.name ?? "",
    "involvedObject.uid": about.uid ?? "",
    "involvedObject.apiVersion": about.apiVersion ?? "",
    "involvedObject.resourceVersion": about.resourceVersion ?? "",
    "involvedObject.fieldPath": about.fieldPath ?? "",
    reason: event.reason ?? "",
    reportingComponent,
    source: source?.component ?? reportingComponent,
    type: event.type ?? "",
  };
}

/** Printer for Events, the only kind with the name in the last column. */
export const eventPrinter: KindPrinter<Event> = {
  columns: "Last Seen,Type,Reason,Object,Subobject*,Source*,Message,First Seen*,Count*",
  nameLast: true,
  cells(event, _, nowMs) {
    const { series } = event;
    const first = event.firstTimestamp ?? event.eventTime;
    const last = series === undefined ? (event.lastTimestamp ?? first) : series.lastObservedTime;
    const about = event.involvedObject ?? {};
    const kind = (about.kind ?? "").toLowerCase();
    const component = event.source?.component || event.reportingComponent;
    const instance = event.source?.host || event.reportingInstance;
    return [
      formatAge(last, nowMs),
      event.type ?? "",
      event.reason ?? "",
      (about.name ?? "") === "" ? kind : `${kind}/${about.name ?? ""}`,
      about.fieldPath ?? "",
      `${component ?? ""}${(instance ?? "") === "" ? "" : `, ${instance!}`}`,
      (event.message ?? "").trim(),
      formatAge(first, nowMs),
      series === undefined ? event.count || 1 : (series.count ?? 0),
    ];
  },
};

export const event: KindDefinition = defineBuiltin<Event>({
  resource: "/events",
  createOnUpdate: true,
  metadata: { name: "pathSegment", validatedLast: true, checksOnUpdate: 0 },
  storage: { uncached: true },
  deletion: { garbageCollected: false },
  validate: { create: (object) => eventErrors(object, "reportingComponent") },
  printer: eventPrinter,
  selectableFields: eventFields,
});
