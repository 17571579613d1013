import type { Resource } from "../../../client/resource/resource.js";
import { isConflict, isInvalid, isNotFound } from "../../../errors/predicates.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import { getControllerOwner, ownerReference } from "../../../objects/owner-references.js";
import type { JsonPatchOperation } from "../../../patch/patch-types.js";

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
  /** Signal for the requests. */
  readonly signal: AbortSignal;
}

/**
 * Returns the objects that an owner controls. Adopts objects that match its selector and have no controller, and
 * releases its own objects that no longer match.
 */
export async function claim<T extends KubernetesObject>(options: ClaimOptions<T>): Promise<DeepReadonly<T>[]> {
  const { owner, selector, candidates } = options;
  const claimed: DeepReadonly<T>[] = [];
  const deleted = owner.metadata?.deletionTimestamp !== undefined;
  let mayAdopt: Promise<boolean> | undefined;
  for (const object of candidates) {
    const controller = getControllerOwner(object);
    const matches = matchesLabelSelector(selector, object.metadata?.labels);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata?.uid) continue;
      if (matches) claimed.push(object);
      else if (!deleted) await release(options, object);
    } else if (matches && !deleted && object.metadata?.deletionTimestamp === undefined) {
      mayAdopt ??= options.readOwner().then((fresh) => isAlive(fresh, owner));
      if ((await mayAdopt) && (await adopt(options, object))) claimed.push(object);
    }
  }
  return claimed;
}

function isAlive(fresh: DeepReadonly<KubernetesObject>, owner: DeepReadonly<KubernetesObject>): boolean {
  return fresh.metadata?.uid === owner.metadata?.uid && fresh.metadata?.deletionTimestamp === undefined;
}

/** Returns false if the object is gone, or another controller adopted it. */
async function adopt<T extends KubernetesObject>(
  { owner, objects, signal }: ClaimOptions<T>,
  { metadata }: DeepReadonly<T>,
): Promise<boolean> {
  const reference = ownerReference(owner, { controller: true });
  const operations: JsonPatchOperation[] = [
    { op: "test", path: "/metadata/uid", value: metadata!.uid! },
    metadata?.ownerReferences === undefined
      ? { op: "add", path: "/metadata/ownerReferences", value: [reference] }
      : { op: "add", path: "/metadata/ownerReferences/-", value: reference },
  ];
  return await unlessGone(objects.patch(metadata!.name!, { type: "json", operations }, { signal }));
}

async function release<T extends KubernetesObject>(
  { owner, objects, signal }: ClaimOptions<T>,
  { metadata }: DeepReadonly<T>,
): Promise<void> {
  const path = `/metadata/ownerReferences/${metadata!.ownerReferences!.findIndex(({ uid }) => uid === owner.metadata?.uid)}`;
  const operations: JsonPatchOperation[] = [
    { op: "test", path: "/metadata/uid", value: metadata!.uid! },
    { op: "test", path: `${path}/uid`, value: owner.metadata!.uid! },
    { op: "remove", path },
  ];
  await unlessGone(objects.patch(metadata!.name!, { type: "json", operations }, { signal }));
}

async function unlessGone(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return false;
    throw error;
  }
}
