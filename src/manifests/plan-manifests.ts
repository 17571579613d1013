import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import { StatusError } from "../errors/status-error.js";
import { deepEqual } from "../internal/deep-equal.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { ApplyOptions } from "../meta/options.js";
import { applyConflicts } from "../objects/apply-conflict.js";
import { openSet } from "./apply-set.js";
import { formerMembers } from "./apply-set-members.js";
import type { ApplySetMembership } from "./apply-set-parent.js";
import {
  findPlace,
  type ManifestPlacement,
  onlySignal,
  type PlacedManifest,
  type Placement,
  placementOf,
  refOf,
  requestOptions,
} from "./each-manifest.js";
import { fieldChanges } from "./field-changes.js";
import { installRank } from "./install-order.js";
import { checkManifests, flatten, type Manifest } from "./manifest.js";
import { holdsSecrets, maskChanges, maskSecret } from "./mask-secret.js";
import type { ManifestPlan, PlannedManifest } from "./plan.js";
import { prerequisitesOf } from "./prerequisites.js";
import { missingNamespace, refusalOf } from "./refusal.js";

/** Options for `planManifests`. */
export interface PlanManifestsOptions
  extends Omit<ApplyOptions, "dryRun">,
    Omit<ManifestPlacement, "dependencyTimeoutMs"> {
  /** Set to plan for, as for `applySet`. Its former members are planned as `prune`. Default: none. */
  readonly applySet?: ApplySetMembership | undefined;
}

/** Input of a plan, which `applyPlan` needs and which must not be stored with it: manifests can hold secrets. */
export interface PlanInput {
  readonly manifests: readonly DeepReadonly<KubernetesObject>[];
  readonly options: Partial<PlanManifestsOptions>;
}

const inputs = new WeakMap<ManifestPlan, PlanInput>();

/** Returns the input of a plan that this process made. */
export function inputOf(plan: ManifestPlan): PlanInput | undefined {
  return inputs.get(plan);
}

/**
 * Predicts the effects of `applyManifests`, or of `applySet` if `options.applySet` is set: objects to create, changes
 * field by field with their owners, objects to prune, and objects that the server would refuse. Nothing is written: each
 * object is read and then applied as a dry run, which needs the same permissions as the apply.
 *
 * A refusal doesn't reject: see the item's `refusal`. Throws a `TypeError` for an invalid object; rejects if discovery
 * fails. Without `fieldManager`, the client's field manager is used.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { applyPlan, formatPlan, parseManifests, planManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ fieldManager: "deployer" });
 * const objects = await parseManifests(await readFile("app.yaml", "utf8"));
 * const plan = await planManifests(client, objects, { namespace: "web" });
 * console.log(formatPlan(plan));
 * if (plan.items.every(({ action }) => action !== "refuse")) await applyPlan(client, plan);
 * ```
 */
export function planManifests(
  client: Client<string>,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options?: Partial<PlanManifestsOptions>,
): Promise<ManifestPlan>;
export function planManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: PlanManifestsOptions,
): Promise<ManifestPlan>;
export async function planManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<PlanManifestsOptions> = {},
): Promise<ManifestPlan> {
  const { applySet, ...apply } = requestOptions(options);
  if ("dryRun" in apply) throw new TypeError("planManifests: options.dryRun is not supported, a plan is a dry run");
  const placement = { ...placementOf(client, options), dependencyTimeoutMs: 0 };
  const objects = flatten(manifests);
  checkManifests(objects);
  const set = applySet && (await openSet(placement, objects, { ...applySet, signal: apply.signal }));
  const planner = createPlanner(set?.marked ?? objects, placement, apply as ApplyOptions);
  const items: PlannedManifest[] = [];
  const keep = new Set<string>();
  for (const object of [...(set?.marked ?? objects)].sort((a, b) => installRank(a) - installRank(b))) {
    const item = await planner.plan(object);
    if (item.stored) keep.add(item.stored.uid);
    items.push(item);
  }
  if (set && applySet?.prune !== false) {
    const query = { kinds: set.before.kinds, namespaces: set.pruneIn, id: set.id, keep };
    for await (const member of formerMembers(client, placement.discovery, query, onlySignal(apply))) {
      if ("error" in member)
        items.push({ ...member.ref, action: "refuse", changes: [], refusal: refusalOf(member.error) });
      else {
        const { ref, uid, resourceVersion } = member;
        items.push({ ...ref, action: "prune", changes: [], stored: { uid, resourceVersion } });
      }
    }
  }
  const plan: ManifestPlan = { items };
  inputs.set(plan, { manifests, options });
  return plan;
}

