import type { Event } from "../../../../kinds/events/v1.js";
import type { FieldError } from "../../../schema/field-error.js";

const longestName = 128;
const longestNote = 1024;

/** What holds for Events written through `events.k8s.io`: the new fields are required, those of the core group stay empty. */
export function validateNewEvent(event: Event): FieldError[] {
  const errors = validateSubject(event);
  const invalid = (field: string, value: unknown, detail: string): void => {
    errors.push({ type: "FieldValueInvalid", field, value, detail });
  };
  if (event.eventTime == null) errors.push({ type: "FieldValueRequired", field: "eventTime", detail: "" });
  else {
    for (const field of ["reportingController", "reportingInstance", "action", "reason"] as const) {
      const value = event[field] ?? "";
      if (value === "") errors.push({ type: "FieldValueRequired", field, detail: "" });
      else if (field !== "reportingController" && value.length > longestName) invalid(field, "", `can have at most ${longestName} characters`);
    }
    if ((event.note ?? "").length > longestNote) invalid("message", "", `can have at most ${longestNote} characters`);
  }
  const type = event.type ?? "";
  if (type !== "Normal" && type !== "Warning") invalid("type", "", `has invalid value: ${type}`);
  if (event.deprecatedFirstTimestamp != null) invalid("firstTimestamp", "", "needs to be unset");
  if (event.deprecatedLastTimestamp != null) invalid("lastTimestamp", "", "needs to be unset");
  if ((event.deprecatedCount ?? 0) !== 0) invalid("count", "", "needs to be unset");
  if ((event.deprecatedSource?.component ?? "") !== "" || (event.deprecatedSource?.host ?? "") !== "") invalid("source", "", "needs to be unset");
  return errors;
}

/** What may not change once an Event is written through `events.k8s.io`. */
export function validateNewEventUpdate(event: Event, old: Event): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["eventTime", "reportingController", "reportingInstance", "action", "reason", "regarding", "related", "note", "type"] as const) {
    if (JSON.stringify(event[field] ?? null) !== JSON.stringify(old[field] ?? null)) errors.push({ type: "FieldValueInvalid", field, value: event[field] ?? "", detail: "field is immutable" });
  }
  return errors;
}

function validateSubject(event: Event): FieldError[] {
  const namespace = event.metadata?.namespace ?? "";
  const about = event.regarding?.namespace ?? "";
  const fits = about === "" ? namespace === "" || namespace === "default" || namespace === "kube-system" : about === namespace;
  return fits ? [] : [{ type: "FieldValueInvalid", field: "involvedObject.namespace", value: about, detail: "does not match event.namespace" }];
}
