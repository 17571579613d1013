import { ApiFailure } from "../errors/status.js";
import { formatTime } from "../objects/metadata.js";
import { internalContext } from "../registry/internal-context.js";
import type { ServedResource } from "../registry/resources.js";
import type { RegistryContext } from "../registry/services.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { deleteObject } from "../registry/write/delete.js";
import { updateObject } from "../registry/write/update.js";
import type { Version } from "../storage/bucket.js";
import type { MvccStore } from "../storage/mvcc.js";
import type { Controller } from "./controller.js";
import { metadataOf } from "./metadata-of.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const apiServices = "apiregistration.k8s.io/apiservices";

interface Condition {
  type: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/**
 * Creates the controller that empties terminating namespaces, then removes their finalizer.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
 */
export function createNamespaceDeleter(services: ControllerServices): Controller {
  const context = internalContext(services);
  const pods = services.resources.find("", "v1", "pods")!;
  // Without a kubelet, pods can't terminate gracefully.
  const gracePeriodSeconds = services.kubelets === undefined ? 0 : undefined;

  /** Deletes all objects of a resource in a namespace. Returns those that remain; none if the server refuses a deletion. */
  const emptyOf = async (resource: ServedResource, namespace: string, refusals: ApiFailure[]): Promise<Version[]> => {
    try {
      for (const { key } of versionsIn(services.store, resource, namespace))
        await remove(context, { resource, namespace, name: key.slice(namespace.length + 1) }, gracePeriodSeconds);
      return versionsIn(services.store, resource, namespace);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      refusals.push(error);
      return [];
    }
  };

  /** Deletes all objects in a namespace other than pods. Returns those that remain, by resource. */
  const empty = async (namespace: string, refusals: ApiFailure[]): Promise<Map<string, Version[]>> => {
    const left = new Map<string, Version[]>();
    for (const resource of services.resources.storages()) {
      if (!resource.namespaced || resource === pods) continue;
      const rest = await emptyOf(resource, namespace, refusals);
      if (rest.length > 0) left.set(`${resource.resource}.${resource.group}`, rest);
    }
    return left;
  };

  const queue = createWorkQueue(services, "namespace-controller", async (name) => {
    const namespace = getStored(services, "/namespaces", name);
    if (namespace?.metadata?.deletionTimestamp == null) return;
    const finalizers = (namespace["spec"] as { finalizers?: string[] } | undefined)?.finalizers ?? [];
    if (!finalizers.includes("kubernetes")) return;
    // The pods go first, so that what protects them, such as a NetworkPolicy, stays until they have ended.
    const refusals: ApiFailure[] = [];
    const podsEnd = (await emptyOf(pods, name, refusals)).length > 0;
    const left = podsEnd ? new Map<string, Version[]>() : await empty(name, refusals);
    const unread = unreadApis(services);
    if (podsEnd || left.size > 0 || unread.length > 0 || refusals.length > 0) {
      const conditions = remainingConditions(left, { unread, refusals }, formatTime(services.clock.now()));
      await change(context, { name, subresource: "status" }, (_spec, status) => {
        status.conditions = merge(status.conditions ?? [], conditions);
      });
      if (refusals.length > 0) throw refusals[0]!;
      return;
    }
    await change(context, { name, subresource: "finalize" }, (spec) => {
      spec.finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== "kubernetes");
    });
  });

  const rescan = (): void => {
    for (const namespace of listStored(services, "/namespaces")) queue.add(namespace.metadata?.name ?? "");
  };

  return {
    onCommit(bucket, { version, old }) {
      if (bucket.name === "/namespaces") {
        if (version.exists && metadataOf(version).deletionTimestamp != null) queue.add(version.key);
        return;
      }
      if (bucket.name === apiServices) {
        rescan();
        return;
      }
      // This may have been the last object, or the last finalizer, that held the namespace back.
      if (old === undefined) return;
      const slash = version.key.indexOf("/");
      if (slash < 0) return;
      const name = version.key.slice(0, slash);
      const home = services.store.bucket("/namespaces").get(name);
      if (home !== undefined && metadataOf(home).deletionTimestamp != null) queue.add(name);
    },
    rescan,
    idle: () => queue.idle(),
  };
}

