import type { Client } from "../client/client.js";
import type { ManifestOutcome } from "../errors/manifests-error.js";
import { isConflict } from "../errors/predicates.js";
import { StalePlanError } from "../errors/stale-plan-error.js";
import { deepEqual } from "../internal/deep-equal.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import { applyConflicts } from "../objects/apply-conflict.js";
import { applySetWith } from "./apply-set.js";
import { type ManifestPlacement, type ManifestProgressOptions, placementOf } from "./each-manifest.js";
import { type ApplyAct, applyManifestsWith, applyOne } from "./manifests.js";
import { holdsSecrets } from "./mask-secret.js";
import { formatIdentity, type ManifestPlan, type PlannedManifest } from "./plan.js";
import { createPlanner, inputOf, type PlanManifestsOptions, planManifests } from "./plan-manifests.js";

/** Options for `applyPlan`. Default: those of `planManifests`. */
export interface ApplyPlanOptions
  extends Partial<PlanManifestsOptions>,
    Pick<ManifestPlacement, "dependencyTimeoutMs">,
    ManifestProgressOptions {
  /** Manifests of the plan. Required if another process made it, since a plan as JSON doesn't hold them. */
  readonly manifests?: readonly DeepReadonly<KubernetesObject>[] | undefined;
}

/** Number of attempts to apply an object whose version changes without an effect on the plan, such as its status. */
const attempts = 5;

/**
 * Applies the manifests of a plan if it still holds: everything is planned again first, and nothing is written if any
 * object's plan differs. Afterwards each existing object is only changed in the version that was compared. An object that
 * another process creates in between is changed by the apply.
 *
 * Returns outcomes and rejects like `applyManifests`, or like `applySet` for the plan of a set. Rejects with a
 * `StalePlanError` if the plan doesn't hold, and with a `TypeError` if it has an object that the server refuses.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { applyPlan, type ManifestPlan, parseManifests, StalePlanError } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * // A plan that another process stored with JSON.stringify, and that someone has approved.
 * const plan = JSON.parse(await readFile("plan.json", "utf8")) as ManifestPlan;
 * const manifests = await parseManifests(await readFile("app.yaml", "utf8"));
 * const client = await connect({ fieldManager: "deployer" });
 * try {
 *   await applyPlan(client, plan, { manifests, namespace: "web" });
 * } catch (error) {
 *   if (!(error instanceof StalePlanError)) throw error;
 *   console.error("changed since the approval:", ...error.objects);
 * }
 * ```
 */
export function applyPlan(
  client: Client<string>,
  plan: ManifestPlan,
  options?: ApplyPlanOptions,
): Promise<ManifestOutcome[]>;
export function applyPlan(
  client: Client,
  plan: ManifestPlan,
  options: ApplyPlanOptions & { readonly fieldManager: string },
): Promise<ManifestOutcome[]>;
export async function applyPlan(
  client: Client,
  plan: ManifestPlan,
  options: ApplyPlanOptions = {},
): Promise<ManifestOutcome[]> {
  const input = inputOf(plan);
  const { manifests = input?.manifests, dependencyTimeoutMs, onProgress, ...given } = options;
  if (manifests === undefined)
    throw new TypeError("applyPlan: options.manifests is required for a plan that was not made by this process");
  const refused = plan.items.find(({ action }) => action === "refuse");
  if (refused)
    throw new TypeError(`applyPlan: the server refuses ${formatIdentity(refused)}: ${refused.refusal?.message ?? ""}`);
  const { applySet, ...apply } = { ...input?.options, ...given };
  const fresh = await planManifests(client as Client<string>, manifests, { ...apply, applySet });
  const stale = differences(plan.items, fresh.items);
  if (stale.length > 0) throw new StalePlanError(stale);

  const current = new Map(fresh.items.map((item) => [keyOf(item), item]));
  const act: ApplyAct = async (placed, request) => {
    const { object, namespace } = placed;
    let item = current.get(keyOf({ ...object, name: object.metadata.name, namespace }));
    for (let attempt = 1; ; attempt++) {
      if (item?.stored === undefined) return applyOne(placed, request);
      const versioned = { ...object, metadata: { ...object.metadata, ...item.stored } };
      try {
        return await applyOne({ ...placed, object: versioned }, request);
      } catch (error) {
        if (!isConflict(error) || applyConflicts(error).length > 0 || attempt >= attempts) throw error;
        const again = await createPlanner([object], placementOf(client, apply), request).plan(object);
        if (!sameEffect(again, item)) throw new StalePlanError([formatIdentity(item)]);
        item = again;
      }
    }
  };
  const how = { ...apply, dependencyTimeoutMs, onProgress };
  return applySet
    ? applySetWith(client, manifests, { ...how, ...applySet }, act)
    : applyManifestsWith(client, manifests, how, act);
}

/** Lists the objects whose plans differ. */
function differences(planned: readonly PlannedManifest[], current: readonly PlannedManifest[]): string[] {
  const left = new Map(planned.map((item) => [keyOf(item), item]));
  const stale: PlannedManifest[] = [];
  for (const item of current) {
    const before = left.get(keyOf(item));
    left.delete(keyOf(item));
    if (before === undefined || !sameEffect(before, item)) stale.push(item);
  }
  return [...stale, ...left.values()].map(formatIdentity);
}

/** Versions don't count, since every change of a status makes a new one. For masked values they are all there is. */
function sameEffect(a: PlannedManifest, b: PlannedManifest): boolean {
  return (
    a.action === b.action &&
    a.stored?.uid === b.stored?.uid &&
    (!holdsSecrets(a) || a.stored?.resourceVersion === b.stored?.resourceVersion) &&
    deepEqual(a.changes, b.changes) &&
    deepEqual(a.after, b.after)
  );
}

function keyOf({
  apiVersion,
  kind,
  namespace = "",
  name,
}: Pick<PlannedManifest, "apiVersion" | "kind" | "namespace" | "name">): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}
