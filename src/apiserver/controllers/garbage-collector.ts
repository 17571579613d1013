import type { ObjectMeta, OwnerReference } from "../../meta/object.js";
import { ApiFailure } from "../errors/status.js";
import { internalContext } from "../registry/internal-context.js";
import { keyOf } from "../registry/read.js";
import { groupVersionOf, type ServedResource } from "../registry/resources.js";
import type { RegistryContext } from "../registry/services.js";
import { deleteObject } from "../registry/write/delete.js";
import { updateObject } from "../registry/write/update.js";
import type { Bucket, LogEntry, Version } from "../storage/bucket.js";
import type { Controller } from "./controller.js";
import { foreignOwnerReporter } from "./foreign-owner.js";
import { mentions, metadataOf } from "./metadata-of.js";
import type { OwnerIndex, Place } from "./owner-index.js";
import { createOwnerIndex, ownersOf, placeOf, readPlace } from "./owner-index.js";
import type { ControllerServices } from "./services.js";
import type { WorkQueue } from "./work-queue.js";
import { createWorkQueue } from "./work-queue.js";

const foregroundFinalizer = "foregroundDeletion";
const orphanFinalizer = "orphan";
/** Most missing owners to remember. */
const mostAbsent = 500;

/** A stored object that the collector processes. */
interface Located {
  readonly resource: ServedResource;
  readonly version: Version;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Creates the controller that deletes objects whose owners are gone, and completes foreground and orphan deletions.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function createGarbageCollector(services: ControllerServices): Controller {
  return new GarbageCollector(services);
}

class GarbageCollector implements Controller {
  readonly #services: ControllerServices;
  readonly #index: OwnerIndex;
  readonly #context: RegistryContext;
  readonly #queue: WorkQueue;
  readonly #report: ReturnType<typeof foreignOwnerReporter>;
  /** UIDs of owners that no namespace has. UIDs aren't given twice. */
  readonly #absent = new Set<string>();

  constructor(services: ControllerServices) {
    this.#services = services;
    this.#index = createOwnerIndex(services.store);
    this.#context = internalContext(services);
    this.#report = foreignOwnerReporter(services);
    this.#queue = createWorkQueue(services, "garbage-collector-controller", (key) => this.#work(key));
  }

  onCommit(bucket: Bucket, entry: LogEntry): void {
    this.#index.apply(bucket, entry);
    const { version, old } = entry;
    if (version.exists) this.#consider(bucket, version);
    // Updates of objects without owners need no metadata, which would have to be parsed.
    if (old === undefined || (version.exists && !mentions(old, "ownerReferences"))) return;
    const meta = metadataOf(old);
    if (!version.exists && meta.uid !== undefined) this.#addDependents(meta.uid);
    // An owner in foreground deletion may have waited for this one.
    const namespace = meta.namespace ?? "";
    for (const owner of ownersOf(old)) {
      const found = this.#ownerAt(owner, namespace);
      if (found !== undefined && isForeground(found)) this.#queue.add(this.#ownerPlace(owner, namespace));
    }
  }

  rescan(): void {
    const { store } = this.#services;
    this.#absent.clear();
    this.#index.rebuild();
    for (const name of store.bucketNames()) {
      const bucket = store.bucket(name);
      bucket.scan("", undefined, store.revision, (version) => {
        this.#consider(bucket, version);
        return undefined;
      });
    }
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #consider(bucket: Bucket, version: Version): void {
    if (
      mentions(version, "ownerReferences") ||
      mentions(version, foregroundFinalizer) ||
      mentions(version, orphanFinalizer)
    )
      this.#queue.add(placeOf(bucket.name, version.key));
  }

  #addDependents(uid: string): void {
    for (const dependent of this.#index.dependentsOf(uid)) this.#queue.add(dependent);
  }

  async #work(key: Place): Promise<void> {
    const place = this.#locate(key);
    if (place === undefined) return;
    const { deletionTimestamp, finalizers = [] } = metadataOf(place.version);
    try {
      if (deletionTimestamp != null && finalizers.includes(orphanFinalizer)) await this.#orphan(place);
      else if (deletionTimestamp != null && finalizers.includes(foregroundFinalizer))
        await this.#deleteForeground(place);
      else await this.#reviewOwners(place);
    } catch (error) {
      // The object was deleted concurrently.
      if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
    }
  }

