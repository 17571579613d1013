import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { DynamicResource, Resource } from "../client/resource/resource.js";
import type { DiscoveredResource } from "../discovery/api-catalog.js";
import type { Discovery } from "../discovery/discovery.js";
import { ConfigError } from "../errors/errors.js";
import { type ManifestOutcome, ManifestsError } from "../errors/manifests-error.js";
import { isConflict, isNotFound } from "../errors/predicates.js";
import { base64UrlEncode } from "../internal/base64.js";
import { utf8Encode } from "../internal/bytes.js";
import { getApiVersion } from "../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { ApplyOptions, DeleteOptions, RequestOptions } from "../meta/options.js";
import { awaitDefinitions } from "./definitions.js";
import { eachManifest, type ManifestPlacement, onlySignal, placementOf, rank } from "./each-manifest.js";
import { checkManifests, flatten, getManifestSource, setManifestSource } from "./manifest.js";
import { applyOne } from "./manifests.js";

/** Parent object of a set, which records its members' kinds and namespaces. */
export interface ApplySetParent {
  /** Resource of the parent: `secrets`, `configmaps` or `resource.group`. Default `secrets`. */
  readonly resource?: string | undefined;
  /** Name of the parent. */
  readonly name: string;
  /** Namespace of the parent, if it is namespaced. */
  readonly namespace?: string | undefined;
}

/** Identity and policy of a set. */
export interface ApplySetMembership {
  /** Parent object of the set. A missing Secret or ConfigMap is created. */
  readonly parent: ApplySetParent;
  /** `false` keeps members that are no longer in the manifests. Default `true`: they are deleted. */
  readonly prune?: boolean | undefined;
  /** Name and version of the tool, `name/version`. Sets of other tools are rejected. Default `kubestream/v1`. */
  readonly tooling?: string | undefined;
  /** Propagation policy for pruned objects. Default `Background`. */
  readonly propagationPolicy?: NonNullable<DeleteOptions["propagationPolicy"]> | undefined;
}

/** Options for `applySet`. */
export interface ApplySetOptions extends ApplyOptions, ManifestPlacement, ApplySetMembership {}

const prefix = "applyset.kubernetes.io/";
const labels = { id: `${prefix}id`, partOf: `${prefix}part-of` };
const annotations = {
  tooling: `${prefix}tooling`,
  kinds: `${prefix}contains-group-kinds`,
  namespaces: `${prefix}additional-namespaces`,
};

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
  options: Partial<ApplyOptions> & ManifestPlacement & ApplySetMembership,
): Promise<ManifestOutcome[]>;
export function applySet(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: ApplySetOptions,
): Promise<ManifestOutcome[]>;
export async function applySet(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplyOptions> & ManifestPlacement & ApplySetMembership,
): Promise<ManifestOutcome[]> {
  const {
    parent: parentRef,
    prune = true,
    tooling = "kubestream/v1",
    propagationPolicy = "Background",
    discovery: given,
    namespace: fallback,
    definitionTimeoutMs,
    clock,
    ...apply
  } = options;
  const placement = placementOf(client, options);
  const { discovery } = placement;
  const request = onlySignal(options);
  const objects = flatten(manifests);
  // Validate first, so that the parent never records members that can't be applied.
  checkManifests(objects);
  const parent = await findParent(client, discovery, parentRef, request);
  const id = await applySetId(parentRef, parent.resource);
  const before = await readParent(parent, parentRef, { id, tooling }, request);

  const now = { kinds: new Set<string>(), namespaces: new Set<string>() };
  for (const object of objects) {
    now.kinds.add(groupKind(object.apiVersion, object.kind));
    const namespace = object.metadata.namespace ?? fallback;
    const resource = await discovery.find({ apiVersion: object.apiVersion, kind: object.kind }, request);
    // An unserved kind may be namespaced. Recording one namespace too many is harmless.
    if (namespace !== undefined && resource?.scope !== "Cluster") now.namespaces.add(namespace);
  }
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

  const uids = new Set<string>();
  const marked = objects.map((object) =>
    setManifestSource(
      { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [labels.partOf]: id } } },
      getManifestSource(object),
    ),
  );
  const outcomes = await eachManifest(marked, { order: rank, placement, request: apply }, async (placed) => {
    const done = await applyOne(placed, apply as ApplyOptions);
    if (done.object.metadata?.uid !== undefined) uids.add(done.object.metadata.uid);
    return done;
  }).then((done) => (apply.dryRun ? done : awaitDefinitions(done, placement, request)));
  if (outcomes.some((each) => each.outcome === "failed")) throw new ManifestsError("apply", outcomes);
  if (!prune) return outcomes;

  const namespaces = new Set([
    ...before.namespaces,
    ...(parentRef.namespace === undefined ? [] : [parentRef.namespace]),
  ]);
  const pruned = await pruneMembers(
    client,
    discovery,
    { kinds: before.kinds, namespaces, id, keep: uids },
    {
      propagationPolicy,
      ...(apply.dryRun && { dryRun: apply.dryRun }),
      ...(apply.signal && { signal: apply.signal }),
    },
  );
  const all = [...outcomes, ...pruned];
  if (pruned.some((each) => each.outcome === "failed")) throw new ManifestsError("prune", all);
  await write(now);
  return all;
}

