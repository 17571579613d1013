import type { ManifestOutcome } from "../errors/manifests-error.js";
import type { FieldChange } from "./field-changes.js";

/**
 * Why the server refuses an object:
 *
 * - `conflict`: another manager owns a field. The conflicting `changes` name it.
 * - `forbidden`: RBAC denies the request. `quota`: a ResourceQuota is exceeded. `denied`: a webhook, an admission policy or
 *   a plugin denies it.
 * - `immutable`: a field can't be changed. `invalid`: the object fails validation.
 * - `missingNamespace`, `missingKind`: the server has neither, and the manifests don't define it.
 * - `unplannable`: a webhook doesn't support dry runs, so only an apply can find out.
 * - `error`: anything else, such as a failed request.
 */
export type RefusalReason =
  | "conflict"
  | "forbidden"
  | "quota"
  | "denied"
  | "immutable"
  | "invalid"
  | "missingNamespace"
  | "missingKind"
  | "unplannable"
  | "error";

/** Refusal of an object. */
export interface PlannedRefusal {
  /** Kind of the refusal. */
  readonly reason: RefusalReason;
  /** HTTP status code, if the server refused. */
  readonly code?: number | undefined;
  /** Explanation. */
  readonly message: string;
  /** Fields that are wrong, if the server named them. */
  readonly causes: readonly { readonly field: string; readonly message: string }[];
}

/** Planned change of one field. */
export interface PlannedChange extends FieldChange {
  /** True if another manager owns the field, and the apply doesn't force the change. */
  readonly conflict: boolean;
}

/** Plan for one object. */
export interface PlannedManifest
  extends Pick<ManifestOutcome, "apiVersion" | "kind" | "name" | "namespace" | "source"> {
  /**
   * Effect of an apply:
   *
   * - `create`, `change`, `unchanged`: see `changes`. A change without `changes` only takes ownership of fields.
   * - `later`: its namespace or its kind is created by the same manifests, see `after`, so a dry run isn't possible yet.
   * - `prune`: the object is deleted because it is no longer in the set.
   * - `refuse`: the server would refuse it, see `refusal`.
   */
  readonly action: "create" | "change" | "unchanged" | "later" | "prune" | "refuse";
  /** Fields that change. Empty for an object that is created. Values of Secrets are replaced by `***`. */
  readonly changes: readonly PlannedChange[];
  /** Object after the apply as the server predicts it, without managed fields. Values of Secrets are `***`. */
  readonly object?: object | undefined;
  /** Identity and version of the stored object; absent if it doesn't exist. */
  readonly stored?: { readonly uid: string; readonly resourceVersion: string } | undefined;
  /** Objects of the plan that must be applied first: `Namespace "web"`. */
  readonly after?: readonly string[] | undefined;
  /** Reason of a refusal. */
  readonly refusal?: PlannedRefusal | undefined;
}

/** Effects of an apply before it happens. Plain data: it can be stored as JSON. */
export interface ManifestPlan {
  /** Plan for each object, in the order of the apply; then the objects to prune. */
  readonly items: readonly PlannedManifest[];
}

/** Formats the identity of an object: `Deployment web/shop`. */
export function formatIdentity({
  kind,
  name,
  namespace,
}: Pick<PlannedManifest, "kind" | "name" | "namespace">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
