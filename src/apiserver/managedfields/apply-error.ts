import { KubestreamError } from "../../errors/kubestream-error.js";
import type { Status, StatusCause } from "../../meta/status.js";
import { type FieldSet, formatPath, pathsOf } from "./field-set.js";
import { describeManager, type Manager, managerKey } from "./managers.js";

/** An apply that the server refuses; `status` is what it answers. */
export class ApplyError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ApplyError";
  /** The answer. */
  readonly status: Status;

  /** Made from what the server answers. */
  constructor(status: Status) {
    super(status.message ?? "apply failed");
    this.status = status;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ApplyError";
  }
}

/** Fields that another manager owns and the configuration would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** 409 with one cause for each field and manager. */
export function conflictError(conflicts: readonly Conflict[]): ApplyError {
  const lines = conflicts.map((conflict) => ({
    key: managerKey(conflict.manager),
    text: describeManager(conflict.manager),
    paths: pathsOf(conflict.fields).map(formatPath),
  }));
  const sorted = [...lines].sort((a, b) => (a.key < b.key ? -1 : 1));
  const causes: StatusCause[] = sorted.flatMap(({ text, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${text}`, field })),
  );
  const only = causes.length === 1 ? causes[0] : undefined;
  const grouped = sorted
    .map(({ text, paths }) => [`conflicts with ${text}:`, ...paths.map((path) => `- ${path}`)].join("\n"))
    .join("\n");
  const message =
    only === undefined
      ? `Apply failed with ${causes.length} conflicts: ${grouped}`
      : `Apply failed with 1 conflict: ${only.message ?? ""}: ${only.field ?? ""}`;
  return new ApplyError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "Conflict",
    details: { causes },
    code: 409,
  });
}

/** 400: the configuration cannot be one for this object. */
export function badApply(message: string): ApplyError {
  return new ApplyError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "BadRequest",
    code: 400,
  });
}

/** 500 without a reason, as the server answers where a configuration does not fit the schema. */
export function brokenApply(message: string): ApplyError {
  return new ApplyError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
}
