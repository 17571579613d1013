import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import { type ManifestOutcome, ManifestsError } from "../errors/manifests-error.js";
import { isConflict } from "../errors/predicates.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { ApplyOptions } from "../meta/options.js";
import { pruneMembers } from "./apply-set-members.js";
import {
  type ApplySetMembership,
  applySetId,
  findParent,
  groupKind,
  type Members,
  type Parent,
  parentObject,
  readParent,
  setLabels,
} from "./apply-set-parent.js";
import { awaitDefinitions } from "./definitions.js";
import {
  eachManifest,
  type ManifestPlacement,
  type ManifestProgressOptions,
  onlySignal,
  type Placement,
  placementOf,
  requestOptions,
} from "./each-manifest.js";
import { installRank } from "./install-order.js";
import { checkManifests, flatten, getManifestSource, type Manifest, setManifestSource } from "./manifest.js";
import { type ApplyAct, applyOne } from "./manifests.js";

/** Options for `applySet`. */
export interface ApplySetOptions extends ApplyOptions, ManifestPlacement, ManifestProgressOptions, ApplySetMembership {}

/**
 * Applies a set of objects and prunes the members that are no longer in it. The set is stored in kubectl's ApplySet
 * format: a parent object records kinds and namespaces, and a label marks the members. If any object fails to apply,
 * nothing is pruned.
 *
 * Returns the outcome of each object and each pruned one. If some failed, rejects with a `ManifestsError` that carries
 * the same outcomes. Throws a `TypeError` for an invalid object and a `ConfigError` for a parent of another set or
 * tool. Without `fieldManager`, the client's field manager is used.
 * @see
 * https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#alternative-kubectl-apply-f-directory-prune
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { applySet, parseManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ fieldManager: "deployer" });
 * const objects = await parseManifests(await readFile("app.yaml", "utf8"));
 * const outcomes = await applySet(client, objects, { parent: { name: "app", namespace: "web" }, namespace: "web" });
 * for (const { kind, name, outcome } of outcomes) console.log(kind, name, outcome);
 * ```
 */
export function applySet(
  client: Client<string>,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplySetOptions> & ApplySetMembership,
): Promise<ManifestOutcome[]>;
export function applySet(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: ApplySetOptions,
): Promise<ManifestOutcome[]>;
export function applySet(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplySetOptions> & ApplySetMembership,
): Promise<ManifestOutcome[]> {
  return applySetWith(client, manifests, options, applyOne);
}

/** Applies a set, each object with `act`. */
export async function applySetWith(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplySetOptions> & ApplySetMembership,
  act: ApplyAct,
): Promise<ManifestOutcome[]> {
  const {
    parent: parentRef,
    prune = true,
    tooling = defaultTooling,
    propagationPolicy = "Background",
    ...apply
  } = requestOptions(options);
  const placement = placementOf(client, options);
  const { discovery } = placement;
  const request = onlySignal(options);
  const { parent, id, before, now, marked, pruneIn } = await openSet(placement, flatten(manifests), options);

  const write = async (members: Members): Promise<void> => {
    const object = parentObject(parent.resource, parentRef, { id, tooling }, members);
    const manager = `${tooling.split("/")[0]!}-applyset`;
    const how = { ...apply, fieldManager: manager, force: false };
    try {
      await parent.handle.apply(object as never, how);
    } catch (error) {
      // Only this tool may own these annotations, so other changes are overwritten, like kubectl does.
      if (!isConflict(error)) throw error;
      await parent.handle.apply(object as never, { ...how, force: true });
    }
  };
  // Until everything is applied and pruned, record old and new members: a failure then leaves no orphans.
  await write({
    kinds: new Set([...before.kinds, ...now.kinds]),
    namespaces: new Set([...before.namespaces, ...now.namespaces]),
  });

  const keep = new Set<string>();
  const outcomes = await eachManifest(
    marked,
    { order: installRank, placement, request: apply, onProgress: options.onProgress },
    async (placed) => {
      const done = await act(placed, apply as ApplyOptions);
      if (done.object.metadata?.uid !== undefined) keep.add(done.object.metadata.uid);
      return done;
    },
  ).then((done) => (apply.dryRun ? done : awaitDefinitions(done, placement, request)));
  if (outcomes.some((each) => each.outcome === "failed")) throw new ManifestsError("apply", outcomes);
  if (!prune) return outcomes;

  const query = { kinds: before.kinds, namespaces: pruneIn, id, keep };
  const pruned = await pruneMembers(client, discovery, query, {
    propagationPolicy,
    ...(apply.dryRun && { dryRun: apply.dryRun }),
    ...(apply.signal && { signal: apply.signal }),
  });
  const all = [...outcomes, ...pruned];
  if (pruned.some((each) => each.outcome === "failed")) throw new ManifestsError("prune", all);
  await write(now);
  return all;
}

const defaultTooling = "kubestream/v1";

/** A set before it is applied. */
interface OpenSet {
  readonly parent: Parent;
  readonly id: string;
  /** Recorded members. */
  readonly before: Members;
  /** Members after the apply. */
  readonly now: Members;
  /** Objects with the label of the set. */
  readonly marked: Manifest[];
  /** Namespaces in which former members may be. */
  readonly pruneIn: ReadonlySet<string>;
}

/**
 * Reads the parent of a set and labels its objects. Throws a `TypeError` for an invalid object, so that the parent never
 * records members that can't be applied.
 */
export async function openSet(
  { client, discovery, namespace: fallback }: Placement,
  objects: readonly DynamicObject[],
  options: ApplySetMembership & Pick<ApplyOptions, "signal">,
): Promise<OpenSet> {
  const { parent: ref, tooling = defaultTooling } = options;
  const request = onlySignal(options);
  checkManifests(objects);
  const parent = await findParent(client, discovery, ref, request);
  const id = await applySetId(ref, parent.resource);
  const before = await readParent(parent, ref, { id, tooling }, request);
  const now = { kinds: new Set<string>(), namespaces: new Set<string>() };
  for (const object of objects) {
    now.kinds.add(groupKind(object.apiVersion, object.kind));
    const namespace = object.metadata.namespace ?? fallback;
    const resource = await discovery.find({ apiVersion: object.apiVersion, kind: object.kind }, request);
    // An unserved kind may be namespaced. Recording one namespace too many is harmless.
    if (namespace !== undefined && resource?.scope !== "Cluster") now.namespaces.add(namespace);
  }
  const marked = objects.map((object) => {
    const labels = { ...object.metadata.labels, [setLabels.partOf]: id };
    return setManifestSource({ ...object, metadata: { ...object.metadata, labels } }, getManifestSource(object));
  });
  const pruneIn = new Set([...before.namespaces, ...(ref.namespace === undefined ? [] : [ref.namespace])]);
  return { parent, id, before, now, marked, pruneIn };
}
