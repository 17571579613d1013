import type { Informer } from "../../../cache/informer/informer.js";
import type { Change } from "../../../cache/store/change.js";
import type { Client } from "../../../client/client.js";
import type { Controller, SourceRegistration } from "../../../controller/reconcile/controller.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import type { ApiCatalog } from "../../../discovery/api-catalog.js";
import { listResources } from "../../../discovery/api-catalog.js";
import { isNotFound } from "../../../errors/predicates.js";
import { parseApiVersion } from "../../../meta/kind.js";
import type { DeepReadonly, ObjectMeta, OwnerReference } from "../../../meta/object.js";
import type { PartialObjectMetadata } from "../../../meta/table.js";
import type { ClusterContext } from "../context.js";
import { type DeletableKind, listDeletableKinds, nameOf } from "./deletable-kinds.js";

export const foreground = "foregroundDeletion";
export const orphan = "orphan";

/** Metadata of an object and its kind. */
export interface Located {
  readonly kind: DeletableKind;
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/**
 * Result of the search for an owner. The kind or version of an `unknown` one isn't served. One that is `elsewhere` exists in
 * another namespace than its dependent, which is invalid.
 */
export type OwnerState = "missing" | "unknown" | "elsewhere" | Located;

interface WatchedKind {
  readonly kind: DeletableKind;
  readonly informer: Informer<PartialObjectMetadata>;
  readonly source: SourceRegistration;
}

/** Kinds that change too often, and own nothing. */
const ignored = new Set(["events.", "events.events.k8s.io"]);
/** Missing owners to remember. */
const mostMissing = 500;

/** The metadata of all objects of a cluster, with an index from owners to what they own. */
export class OwnerGraph {
  readonly #client: Client;
  readonly #informers: ClusterContext["informers"];
  readonly #kinds = new Map<string, WatchedKind>();
  /** Kinds with versions that the server serves, such as `apps/v1/Deployment`. */
  #served: ReadonlySet<string> = new Set();
  readonly #missing = new Map<string, "missing" | "elsewhere">();
  /** Requests that wait for a kind to be served. */
  readonly #waiting = new Set<string>();

  constructor({ client, informers }: Pick<ClusterContext, "client" | "informers">) {
    this.#client = client;
    this.#informers = informers;
  }

