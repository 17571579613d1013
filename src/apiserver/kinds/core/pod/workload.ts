import type { Container, PodTemplateSpec } from "../../../../kinds/core/v1.js";
import type { LabelSelector } from "../../../../meta/label-selector.js";
import type { FieldError } from "../../../errors/field-error.js";
import { selectorMatches } from "../../../objects/selector-text.js";
import { forbidden, invalid, notSupported } from "../../shared/field-errors.js";
import { dropDisabled } from "./drop-disabled.js";
import { templateWarnings } from "./pod-warnings.js";

/** A kind that creates pods from a template. */
interface Workload {
  metadata?: { readonly name?: string | undefined } | undefined;
  spec?: { readonly template?: PodTemplateSpec | undefined } | undefined;
  status?: unknown;
}

/** Drops the status of a new workload, and its template's fields of disabled features. */
export function prepareWorkload(object: Workload): void {
  delete object.status;
  prepareWorkloadUpdate(object);
}

/** Drops the template's fields of disabled features. */
export function prepareWorkloadUpdate({ spec }: Workload): void {
  dropDisabled(spec?.template?.spec);
}

/** Returns an error unless the selector matches the labels of the template. */
export function labelMismatch(selector: LabelSelector | null | undefined, template: PodTemplateSpec): FieldError[] {
  const labels = template.metadata?.labels;
  return selectorMatches(selector, labels)
    ? []
    : [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
}

/** Requires the restart policy `Always`. */
export function alwaysRestarts({ spec }: PodTemplateSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec?.restartPolicy !== "Always")
    errors.push(notSupported("spec.template.spec.restartPolicy", spec?.restartPolicy, ["Always"]));
  if (spec?.activeDeadlineSeconds !== undefined)
    errors.push(forbidden("spec.template.spec.activeDeadlineSeconds", "is not supported for this kind"));
  return errors;
}

/** True if a selector has no requirements. */
export function isEmptySelector(selector: LabelSelector | null | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}

/** True if two values differ in their JSON. */
export function hasChanged(now: unknown, old: unknown): boolean {
  return JSON.stringify(now) !== JSON.stringify(old);
}

/** Returns a warning for a name that isn't a DNS label, if pods derive their names or hostnames from it. */
export function nameWarnings({
  metadata,
}: {
  readonly metadata?: { readonly name?: string | undefined } | undefined;
}): string[] {
  const name = metadata?.name ?? "";
  return name.length > 63 || name.includes(".")
    ? ["metadata.name: this is used in Pod names and hostnames; a DNS label is recommended"]
    : [];
}

/** Returns the warnings for the template of a new workload or one whose spec has changed. */
export function workloadTemplateWarnings({ spec }: Workload, old: Workload | undefined): string[] {
  return templateWarnings(spec?.template, old === undefined || hasChanged(spec, old.spec), "spec.template");
}

/** Returns the warnings for a workload's template and, if it is new, its name. */
export function workloadWarnings(object: Workload, old: Workload | undefined): string[] {
  return [...(old === undefined ? nameWarnings(object) : []), ...workloadTemplateWarnings(object, old)];
}

/** Returns the table cells for the columns Containers and Images. */
export function containerCells(containers: readonly Container[] | undefined): [names: string, images: string] {
  const list = containers ?? [];
  return [list.map((each) => each.name).join(","), list.map((each) => each.image ?? "").join(",")];
}

/** Table columns of a ReplicaSet and a ReplicationController. */
export const replicaColumns = "Desired:integer,Current:integer,Ready:integer,Age,Containers*,Images*,Selector*";

interface ReplicatedWorkload {
  spec?: { readonly replicas?: number | undefined; readonly template?: PodTemplateSpec | undefined } | undefined;
  status?: { readonly replicas?: number | undefined; readonly readyReplicas?: number | undefined } | undefined;
}

/** Returns the table cells for `replicaColumns`, except the selector. */
export function replicaCells({ spec, status }: ReplicatedWorkload, age: string): (string | number)[] {
  return [
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age,
    ...containerCells(spec?.template?.spec?.containers),
  ];
}