interface Members {
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

interface SetIdentity {
  readonly id: string;
  /** Name and version of the tool that manages the set. */
  readonly tooling: string;
}

interface Parent {
  readonly resource: DiscoveredResource;
  readonly handle: Resource<DynamicObject>;
}

async function findParent(
  client: Client,
  discovery: Discovery,
  ref: ApplySetParent,
  request: RequestOptions,
): Promise<Parent> {
  const resource = await discovery.find(ref.resource ?? "secrets", request);
  if (resource === undefined)
    throw new ConfigError(
      `apply set ${JSON.stringify(ref.name)}: the server doesn't serve the resource ${JSON.stringify(ref.resource ?? "secrets")}`,
    );
  const all: DynamicResource = client.resource(resource);
  if (resource.scope === "Cluster") return { resource, handle: all };
  if (ref.namespace === undefined)
    throw new TypeError(`apply set ${JSON.stringify(ref.name)}: options.parent.namespace is required`);
  return { resource, handle: all.namespace(ref.namespace) };
}

/** Returns the ID of a set: a hash of its parent's name, namespace and kind. The members' label carries it. */
export async function applySetId(
  parent: ApplySetParent,
  resource: { readonly kind: string; readonly group: string },
): Promise<string> {
  const text = [parent.name, parent.namespace ?? "", resource.kind, resource.group].join(".");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8Encode(text) as Uint8Array<ArrayBuffer>));
  return `applyset-${base64UrlEncode(hash)}-v1`;
}

/** Reads the recorded members. Throws a `ConfigError` if the parent belongs to another set or tool. */
async function readParent(
  parent: Parent,
  ref: ApplySetParent,
  { id, tooling }: SetIdentity,
  request: RequestOptions,
): Promise<Members> {
  const what = `apply set parent ${parent.resource.plural} ${JSON.stringify(ref.name)}`;
  let object: DynamicObject;
  try {
    object = await parent.handle.get(ref.name, request);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (parent.resource.group !== "" || !["Secret", "ConfigMap"].includes(parent.resource.kind))
      throw new ConfigError(`${what} doesn't exist; only Secrets and ConfigMaps are created automatically`, {
        cause: error,
      });
    return { kinds: new Set(), namespaces: new Set() };
  }
  const { labels: own = {}, annotations: notes = {} } = object.metadata ?? {};
  const tool = notes[annotations.tooling];
  const name = tooling.split("/")[0]!;
  if (tool === undefined)
    throw new ConfigError(
      `${what} exists but is not the parent of a set: annotation ${annotations.tooling} is missing`,
    );
  if (tool.split("/")[0] !== name)
    throw new ConfigError(`${what} is managed by ${JSON.stringify(tool)}, not by ${JSON.stringify(name)}`);
  if (own[labels.id] !== id)
    throw new ConfigError(`${what} belongs to another set according to its label ${labels.id}`);
  return { kinds: new Set(split(notes[annotations.kinds])), namespaces: new Set(split(notes[annotations.namespaces])) };
}

function parentObject(
  resource: DiscoveredResource,
  ref: ApplySetParent,
  { id, tooling }: SetIdentity,
  members: Members,
): object {
  return {
    apiVersion: getApiVersion(resource),
    kind: resource.kind,
    metadata: {
      name: ref.name,
      ...(ref.namespace !== undefined && { namespace: ref.namespace }),
      labels: { [labels.id]: id },
      annotations: {
        [annotations.tooling]: tooling,
        [annotations.kinds]: [...members.kinds].sort().join(","),
        [annotations.namespaces]: [...members.namespaces]
          .filter((name) => name !== ref.namespace)
          .sort()
          .join(","),
      },
    },
  };
}

/** Deletes the members that weren't applied this time. Finds them by label and recognizes applied ones by UID. */
async function pruneMembers(
  client: Client,
  discovery: Discovery,
  { kinds, namespaces, id, keep }: Members & { readonly id: string; readonly keep: ReadonlySet<string> },
  options: DeleteOptions,
): Promise<ManifestOutcome[]> {
  const outcomes: ManifestOutcome[] = [];
  const selector = `${labels.partOf}=${id}`;
  const request = onlySignal(options);
  for (const groupAndKind of kinds) {
    const dot = groupAndKind.indexOf(".");
    const [kind, group] = dot < 0 ? [groupAndKind, ""] : [groupAndKind.slice(0, dot), groupAndKind.slice(dot + 1)];
    const resource = await discovery.find({ group, kind }, request);
    if (resource === undefined) {
      const failure = (await discovery.catalog(request)).failures.find((each) => each.group === group);
      // A kind that is no longer served has no objects. If its discovery failed, it may still have some.
      if (failure)
        outcomes.push({
          apiVersion: `${group}/${failure.version}`,
          kind,
          name: "",
          outcome: "failed",
          error: failure.error,
        });
      continue;
    }
    const all: DynamicResource = client.resource(resource);
    const places =
      resource.scope === "Cluster"
        ? [{ handle: all as Resource<DynamicObject>, namespace: undefined }]
        : [...namespaces].map((namespace) => ({ handle: all.namespace(namespace), namespace }));
    for (const { handle, namespace } of places) {
      for await (const member of handle.metadataOnly().items({ labelSelector: selector, ...request })) {
        const { name = "", uid } = member.metadata;
        if (uid === undefined || keep.has(uid)) continue;
        const ref = {
          apiVersion: getApiVersion(resource),
          kind: resource.kind,
          name,
          ...(namespace !== undefined && { namespace }),
        };
        try {
          await handle.delete(name, { ...options, preconditions: { uid } });
          outcomes.push({ ...ref, outcome: "pruned" });
        } catch (error) {
          // Already gone, or replaced by another object of the same name.
          if (isNotFound(error) || isConflict(error)) outcomes.push({ ...ref, outcome: "absent" });
          else outcomes.push({ ...ref, outcome: "failed", error });
        }
      }
    }
  }
  return outcomes;
}

/** Formats a kind like `Deployment.apps` or `Pod`. */
function groupKind(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? kind : `${kind}.${apiVersion.slice(0, slash)}`;
}

function split(list: string | undefined): string[] {
  return list === undefined || list === "" ? [] : list.split(",");
}
