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
  const sorted = [...conflicts].sort((a, b) => (managerKey(a.manager) < managerKey(b.manager) ? -1 : 1));
  const causes: StatusCause[] = sorted.flatMap(({ manager, fields }) =>
    pathsOf(fields).map((path) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${describeManager(manager)}`,
      field: formatPath(path),
    })),
  );
  const grouped = sorted.flatMap(({ manager, fields }) => [
    `conflicts with ${describeManager(manager)}:`,
    ...pathsOf(fields).map((path) => `- ${formatPath(path)}`),
  ]);
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${causes[0]!.message!}: ${causes[0]!.field!}`
      : `Apply failed with ${causes.length} conflicts: ${grouped.join("\n")}`;
  return applyError(409, message, { reason: "Conflict", details: { causes } });
}

function applyError(code: number, message: string, more: Partial<Status> = {}): ApplyError {
  return new ApplyError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, ...more, code });
}

/** 400: the configuration cannot be one for this object. */
export function badApply(message: string): ApplyError {
  return applyError(400, message, { reason: "BadRequest" });
}

/** 500 without a reason, as the server answers where a configuration does not fit the schema. */
export function brokenApply(message: string): ApplyError {
  return applyError(500, message);
}
