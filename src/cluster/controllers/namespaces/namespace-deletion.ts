import type { Client } from "../../../client/client.js";
import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import type { DiscoveryFailure } from "../../../discovery/api-catalog.js";
import { createDiscovery } from "../../../discovery/discovery.js";
import { isMethodNotSupported, isNotFound } from "../../../errors/predicates.js";
import { StatusError } from "../../../errors/status-error.js";
import { Namespace, Pod } from "../../../kinds/core/v1.js";
import type { ObjectMeta } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";
import { type DeletableKind, listDeletableKinds } from "../garbage/deletable-kinds.js";
import { serverMessage } from "../shared/server-message.js";
import { mergeConditions, type Remains, remainingConditions } from "./remaining-conditions.js";

const finalizer = "kubernetes";
/** Longest time in milliseconds between two attempts to empty a namespace. */
const longestPauseMs = 5_000;

/**
 * Creates the controller that empties a namespace that is being deleted, and then lets it go.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
export function createNamespaceController({ client, clock, log }: ClusterContext): Controller {
  const discovery = createDiscovery(client, { clock });
  return createController({
    name: "namespace",
    for: client.resource(Namespace),
    predicates: [({ object }) => object.metadata?.deletionTimestamp !== undefined],
    concurrency: 10,
    clock,
    log,
    async reconcile({ name }, { object: namespace, signal }) {
      if (namespace?.metadata?.deletionTimestamp === undefined) return undefined;
      if (namespace.spec?.finalizers?.includes(finalizer) !== true) return undefined;
      const catalog = await discovery.catalog({ signal, fresh: true });
      const kinds = listDeletableKinds(catalog).filter(({ scope }) => scope === "Namespaced");
      const remains: Remains = new Map();
      const refusals: string[] = [];
      /** Deletes all objects of a kind. Returns those that remain; none if the server refuses a deletion. */
      const tryToEmpty = async (kind: DeletableKind): Promise<readonly ObjectMeta[]> =>
        empty(client, kind, name, signal).catch((error: unknown) => {
          if (!(error instanceof StatusError)) throw error;
          refusals.push(serverMessage(error));
          return [];
        });
      const pods = kinds.find(({ group, plural }) => group === "" && plural === "pods");
      // The pods go first, so that what protects them, such as a NetworkPolicy, stays until they have ended.
      const podsEnd = pods !== undefined && (await tryToEmpty(pods)).length > 0;
      for (const kind of podsEnd ? [] : kinds.filter((each) => each !== pods)) {
        const left = await tryToEmpty(kind);
        if (left.length > 0) remains.set(`${kind.plural}.${kind.group}`, left);
      }
      const failed = catalog.failures.map(describeFailure).sort();
      const namespaces = client.resource(Namespace);
      if (podsEnd || remains.size > 0 || failed.length > 0 || refusals.length > 0) {
        const conditions = remainingConditions(remains, { failed, refusals }, formatTime(clock.now()));
        await namespaces.subresource("status").update(
          name,
          (fresh) => {
            fresh.status = { ...fresh.status, conditions: mergeConditions(fresh.status?.conditions ?? [], conditions) };
          },
          { signal },
        );
        return { requeueAfterMs: podsEnd ? await pauseMs(client, name, signal) : 1_000 };
      }
      // `finalize` can't be read, so the update sends the namespace from the cache.
      const finalizers = namespace.spec.finalizers.filter((each) => each !== finalizer);
      await namespaces
        .subresource("finalize")
        .update({ ...namespace, spec: { ...namespace.spec, finalizers } }, { signal })
        .catch((error: unknown) => {
          if (isNotFound(error)) return;
          throw error;
        });
      return undefined;
    },
  });
}

/** Returns a part of the API that couldn't be read, with the reason. */
function describeFailure({ group, version, error }: DiscoveryFailure): string {
  const name = `${group}/${version}`;
  return `${name}: ${error instanceof StatusError ? serverMessage(error) : `stale GroupVersion discovery: ${name}`}`;
}

/** Deletes all objects of a kind in a namespace. Returns the metadata of those that remain. */
async function empty(
  client: Client,
  kind: DeletableKind,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly ObjectMeta[]> {
  const handle = client.resource(kind).namespace(namespace);
  const list = async (): Promise<ObjectMeta[]> => {
    const { items } = await handle.metadataOnly().list({ signal });
    return items.map(({ metadata }) => metadata);
  };
  try {
    if ((await list()).length === 0) return [];
    if (kind.verbs.includes("deletecollection"))
      await handle.deleteCollection({ propagationPolicy: "Background", signal });
    else
      for (const { name = "" } of await list())
        await handle.delete(name, { propagationPolicy: "Background", signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    return await list();
  } catch (error) {
    // The server stopped serving the kind, or doesn't list it.
    if (isNotFound(error) || isMethodNotSupported(error)) return [];
    throw error;
  }
}

/** Returns how long to wait: about half of the pods' grace periods. */
async function pauseMs(client: Client, namespace: string, signal: AbortSignal): Promise<number> {
  const { items } = await client.resource(Pod).namespace(namespace).list({ signal });
  const grace = Math.max(0, ...items.map(({ metadata }) => metadata?.deletionGracePeriodSeconds ?? 0));
  return Math.min(longestPauseMs, 500 * grace + 500);
}
