import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { DynamicResource, Resource } from "../client/resource/resource.js";
import type { DiscoveredResource } from "../discovery/api-catalog.js";
import type { Discovery } from "../discovery/discovery.js";
import { ConfigError } from "../errors/errors.js";
import { isNotFound } from "../errors/predicates.js";
import { base64UrlEncode } from "../internal/base64.js";
import { utf8Encode } from "../internal/bytes.js";
import { getApiVersion, parseApiVersion } from "../meta/kind.js";
import type { DeleteOptions, RequestOptions } from "../meta/options.js";

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

const prefix = "applyset.kubernetes.io/";
/** Labels of a set's parent and members. */
export const setLabels = { id: `${prefix}id`, partOf: `${prefix}part-of` };
const annotations = {
  tooling: `${prefix}tooling`,
  kinds: `${prefix}contains-group-kinds`,
  namespaces: `${prefix}additional-namespaces`,
};

/** Kinds and namespaces of the members of a set. */
export interface Members {
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** Identity of a set and its tool. */
export interface SetIdentity {
  readonly id: string;
  /** Name and version of the tool that manages the set. */
  readonly tooling: string;
}

/** Parent object of a set with its handle. */
export interface Parent {
  readonly resource: DiscoveredResource;
  readonly handle: Resource<DynamicObject>;
}

/** Finds the resource of the parent. */
export async function findParent(
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
export async function readParent(
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
  if (own[setLabels.id] !== id)
    throw new ConfigError(`${what} belongs to another set according to its label ${setLabels.id}`);
  return { kinds: new Set(split(notes[annotations.kinds])), namespaces: new Set(split(notes[annotations.namespaces])) };
}

/** Creates the parent that records members. */
export function parentObject(
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
      labels: { [setLabels.id]: id },
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

/** Formats a kind like `Deployment.apps` or `Pod`. */
export function groupKind(apiVersion: string, kind: string): string {
  const { group } = parseApiVersion(apiVersion);
  return group === "" ? kind : `${kind}.${group}`;
}

function split(list: string | undefined): string[] {
  return list === undefined || list === "" ? [] : list.split(",");
}
