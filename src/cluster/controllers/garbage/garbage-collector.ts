import type { EventRecorder } from "../../../controller/events/event-recorder.js";
import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { createDiscovery } from "../../../discovery/discovery.js";
import { isConflict, isNotFound } from "../../../errors/predicates.js";
import { CustomResourceDefinition } from "../../../kinds/apiextensions/v1.js";
import type { DeepReadonly, OwnerReference } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { createMetadataWriter } from "./metadata-writer.js";
import { foreground, isForeground, type Located, OwnerGraph, orphan, placeOf } from "./owner-graph.js";

/** Request to look which kinds the server serves. Requests for objects have a `/` in their name. */
const kindsRequest = { name: "kinds" };
/** Period in milliseconds in which the kinds are read again: those of aggregated servers have no definitions. */
const kindsPeriodMs = 30_000;
/** Objects to remember whose owner is in another namespace. */
const mostReported = 500;

/**
 * Creates the controller that deletes objects whose owners are gone, and completes deletions in the foreground and those
 * that orphan dependents.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export function createGarbageCollector(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const discovery = createDiscovery(client, { clock });
  const graph = new OwnerGraph(context);

  const writer = createMetadataWriter(client);
  const reportForeign = foreignReporter(context.recorder("garbage-collector-controller"));

  /** Removes an owner from its dependents, then its finalizer. */
  async function orphanDependents(located: Located, signal: AbortSignal): Promise<void> {
    for (const dependent of graph.dependentsOf(located.metadata.uid!))
      await unlessGone(writer.keepOwners(dependent, ({ uid }) => uid !== located.metadata.uid, signal));
    await writer.dropFinalizer(located, orphan, signal);
  }

  /** Lets dependents go first. Removes the owner's finalizer once none blocks its deletion. */
  async function deleteInForeground(located: Located, signal: AbortSignal): Promise<void> {
    const { uid } = located.metadata;
    const dependents = graph.dependentsOf(uid!);
    const blocking = dependents.filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
    for (const dependent of dependents) controller.enqueue(placeOf(dependent));
    if (blocking.length === 0) await writer.dropFinalizer(located, foreground, signal);
  }

  /** Deletes an object if all its owners are gone or going. Otherwise removes the references to those that are gone. */
  async function reviewOwners(located: Located, signal: AbortSignal): Promise<void> {
    const { namespace, ownerReferences = [], uid = "", finalizers = [] } = located.metadata;
    const solid = new Set<string>();
    let waiting = 0;
    for (const owner of ownerReferences) {
      const state = await graph.ownerOf(owner, located, signal);
      if (state === "elsewhere") reportForeign(located, owner);
      if (state === "missing" || (state === "elsewhere" && namespace !== undefined)) continue;
      if (typeof state === "object" && isForeground(state.metadata)) waiting++;
      // The dependents of an unknown kind stay: it may be served again later.
      else solid.add(owner.uid);
    }
    if (solid.size === ownerReferences.length) return;
    if (solid.size > 0) {
      await writer.keepOwners(located, (owner) => solid.has(owner.uid), signal);
      return;
    }
    const dependents = waiting === 0 ? [] : graph.dependentsOf(uid);
    // Owners that wait for each other would wait forever.
    if (dependents.some(({ metadata }) => isForeground(metadata))) await writer.unblockOwners(located, signal);
    const isMarked = finalizers.includes(orphan) || finalizers.includes(foreground);
    const propagationPolicy = dependents.length > 0 ? "Foreground" : isMarked ? undefined : "Background";
    await writer.delete(located, propagationPolicy, signal);
  }

  const controller = createController({
    name: "garbage-collector",
    for: client.resource(CustomResourceDefinition),
    // Definitions aren't reconciled: they say when to read the kinds.
    predicates: [() => false],
    watches: [
      kindSource(
        client.resource(CustomResourceDefinition),
        enqueueMapped(() => [kindsRequest]),
      ),
    ],
    concurrency: 20,
    clock,
    log,
    async reconcile(request, { signal }) {
      if (request.name === kindsRequest.name) {
        await graph.follow(await discovery.catalog({ signal, fresh: true }), controller, signal);
        return { requeueAfterMs: kindsPeriodMs };
      }
      const located = graph.find(request);
      if (located === undefined) return undefined;
      const { deletionTimestamp, finalizers = [] } = located.metadata;
      await unlessGone(
        deletionTimestamp === undefined
          ? reviewOwners(located, signal)
          : finalizers.includes(orphan)
            ? orphanDependents(located, signal)
            : finalizers.includes(foreground)
              ? deleteInForeground(located, signal)
              : Promise.resolve(),
      );
      return undefined;
    },
  });
  controller.enqueue(kindsRequest);
  return controller;
}

/** Returns a function that records once that the owner of an object is in another namespace. */
function foreignReporter(events: EventRecorder): (dependent: Located, owner: DeepReadonly<OwnerReference>) => void {
  /** UIDs of the owners that were reported, by the UID of their dependent. */
  const reported = new Map<string, Set<string>>();
  return ({ kind: { group, version, kind }, metadata }, owner) => {
    const { namespace = "", name = "", uid = "" } = metadata;
    const known = reported.get(uid) ?? new Set<string>();
    if (known.has(owner.uid)) return;
    if (reported.size >= mostReported) reported.clear();
    reported.set(uid, known.add(owner.uid));
    const identity = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
    const note = `ownerRef ${identity} does not exist in namespace "${namespace}"`;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const dependent = { apiVersion, kind, ...(namespace !== "" && { namespace }), name, uid };
    events.event(dependent, { type: "Warning", reason: "OwnerRefInvalidNamespace", note });
  };
}

/** Ignores that an object is gone or changed: a change brings it back. */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
