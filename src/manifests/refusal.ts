import { isNotFound } from "../errors/predicates.js";
import { StatusError } from "../errors/status-error.js";
import type { PlannedRefusal, RefusalReason } from "./plan.js";

/** Classifies the error of a dry run. */
export function refusalOf(error: unknown): PlannedRefusal {
  if (!(error instanceof StatusError))
    return {
      reason: error instanceof TypeError ? "invalid" : "error",
      message: error instanceof Error ? error.message : String(error),
      causes: [],
    };
  const causes = (error.details?.causes ?? []).map(({ field = "", message = "" }) => ({ field, message }));
  return { reason: reasonOf(error), code: error.code, message: error.status.message ?? error.message, causes };
}

/** Returns the name of the namespace whose absence is the reason of an error. */
export function missingNamespace(error: unknown): string | undefined {
  if (!isNotFound(error) || error.details?.kind !== "namespaces") return undefined;
  return error.details.name;
}

/** The API has no codes for these cases, only messages, which are stable across releases. */
function reasonOf(error: StatusError): RefusalReason {
  const { code, details } = error;
  const message = error.status.message ?? "";
  const causes = details?.causes ?? [];
  if (message.includes("does not support dry run")) return "unplannable";
  if (code === 409 && causes.some(({ reason }) => reason === "FieldManagerConflict")) return "conflict";
  if (missingNamespace(error) !== undefined) return "missingNamespace";
  if (/admission webhook "[^"]*" denied|ValidatingAdmissionPolicy '/.test(message)) return "denied";
  if (code === 403) {
    if (/exceeded quota|failed quota/.test(message)) return "quota";
    return /: User "[^"]*" cannot /.test(message) ? "forbidden" : "denied";
  }
  if (code === 422)
    return /immutable|may not be changed|updates to \S+ spec for fields other than/i.test(message)
      ? "immutable"
      : "invalid";
  return code === 400 ? "invalid" : "error";
}