  /** Removes an owner from its dependents, then its `orphan` finalizer. */
  async #orphan(place: Located): Promise<void> {
    const { uid = "" } = metadataOf(place.version);
    for (const dependent of this.#index.dependentsOf(uid)) {
      const found = this.#locate(dependent);
      if (found !== undefined) await this.#keepOwners(found, (owner) => owner.uid !== uid);
    }
    await this.#dropFinalizer(place, orphanFinalizer);
  }

  /** Deletes the dependents of an owner, and removes its finalizer once none blocks the deletion. */
  async #deleteForeground(place: Located): Promise<void> {
    const { uid = "" } = metadataOf(place.version);
    const blocked = this.#index
      .dependentsOf(uid)
      .some((dependent) =>
        ownersOf(this.#locate(dependent)?.version).some(
          (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
        ),
      );
    this.#addDependents(uid);
    if (!blocked) await this.#dropFinalizer(place, foregroundFinalizer);
  }

  /**
   * Deletes a dependent if all its owners are gone or being deleted; otherwise removes the references to missing
   * owners.
   */
  async #reviewOwners(place: Located): Promise<void> {
    const { version, namespace } = place;
    const { deletionTimestamp, uid = "", finalizers = [] } = metadataOf(version);
    const owners = ownersOf(version);
    if (owners.length === 0 || deletionTimestamp != null) return;
    const solid: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const owner of owners) {
      const found = this.#ownerAt(owner, namespace);
      if (found === undefined && this.#isElsewhere(owner)) await this.#report(place.resource, version, owner);
      // An unknown kind or version may be served again later, so its dependents stay.
      if (!this.#canFind(owner, namespace)) solid.push(owner);
      else if (found !== undefined) (isForeground(found) ? waiting : solid).push(owner);
    }
    if (solid.length === owners.length) return;
    if (solid.length > 0) await this.#keepOwners(place, (owner) => solid.some((one) => one.uid === owner.uid));
    else if (waiting.length > 0 && this.#index.dependentsOf(uid).length > 0) {
      const isCircular = this.#index.dependentsOf(uid).some((dependent) => {
        const found = this.#locate(dependent);
        return found !== undefined && isForeground(found.version);
      });
      // Owners that wait for each other would wait forever.
      if (isCircular) await this.#unblockOwners(place);
      await this.#remove(place, "Foreground");
    } else
      await this.#remove(
        place,
        finalizers.includes(orphanFinalizer) || finalizers.includes(foregroundFinalizer) ? undefined : "Background",
      );
  }

  #locate(place: Place): Located | undefined {
    const { bucket, key } = readPlace(place);
    const version = this.#services.store.bucket(bucket).get(key);
    const resource = this.#services.resources.storages().find((candidate) => candidate.bucket === bucket);
    if (version === undefined || resource === undefined) return undefined;
    const { namespace = "", name = "" } = metadataOf(version);
    return { resource, version, namespace, name };
  }

  #ownerResource(owner: OwnerReference): ServedResource | undefined {
    return this.#services.resources.storages().find((candidate) => isKindOf(candidate, owner));
  }

  /** Returns the stored owner of a reference, or `undefined` if none has its UID. */
  #ownerAt(owner: OwnerReference, namespace: string): Version | undefined {
    const resource = this.#ownerResource(owner);
    if (resource === undefined) return undefined;
    const version = this.#services.store.bucket(resource.bucket).get(keyOf(resource, namespace, owner.name));
    return version !== undefined && metadataOf(version).uid === owner.uid ? version : undefined;
  }

  /** Returns true for an owner in any namespace, which must be that of its dependents. */
  #isElsewhere(owner: OwnerReference): boolean {
    if (this.#absent.has(owner.uid) || this.#ownerResource(owner)?.namespaced !== true) return false;
    const { store } = this.#services;
    const namespaces = store.bucket("/namespaces").versions("", undefined, store.revision);
    if (namespaces.some(({ key }) => this.#ownerAt(owner, key) !== undefined)) return true;
    if (this.#absent.size >= mostAbsent) this.#absent.clear();
    this.#absent.add(owner.uid);
    return false;
  }

  #ownerPlace(owner: OwnerReference, namespace: string): Place {
    const resource = this.#ownerResource(owner)!;
    return placeOf(resource.bucket, keyOf(resource, namespace, owner.name));
  }

  /** Returns false for an owner whose version isn't served, or that is namespaced while its dependent isn't. */
  #canFind(owner: OwnerReference, namespace: string): boolean {
    const { version } = groupVersionOf(owner.apiVersion);
    return [...this.#services.resources.all()].some(
      (candidate) =>
        isKindOf(candidate, owner) && candidate.version === version && (!candidate.namespaced || namespace !== ""),
    );
  }

  #keepOwners(place: Located, keep: (owner: OwnerReference) => boolean): Promise<unknown> {
    return this.#change(place, (meta) => {
      const kept = (meta.ownerReferences ?? []).filter(keep);
      if (kept.length > 0) meta.ownerReferences = kept;
      else delete meta.ownerReferences;
    });
  }

  #unblockOwners(place: Located): Promise<unknown> {
    return this.#change(place, (meta) => {
      for (const owner of meta.ownerReferences ?? [])
        if (owner.blockOwnerDeletion === true) owner.blockOwnerDeletion = false;
    });
  }

  #dropFinalizer(place: Located, finalizer: string): Promise<unknown> {
    return this.#change(place, (meta) => {
      const kept = (meta.finalizers ?? []).filter((other) => other !== finalizer);
      if (kept.length > 0) meta.finalizers = kept;
      else delete meta.finalizers;
    });
  }

  #change({ resource, namespace, name }: Located, edit: (meta: ObjectMeta) => void): Promise<unknown> {
    return updateObject(this.#context, {
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
  }

  async #remove(
    { resource, namespace, name, version }: Located,
    propagation: "Background" | "Foreground" | undefined,
  ): Promise<void> {
    await deleteObject(
      this.#context,
      { resource, namespace, name },
      {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagation,
        uid: metadataOf(version).uid,
        resourceVersion: undefined,
      },
    );
  }
}

/** True if an owner has this kind, in any version. */
function isKindOf(resource: ServedResource, { apiVersion, kind }: OwnerReference): boolean {
  return resource.kind === kind && resource.group === groupVersionOf(apiVersion).group;
}

function isForeground(version: Version): boolean {
  const meta = metadataOf(version);
  return meta.deletionTimestamp != null && meta.finalizers?.includes(foregroundFinalizer) === true;
}
