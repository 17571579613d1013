import { ManifestsError } from "../errors/manifests-error.js";
import { StatusError } from "../errors/status-error.js";

/** One field that somebody else owns. */
export interface ApplyConflict {
  /** Name of the manager that owns it. */
  readonly manager: string;
  /** The field: `.spec.containers[name="app"].image`. */
  readonly field: string;
  /** Subresource through which the manager wrote it; absent for the object itself. */
  readonly subresource?: string;
  /** API version in which the manager wrote it; only for managers that do not apply. */
  readonly apiVersion?: string;
  /** When the manager wrote it, RFC 3339; only for managers that do not apply. */
  readonly time?: string;
}

/**
 * The fields over which an apply has failed, and who owns them; of a `ManifestsError`, those of all its objects. Empty for any other
 * error, also for a conflict of versions.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
 */
export function applyConflicts(error: unknown): ApplyConflict[] {
  if (error instanceof ManifestsError) return error.outcomes.flatMap((outcome) => applyConflicts(outcome.error));
  if (!(error instanceof StatusError)) return [];
  return (error.details?.causes ?? []).flatMap(({ reason, message = "", field = "" }) => {
    if (reason !== "FieldManagerConflict") return [];
    const match =
      /^conflict with ("(?:[^"\\]|\\.)*")(?: with subresource ("(?:[^"\\]|\\.)*"))?(?: using (\S+))?(?: at (\S+))?$/.exec(
        message,
      );
    if (!match) return [{ manager: "", field }];
    const [, manager, subresource, apiVersion, time] = match;
    return [
      {
        manager: unquote(manager!),
        field,
        ...(subresource !== undefined && { subresource: unquote(subresource) }),
        ...(apiVersion !== undefined && { apiVersion }),
        ...(time !== undefined && { time }),
      },
    ];
  });
}

/** Undoes Go's quoting, which for printable names is JSON's. */
function unquote(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    // An escape that JSON does not have, as \x00.
    return text.slice(1, -1);
  }
}
