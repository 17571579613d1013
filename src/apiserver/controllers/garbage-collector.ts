import type { OwnerReference } from "../../meta/object.js";
import { ApiFailure } from "../errors/status.js";
import { deleteObject } from "../registry/delete.js";
import { internalContext } from "../registry/internal-context.js";
import type { readObject } from "../registry/read.js";
import { keyOf } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { updateObject } from "../registry/update.js";
import type { Bucket, LogEntry, Version } from "../storage/mvcc.js";
import type { Controller } from "./controller.js";
import { mentions, metadataOf } from "./metadata-of.js";
import type { Place } from "./owner-index.js";
import { createOwnerIndex, ownersOf, placeOf, readPlace } from "./owner-index.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";

/**
 * Deletes objects whose owners are gone, and works off the finalizers of foreground and orphan deletions.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function createGarbageCollector(services: ControllerServices): Controller {
  const index = createOwnerIndex(services.store);
  const context = internalContext(services);

  const locate = (
    place: Place,
  ): { resource: ServedResource; version: Version; namespace: string; name: string } | undefined => {
    const { bucket, key } = readPlace(place);
    const version = services.store.bucket(bucket).get(key);
    const resource = services.resources.storages().find((candidate) => candidate.bucket === bucket);
    if (version === undefined || resource === undefined) return undefined;
    const { namespace = "", name = "" } = metadataOf(version);
    return { resource, version, namespace, name };
  };

  /** The stored owner that a reference means; `undefined` if there is none of that UID. */
  const ownerAt = (owner: OwnerReference, namespace: string): Version | undefined => {
    const resource = services.resources.storages().find((candidate) => isKindOf(candidate, owner));
    if (resource === undefined) return undefined;
    const version = services.store.bucket(resource.bucket).get(keyOf(resource, namespace, owner.name));
    return version !== undefined && metadataOf(version).uid === owner.uid ? version : undefined;
  };

  const knowsKind = (owner: OwnerReference): boolean =>
    [...services.resources.all()].some((candidate) => isKindOf(candidate, owner));

  const keepOwners = (
    place: NonNullable<ReturnType<typeof locate>>,
    keep: (owner: OwnerReference) => boolean,
  ): Promise<unknown> =>
    change(place, (meta) => {
      const kept = (meta.ownerReferences ?? []).filter(keep);
      if (kept.length > 0) meta.ownerReferences = kept;
      else delete meta.ownerReferences;
    });

  const dropFinalizer = (place: NonNullable<ReturnType<typeof locate>>, finalizer: string): Promise<unknown> =>
    change(place, (meta) => {
      const kept = (meta.finalizers ?? []).filter((other) => other !== finalizer);
      if (kept.length > 0) meta.finalizers = kept;
      else delete meta.finalizers;
    });

  const change = (
    { resource, namespace, name }: NonNullable<ReturnType<typeof locate>>,
    edit: (meta: NonNullable<ReturnType<typeof readObject>["metadata"]>) => void,
  ): Promise<unknown> =>
    updateObject(context, {
      resource,
      namespace,
      name,
      subresource: "",
      unconditional: true,
      options: { dryRun: false, manager: "kube-controller-manager" },
      transform(existing) {
        const object = existing!;
        edit(object.metadata!);
        return object;
      },
    });

  const remove = async (
    place: NonNullable<ReturnType<typeof locate>>,
    propagation: "Background" | "Foreground" | undefined,
  ): Promise<void> => {
    const { resource, namespace, name, version } = place;
    await deleteObject(context, resource, namespace, name, {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagation,
      uid: metadataOf(version).uid,
      resourceVersion: undefined,
    });
  };

  /** Ends a dependent whose owners are all gone or going; lets one live that still has an owner, without the others. */
  const judge = async (place: NonNullable<ReturnType<typeof locate>>): Promise<void> => {
    const { version, namespace } = place;
    const meta = metadataOf(version);
    const owners = ownersOf(version);
    if (owners.length === 0 || meta.deletionTimestamp != null) return;
    const solid: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const owner of owners) {
      const found = ownerAt(owner, namespace);
      // A kind that is not served may come back with its objects: what it owns is left alone.
      if (found === undefined && !knowsKind(owner)) solid.push(owner);
      else if (found !== undefined)
        (isForeground(found) && owner.blockOwnerDeletion === true ? waiting : solid).push(owner);
    }
    if (solid.length > 0) {
      if (solid.length < owners.length) await keepOwners(place, (owner) => solid.some(({ uid }) => uid === owner.uid));
      return;
    }
    const finalizers = meta.finalizers ?? [];
    if (waiting.length > 0 && index.dependentsOf(meta.uid ?? "").length > 0) await remove(place, "Foreground");
    else await remove(place, finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND) ? undefined : "Background");
  };

  const work = async (key: Place): Promise<void> => {
    const place = locate(key);
    if (place === undefined) return;
    const meta = metadataOf(place.version);
    const uid = meta.uid ?? "";
    try {
      if (meta.deletionTimestamp != null && meta.finalizers?.includes(ORPHAN) === true) {
        for (const dependent of index.dependentsOf(uid)) {
          const found = locate(dependent);
          if (found !== undefined) await keepOwners(found, (owner) => owner.uid !== uid);
        }
        await dropFinalizer(place, ORPHAN);
      } else if (meta.deletionTimestamp != null && meta.finalizers?.includes(FOREGROUND) === true) {
        const blocking = index
          .dependentsOf(uid)
          .map((dependent) => ({ dependent, owners: ownersOf(locate(dependent)?.version) }))
          .filter(({ owners }) => owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
        for (const dependent of index.dependentsOf(uid)) queue.add(dependent);
        if (blocking.length === 0) await dropFinalizer(place, FOREGROUND);
      } else await judge(place);
    } catch (error) {
      // Gone in the meantime, which is what was wanted.
      if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
    }
  };

  const queue = createWorkQueue(services, "garbage-collector-controller", work);

  const consider = (bucket: Bucket, version: Version): void => {
    if (mentions(version, "ownerReferences") || mentions(version, FOREGROUND) || mentions(version, ORPHAN))
      queue.add(placeOf(bucket.name, version.key));
  };

  return {
    onCommit(bucket, entry: LogEntry) {
      index.apply(bucket, entry);
      const { version, old } = entry;
      if (version.json !== undefined) consider(bucket, version);
      if (old === undefined) return;
      const meta =
        version.json === undefined || metadataOf(version).deletionTimestamp != null ? metadataOf(old) : undefined;
      if (version.json === undefined && meta?.uid !== undefined)
        for (const dependent of index.dependentsOf(meta.uid)) queue.add(dependent);
      // An owner in foreground deletion may have waited for this one.
      if (version.json !== undefined && !mentions(old, "ownerReferences")) return;
      for (const owner of ownersOf(old)) {
        const found = ownerAt(owner, metadataOf(old).namespace ?? "");
        if (found !== undefined && isForeground(found)) queue.add(ownerPlace(owner, metadataOf(old).namespace ?? ""));
      }
    },
    rescan() {
      index.rebuild();
      for (const name of services.store.bucketNames()) {
        const bucket = services.store.bucket(name);
        bucket.scan("", undefined, services.store.revision, (version) => {
          consider(bucket, version);
          return undefined;
        });
      }
    },
    idle: () => queue.idle(),
  };

  function ownerPlace(owner: OwnerReference, namespace: string): Place {
    const resource = services.resources.storages().find((candidate) => isKindOf(candidate, owner))!;
    return placeOf(resource.bucket, keyOf(resource, namespace, owner.name));
  }
}

/** Whether an owner is of this kind, in whatever version. */
function isKindOf(resource: ServedResource, { apiVersion, kind }: OwnerReference): boolean {
  return (
    resource.kind === kind &&
    resource.group === (apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "")
  );
}

function isForeground(version: Version): boolean {
  const meta = metadataOf(version);
  return meta.deletionTimestamp != null && meta.finalizers?.includes(FOREGROUND) === true;
}
