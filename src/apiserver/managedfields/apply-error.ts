import { KubestreamError } from "../../errors/kubestream-error.js";
import type { Status, StatusCause } from "../../meta/status.js";
import { type FieldSet, formatPath, pathsOf } from "./field-set.js";
import { describeManager, type Manager, managerKey } from "./managers.js";

/** An apply that the server rejects. */
export class ApplyError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ApplyError";
  /** Status to respond with. */
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? "apply failed");
    this.status = status;
  }

  /** Class name that survives minification. */
  static override get className(): string {
    return "ApplyError";
  }
}

/** A field that another manager owns and the configuration would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** Creates the 409 with one cause per field and manager. */
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

/** Creates the 400 for a configuration that doesn't belong to this object. */
export function badApply(message: string): ApplyError {
  return applyError(400, message, { reason: "BadRequest" });
}

/** Creates the 500 for a configuration that doesn't fit the schema; kube-apiserver sends it without a reason. */
export function brokenApply(message: string): ApplyError {
  return applyError(500, message);
}