/** Plans objects one after the other, in the order of the apply. */
export interface Planner {
  plan(object: Manifest): Promise<PlannedManifest>;
}

/** Creates a planner for objects that are applied together. */
export function createPlanner(objects: readonly Manifest[], placement: Placement, apply: ApplyOptions): Planner {
  const prerequisites = prerequisitesOf(objects);
  return {
    async plan(object) {
      const { apiVersion, kind } = object;
      const identity = refOf(object);
      const later = (after: readonly string[]): PlannedManifest => ({
        ...identity,
        action: "later",
        changes: [],
        after,
      });
      let placed: PlacedManifest | undefined;
      try {
        placed = await findPlace(object, placement, apply);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        return { ...identity, action: "refuse", changes: [], refusal: refusalOf(error) };
      }
      if (placed === undefined) {
        const definitions = prerequisites.definitionsOf(object);
        if (definitions.length > 0) return later(definitions);
        const message = `the server doesn't serve kind ${kind} in ${apiVersion}`;
        return { ...identity, action: "refuse", changes: [], refusal: { reason: "missingKind", message, causes: [] } };
      }
      const place = placed.namespace === undefined ? identity : { ...identity, namespace: placed.namespace };
      try {
        return { ...place, ...(await planOne(placed, apply)) };
      } catch (error) {
        if (apply.signal?.aborted === true) throw apply.signal.reason;
        const missing = missingNamespace(error);
        if (missing !== undefined && prerequisites.createsNamespace(missing))
          return { ...later([`Namespace ${JSON.stringify(missing)}`]), ...place };
        return { ...place, action: "refuse", changes: [], refusal: refusalOf(error) };
      }
    },
  };
}

type Effect = Pick<PlannedManifest, "action" | "changes" | "object" | "stored" | "refusal">;

/** Number of attempts to read an object and its prediction in the same version. */
const attempts = 5;

/** Compares the stored object with the result of a dry run. */
async function planOne({ object, handle }: PlacedManifest, apply: ApplyOptions): Promise<Effect> {
  const { name } = object.metadata;
  for (let attempt = 1; ; attempt++) {
    const stored = await handle.getOptional(name, onlySignal(apply));
    let predicted: DynamicObject;
    let refusal: PlannedManifest["refusal"];
    const conflicts = new Set<string>();
    try {
      predicted = await handle.apply(object as never, { ...apply, dryRun: "All" });
    } catch (error) {
      if (missingNamespace(error) !== undefined || apply.signal?.aborted === true) throw error;
      refusal = refusalOf(error);
      const refused: Effect = { action: "refuse", changes: [], refusal, ...(stored && { stored: versionOf(stored) }) };
      for (const { field } of applyConflicts(error)) conflicts.add(field);
      if (conflicts.size === 0) return refused;
      // With force, a dry run shows the change that the conflict prevents, unless something else prevents it, too.
      try {
        predicted = await handle.apply(object as never, { ...apply, force: true, dryRun: "All" });
      } catch (second) {
        if (second instanceof StatusError) return refused;
        throw second;
      }
    }
    // Another writer changed the object between the two requests.
    const moved = stored !== undefined && predicted.metadata?.resourceVersion !== stored.metadata?.resourceVersion;
    if (moved && attempt < attempts) continue;
    return compare(object, stored, predicted, { refusal, conflicts });
  }
}

function compare(
  manifest: Manifest,
  stored: DynamicObject | undefined,
  predicted: DynamicObject,
  { refusal, conflicts }: { refusal: PlannedManifest["refusal"]; conflicts: ReadonlySet<string> },
): Effect {
  const secret = holdsSecrets(manifest);
  const { managedFields: _, ...metadata } = predicted.metadata ?? {};
  const shown = { ...predicted, metadata };
  const object = secret ? maskSecret(shown) : shown;
  if (stored === undefined) return { action: "create", changes: [], object };
  const found = fieldChanges(stored, predicted);
  const changes = (secret ? maskChanges(found) : found).map((change) => ({
    ...change,
    conflict: conflicts.has(change.path),
  }));
  const base = { changes, object, stored: versionOf(stored) };
  if (refusal) return { ...base, action: "refuse", refusal };
  const same = changes.length === 0 && deepEqual(stored.metadata?.managedFields, predicted.metadata?.managedFields);
  return { ...base, action: same ? "unchanged" : "change" };
}

function versionOf({ metadata }: DynamicObject): { uid: string; resourceVersion: string } {
  return { uid: metadata?.uid ?? "", resourceVersion: metadata?.resourceVersion ?? "" };
}
