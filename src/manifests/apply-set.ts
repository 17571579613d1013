import { getResponseInfo } from "../client/call/response-info.js";
import type { Client } from "../client/client.js";
import type { DynamicObject, DynamicResource, Resource } from "../client/resource/resource.js";
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
import {
  checkManifests,
  eachManifest,
  flatten,
  type ManifestPlacement,
  onlySignal,
  placementOf,
  rank,
} from "./manifests.js";

/** The object that remembers what a set consists of. */
export interface ApplySetParent {
  /** Its resource, as `secrets`, `configmaps` or `resource.group`. Default `secrets`. */
  readonly resource?: string;
  /** Its name. */
  readonly name: string;
  /** Its namespace, if it has one. */
  readonly namespace?: string;
}

/** What a set is, whoever applies it. */
export interface ApplySetMembership {
  /** The object that remembers what the set consists of; a Secret or ConfigMap is created where it is missing. */
  readonly parent: ApplySetParent;
  /** `false` leaves members that are no longer given. Default `true`: they are deleted. */
  readonly prune?: boolean;
  /** The tool's name and version, `name/version`: another tool's set is refused. Default `kubestream/v1`. */
  readonly tooling?: string;
  /** How pruned objects are deleted. Default `Background`. */
  readonly propagationPolicy?: NonNullable<DeleteOptions["propagationPolicy"]>;
}

/** Options of `applySet`. */
export interface ApplySetOptions extends ApplyOptions, ManifestPlacement, ApplySetMembership {}

const prefix = "applyset.kubernetes.io/";
const labels = { id: `${prefix}id`, partOf: `${prefix}part-of` };
const annotations = {
  tooling: `${prefix}tooling`,
  kinds: `${prefix}contains-group-kinds`,
  namespaces: `${prefix}additional-namespaces`,
};

/**
 * Applies a set of objects and deletes those that were in the set before and are not any more. The set is remembered as
 * kubectl's ApplySet: a parent object names kinds and namespaces, a label marks the members. Nothing is deleted where
 * something could not be applied. Answers with what became of each object and of those that were pruned; if some failed
 * it throws a `ManifestsError` that says the same. Throws a `TypeError` for what is no object of the API, and a `ConfigError` for a
 * parent that belongs to another set or tool. Without a `fieldManager` the members are the client's.
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#alternative-kubectl-apply-f-directory-prune
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
  // Before the parent is written: it is to name nothing that cannot be applied.
  checkManifests(objects);
  const parent = await findParent(client, discovery, parentRef, request);
  const id = await applySetId(parentRef, parent.resource);
  const before = await readParent(parent, parentRef, { id, tooling }, request);

  const now = { kinds: new Set<string>(), namespaces: new Set<string>() };
  for (const object of objects) {
    now.kinds.add(groupKind(object.apiVersion!, object.kind!));
    const namespace = object.metadata?.namespace ?? fallback;
    const resource = await discovery.find({ apiVersion: object.apiVersion!, kind: object.kind! }, request);
    // What is not served yet may be namespaced: naming a namespace too many does no harm.
    if (namespace !== undefined && resource?.scope !== "Cluster") now.namespaces.add(namespace);
  }
  const write = async (members: Members): Promise<void> => {
    const object = parentObject(parent.resource, parentRef, { id, tooling }, members);
    const manager = `${tooling.split("/")[0]!}-applyset`;
    const how = { ...apply, fieldManager: manager, force: false };
    try {
      await parent.handle.apply(object as never, how);
    } catch (error) {
      // The annotations are this tool's alone: whoever changed them is overruled, as kubectl does.
      if (!isConflict(error)) throw error;
      await parent.handle.apply(object as never, { ...how, force: true });
    }
  };
  // Remembers more than there is until everything is done, so that a failure in between leaves no orphan.
  await write({
    kinds: new Set([...before.kinds, ...now.kinds]),
    namespaces: new Set([...before.namespaces, ...now.namespaces]),
  });

  const uids = new Set<string>();
  const marked = objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata?.labels, [labels.partOf]: id } },
  }));
  const outcomes = await eachManifest(
    marked,
    { order: rank, placement, request: apply },
    async ({ object, handle }) => {
      const answer = await handle.apply(object as never, apply as ApplyOptions);
      if (answer.metadata?.uid !== undefined) uids.add(answer.metadata.uid);
      return { outcome: getResponseInfo(answer)?.status === 201 ? "created" : "applied", object: answer };
    },
  );
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
      `apply set ${JSON.stringify(ref.name)}: the server has no resource ${JSON.stringify(ref.resource ?? "secrets")}`,
    );
  const all: DynamicResource = client.resource(resource);
  if (resource.scope === "Cluster") return { resource, handle: all };
  if (ref.namespace === undefined)
    throw new TypeError(`apply set ${JSON.stringify(ref.name)}: its parent needs a namespace`);
  return { resource, handle: all.namespace(ref.namespace) };
}

/** The id of a set, which its label carries: a hash of what the parent is. */
export async function applySetId(
  parent: ApplySetParent,
  resource: { readonly kind: string; readonly group: string },
): Promise<string> {
  const text = [parent.name, parent.namespace ?? "", resource.kind, resource.group].join(".");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8Encode(text) as Uint8Array<ArrayBuffer>));
  return `applyset-${base64UrlEncode(hash)}-v1`;
}

/** What the set consisted of; throws where the parent belongs to somebody else. */
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
      throw new ConfigError(`${what} is not there, and only a Secret or ConfigMap is created by itself`, {
        cause: error,
      });
    return { kinds: new Set(), namespaces: new Set() };
  }
  const { labels: own = {}, annotations: notes = {} } = object.metadata ?? {};
  const tool = notes[annotations.tooling];
  const name = tooling.split("/")[0]!;
  if (tool === undefined)
    throw new ConfigError(`${what} is there without the annotation ${annotations.tooling}: it is no parent of a set`);
  if (tool.split("/")[0] !== name)
    throw new ConfigError(`${what} is managed by ${JSON.stringify(tool)}, not by ${JSON.stringify(name)}`);
  if (own[labels.id] !== id) throw new ConfigError(`${what} has the label ${labels.id} of another set`);
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

/** Deletes the members that were not applied this time, found by their label and told apart by their UID. */
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
      // A kind that is served no more has no objects; one that cannot be asked for may have.
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
          // Gone already, or another object of the same name.
          if (isNotFound(error) || isConflict(error)) outcomes.push({ ...ref, outcome: "absent" });
          else outcomes.push({ ...ref, outcome: "failed", error });
        }
      }
    }
  }
  return outcomes;
}

/** `Deployment.apps`, `Pod`. */
function groupKind(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? kind : `${kind}.${apiVersion.slice(0, slash)}`;
}

function split(list: string | undefined): string[] {
  return list === undefined || list === "" ? [] : list.split(",");
}
