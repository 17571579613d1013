import type { Resource } from "../../../client/resource/resource.js";
import { isConflict, isInvalid, isNotFound } from "../../../errors/predicates.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject, ObjectMeta } from "../../../meta/object.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import { getControllerOwner, ownerReference } from "../../../objects/owner-references.js";
import type { StrategicMergePatch } from "../../../patch/patch-types.js";

/** Options for `claim`. */
export interface ClaimOptions<T extends KubernetesObject> {
  /** Owner of the objects, with apiVersion and kind. */
  readonly owner: DeepReadonly<KubernetesObject>;
  /** Selector of the objects that belong to the owner. */
  readonly selector: DeepReadonly<LabelSelector> | undefined;
  /** Objects to claim: those of the owner, and those without one. */
  readonly candidates: readonly DeepReadonly<T>[];
  /** Handle for the objects in the owner's namespace. */
  readonly objects: Pick<Resource<T>, "patch">;
  /** Reads the owner from the server: an owner that is being deleted adopts nothing. */
  readonly readOwner: () => Promise<DeepReadonly<KubernetesObject>>;
  /** Finalizer of the owner's objects: adopted ones get it, released ones lose it. Default: none. */
  readonly finalizer?: string | undefined;
  /** False to keep the owner's objects that no longer match its selector, without returning them. Default: true. */
  readonly releases?: boolean | undefined;
  /** Signal for the requests. */
  readonly signal: AbortSignal;
}

/**
 * Returns the objects that an owner controls. Adopts objects that match its selector and have no controller, and
 * releases its own objects that no longer match.
 */
export async function claim<T extends KubernetesObject>(options: ClaimOptions<T>): Promise<DeepReadonly<T>[]> {
  const { owner, selector, candidates, releases = true } = options;
  const claimed: DeepReadonly<T>[] = [];
  const deleted = owner.metadata?.deletionTimestamp !== undefined;
  let mayAdopt: Promise<boolean> | undefined;
  for (const object of candidates) {
    const controller = getControllerOwner(object);
    const matches = matchesLabelSelector(selector, object.metadata?.labels);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata?.uid) continue;
      if (matches) claimed.push(object);
      else if (!deleted && releases) await release(options, object);
    } else if (matches && !deleted && object.metadata?.deletionTimestamp === undefined) {
      mayAdopt ??= options.readOwner().then((fresh) => isAlive(fresh, owner));
      const adopted = (await mayAdopt) ? await adopt(options, object) : undefined;
      if (adopted !== undefined) claimed.push(adopted);
    }
  }
  return claimed;
}

function isAlive(fresh: DeepReadonly<KubernetesObject>, owner: DeepReadonly<KubernetesObject>): boolean {
  return fresh.metadata?.uid === owner.metadata?.uid && fresh.metadata?.deletionTimestamp === undefined;
}

async function adopt<T extends KubernetesObject>(
  options: ClaimOptions<T>,
  object: DeepReadonly<T>,
): Promise<DeepReadonly<T> | undefined> {
  const { owner, finalizer } = options;
  return await patchMetadata(options, object, {
    ownerReferences: [ownerReference(owner, { controller: true })],
    ...(finalizer !== undefined && { finalizers: [finalizer] }),
  });
}

async function release<T extends KubernetesObject>(options: ClaimOptions<T>, object: DeepReadonly<T>): Promise<void> {
  const { owner, finalizer } = options;
  await patchMetadata(options, object, {
    ownerReferences: [{ $patch: "delete", uid: owner.metadata!.uid! }],
    ...(finalizer !== undefined && { "$deleteFromPrimitiveList/finalizers": [finalizer] }),
  });
}

/** Returns the changed object; `undefined` if it's gone, or another controller adopted it. */
async function patchMetadata<T extends KubernetesObject>(
  { objects, signal }: ClaimOptions<T>,
  { metadata: { name, uid } = {} }: DeepReadonly<T>,
  changes: StrategicMergePatch<ObjectMeta>,
): Promise<DeepReadonly<T> | undefined> {
  const patch = { metadata: { uid, ...changes } } as object as StrategicMergePatch<T>;
  try {
    return (await objects.patch(name!, { type: "strategic", patch }, { signal })) as DeepReadonly<T>;
  } catch (error) {
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return undefined;
    throw error;
  }
}