/** Changes the finalizers or the conditions of a namespace. */
async function change(
  context: RegistryContext,
  place: { readonly name: string; readonly subresource: "status" | "finalize" },
  transform: (spec: { finalizers?: string[] }, status: { conditions?: Condition[] }) => void,
): Promise<void> {
  await updateObject(context, {
    ...place,
    resource: context.services.resources.find("", "v1", "namespaces")!,
    namespace: "",
    unconditional: true,
    options: { dryRun: false, manager: "kube-controller-manager" },
    transform(existing) {
      const object = existing!;
      object["spec"] ??= {};
      object["status"] ??= {};
      transform(object["spec"] as { finalizers?: string[] }, object["status"] as { conditions?: Condition[] });
      return object;
    },
  });
}

/** Returns the APIs whose extension server doesn't answer. A namespace may have objects of them. */
function unreadApis(services: ControllerServices): string[] {
  return listStored(services, apiServices)
    .filter(({ status }) =>
      (status as { conditions?: Condition[] } | undefined)?.conditions?.some(
        (each) => each.type === "Available" && each.status === "False",
      ),
    )
    .map(({ spec }) => {
      const { group, version } = spec as { group: string; version: string };
      return `${group}/${version}`;
    })
    .sort();
}

/** Deletes an object, unless it's gone. */
async function remove(
  context: RegistryContext,
  place: { readonly resource: ServedResource; readonly namespace: string; readonly name: string },
  gracePeriodSeconds: number | undefined,
): Promise<void> {
  try {
    await deleteObject(context, place, {
      dryRun: false,
      gracePeriodSeconds,
      propagation: "Background",
      uid: undefined,
      resourceVersion: undefined,
    });
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
  }
}

/** Returns the stored objects of a resource in a namespace. */
function versionsIn(store: MvccStore, { bucket }: ServedResource, namespace: string): Version[] {
  return store.bucket(bucket).versions(`${namespace}/`, `${namespace}0`, store.revision);
}

function remainingConditions(
  left: ReadonlyMap<string, readonly Version[]>,
  { unread, refusals }: { readonly unread: readonly string[]; readonly refusals: readonly ApiFailure[] },
  now: string,
): Condition[] {
  const contents = [...left].map(([resource, { length }]) => `${resource} has ${length} resource instances`).sort();
  const finalizers = new Map<string, number>();
  for (const version of [...left.values()].flat())
    for (const name of metadataOf(version).finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  const holding = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  const condition = (type: string, status: boolean, reason: string, message: string): Condition => ({
    type,
    status: status ? "True" : "False",
    lastTransitionTime: now,
    reason,
    message,
  });
  return [
    unread.length > 0
      ? condition("NamespaceDeletionDiscoveryFailure", true, "DiscoveryFailed", describeUnread(unread))
      : condition(
          "NamespaceDeletionDiscoveryFailure",
          false,
          "ResourcesDiscovered",
          "All resources successfully discovered",
        ),
    condition(
      "NamespaceDeletionGroupVersionParsingFailure",
      false,
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    refusals.length > 0
      ? condition("NamespaceDeletionContentFailure", true, "ContentDeletionFailed", describe(refusals))
      : condition(
          "NamespaceDeletionContentFailure",
          false,
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        ),
    left.size > 0
      ? condition(
          "NamespaceContentRemaining",
          true,
          "SomeResourcesRemain",
          `Some resources are remaining: ${contents.join(", ")}`,
        )
      : condition("NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"),
    holding.length > 0
      ? condition(
          "NamespaceFinalizersRemaining",
          true,
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${holding.join(", ")}`,
        )
      : condition(
          "NamespaceFinalizersRemaining",
          false,
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        ),
  ];
}

function describeUnread(apis: readonly string[]): string {
  const failures = apis.map((api) => `${api}: stale GroupVersion discovery: ${api}`);
  const list = `unable to retrieve the complete list of server APIs: ${failures.join(", ")}`;
  return `Discovery failed for some groups, ${failures.length} failing: ${list}`;
}

function describe(refusals: readonly ApiFailure[]): string {
  const messages = refusals.map(({ message }) => message).sort();
  return `Failed to delete all resource types, ${messages.length} remaining: ${messages.join(", ")}`;
}

/** Merges conditions; one whose status didn't change keeps its time. */
function merge(old: readonly Condition[], wanted: readonly Condition[]): Condition[] {
  const kept = old.filter((condition) => !wanted.some(({ type }) => type === condition.type));
  return [
    ...kept,
    ...wanted.map((condition) => {
      const before = old.find(({ type }) => type === condition.type);
      return before?.status === condition.status
        ? { ...condition, lastTransitionTime: before.lastTransitionTime }
        : condition;
    }),
  ];
}
