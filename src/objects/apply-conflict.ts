import { ManifestsError } from "../errors/manifests-error.js";
import { StatusError } from "../errors/status-error.js";

/** A field owned by another manager, from a failed apply. */
export interface ApplyConflict {
  /** Name of the manager that owns the field. */
  readonly manager: string;
  /** Path of the field: `.spec.containers[name="app"].image`. */
  readonly field: string;
  /** Subresource through which the manager wrote the field; absent for the main resource. */
  readonly subresource?: string | undefined;
  /** API version in which the manager wrote the field. Only for managers that don't use apply. */
  readonly apiVersion?: string | undefined;
  /** Time of the write, RFC 3339. Only for managers that don't use apply. */
  readonly time?: string | undefined;
}

/**
 * Returns the fields and owners that made an apply fail. For a `ManifestsError`, returns those of all its objects.
 * Empty for any other error, including a resourceVersion conflict.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { applyConflicts } from "kubestream/objects";
 *
 * const client = await connect({ fieldManager: "deployer" });
 * const shop = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" }, spec: { replicas: 3 } } as const;
 * try {
 *   await client.resource(Deployment).namespace("web").apply(shop);
 * } catch (error) {
 *   for (const { field, manager } of applyConflicts(error)) console.error(`${field} is owned by ${manager}`);
 * }
 * ```
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

/** Reverses Go's quoting, which equals JSON's for printable names. */
function unquote(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    // Go escapes that JSON lacks, such as \x00.
    return text.slice(1, -1);
  }
}