  /** Starts to watch the kinds of a catalog, and stops to watch others. Resolves when all objects are known. */
  async follow(catalog: ApiCatalog, controller: Controller, signal: AbortSignal): Promise<void> {
    const served = new Map(listDeletableKinds(catalog).map((kind) => [nameOf(kind), kind]));
    const failed = new Set(catalog.failures.map(({ group }) => group));
    this.#served = new Set(
      listResources(catalog).map(({ group, version, kind }) => `${group === "" ? "" : `${group}/`}${version}/${kind}`),
    );
    for (const [name, { kind, informer, source }] of this.#kinds) {
      const now = served.get(name);
      // A group whose server doesn't answer isn't gone.
      if (now?.version === kind.version || (now === undefined && failed.has(kind.group))) continue;
      this.#kinds.delete(name);
      await source.remove();
      await informer.close();
    }
    const added = [...served].filter(([name]) => !this.#kinds.has(name) && !ignored.has(name));
    for (const [name, kind] of added) this.#kinds.set(name, this.#watch(kind, controller));
    for (const { source } of this.#kinds.values()) await source.synced({ signal });
    if (added.length === 0) return;
    for (const request of this.#waiting) controller.enqueue(parsePlace(request));
    this.#waiting.clear();
  }

  /** Returns the object of a request, if it exists. */
  find(request: ReconcileRequest): Located | undefined {
    const [name = "", object = ""] = request.name.split("/");
    const watched = this.#kinds.get(name);
    const key = request.namespace === undefined ? object : `${request.namespace}/${object}`;
    const metadata = watched?.informer.store.get(key)?.metadata;
    return metadata === undefined ? undefined : { kind: watched!.kind, metadata: metadata };
  }

  /** Returns the objects that refer to an owner. */
  dependentsOf(uid: string): Located[] {
    return [...this.#kinds.values()].flatMap(({ kind, informer }) =>
      informer.store.byIndex("owner", uid).map(({ metadata }) => ({ kind, metadata: metadata as ObjectMeta })),
    );
  }

  /** Finds the owner that an object refers to: in the cache, or else on the server. */
  async ownerOf(owner: DeepReadonly<OwnerReference>, dependent: Located, signal: AbortSignal): Promise<OwnerState> {
    const watched = this.#kindOf(owner);
    if (watched === undefined || !this.#served.has(`${owner.apiVersion}/${owner.kind}`)) {
      this.#waiting.add(JSON.stringify(placeOf(dependent)));
      return "unknown";
    }
    const { kind, informer } = watched;
    const { namespace = "" } = dependent.metadata;
    const isElsewhere = (): boolean => [...informer.store.values()].some(({ metadata }) => metadata?.uid === owner.uid);
    // A reference to a namespaced owner from a cluster-scoped object can't be resolved.
    if (kind.scope === "Namespaced" && namespace === "") return isElsewhere() ? "elsewhere" : "unknown";
    const key = kind.scope === "Namespaced" ? `${namespace}/${owner.name}` : owner.name;
    const known = informer.store.get(key)?.metadata;
    if (known?.uid === owner.uid) return { kind, metadata: known };
    const reference = `${nameOf(kind)}/${key}/${owner.uid}`;
    const remembered = this.#missing.get(reference);
    if (remembered !== undefined) return remembered;
    const all = this.#client.resource(kind);
    const handle = kind.scope === "Namespaced" ? all.namespace(namespace) : all;
    try {
      const { metadata } = await handle.metadataOnly().get(owner.name, { signal });
      if (metadata.uid === owner.uid) return { kind, metadata: metadata };
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (this.#missing.size >= mostMissing) this.#missing.clear();
    const state = kind.scope === "Namespaced" && isElsewhere() ? "elsewhere" : "missing";
    this.#missing.set(reference, state);
    return state;
  }

  /** Enqueues the dependents of an object, or its owners that wait for them. */
  enqueueRelated({ metadata }: Located, controller: Pick<Controller, "enqueue">): void {
    for (const dependent of this.dependentsOf(metadata.uid ?? "")) controller.enqueue(placeOf(dependent));
    this.#enqueueWaitingOwners(metadata, controller);
  }

  async close(): Promise<void> {
    for (const { informer } of this.#kinds.values()) await informer.close();
    this.#kinds.clear();
  }

  #enqueueWaitingOwners(metadata: DeepReadonly<ObjectMeta>, controller: Pick<Controller, "enqueue">): void {
    for (const owner of metadata.ownerReferences ?? []) {
      const watched = this.#kindOf(owner);
      const key = watched?.kind.scope === "Namespaced" ? `${metadata.namespace ?? ""}/${owner.name}` : owner.name;
      const found = watched?.informer.store.get(key)?.metadata;
      if (found?.uid === owner.uid && isForeground(found))
        controller.enqueue(placeOf({ kind: watched!.kind, metadata: found }));
    }
  }

  #kindOf({ apiVersion, kind }: DeepReadonly<OwnerReference>): WatchedKind | undefined {
    const { group } = parseApiVersion(apiVersion);
    return [...this.#kinds.values()].find((each) => each.kind.kind === kind && each.kind.group === group);
  }

  #watch(kind: DeletableKind, controller: Controller): WatchedKind {
    const informer = this.#informers.informer(this.#client.resource(kind).metadataOnly(), {
      projection: "garbage-collector",
      indexes: { owner: ({ metadata }) => (metadata?.ownerReferences ?? []).map(({ uid }) => uid) },
    });
    informer.start();
    const source = controller.addSource(
      kindSource(informer, (change: Change<PartialObjectMetadata>) => {
        const located = { kind, metadata: change.object.metadata };
        if (change.type === "deleted") this.enqueueRelated(located, controller);
        else if (change.type === "updated") this.#enqueueWaitingOwners(located.metadata, controller);
        return change.type !== "deleted" && needsReview(located.metadata) ? [placeOf(located)] : [];
      }),
    );
    return { kind, informer, source };
  }
}

/** Returns the request for an object. */
export function placeOf({ kind, metadata: { namespace, name = "" } }: Located): ReconcileRequest {
  return { ...(namespace !== undefined && { namespace }), name: `${nameOf(kind)}/${name}` };
}

function parsePlace(text: string): ReconcileRequest {
  return JSON.parse(text) as ReconcileRequest;
}

/** Returns true for an object that is being deleted after its dependents. */
export function isForeground({ deletionTimestamp, finalizers }: DeepReadonly<ObjectMeta>): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(foreground) === true;
}

function needsReview({ ownerReferences = [], deletionTimestamp, finalizers }: DeepReadonly<ObjectMeta>): boolean {
  const waits = finalizers?.includes(foreground) === true || finalizers?.includes(orphan) === true;
  return deletionTimestamp === undefined ? ownerReferences.length > 0 : waits;
}
