import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { Resource } from "../client/resource/resource.js";
import type { DiscoveredResource } from "../discovery/api-catalog.js";
import { createDiscovery, type Discovery } from "../discovery/discovery.js";
import type { ManifestOutcome } from "../errors/manifests-error.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
import type { Defaulted } from "../internal/defined.js";
import type { RequestOptions } from "../meta/options.js";
import { checkManifests, getManifestSource, type Manifest } from "./manifest.js";

/** Options that determine where objects of any kind are applied. */
export interface ManifestPlacement {
  /** Discovery of the server's kinds. Default: a new one for each call. Pass one to share its cache. */
  readonly discovery?: Discovery | undefined;
  /**
   * Default namespace for namespaced objects without `metadata.namespace`. Default: none, which makes such objects
   * fail.
   */
  readonly namespace?: string | undefined;
  /**
   * Maximum wait in milliseconds for the kinds of an applied CustomResourceDefinition to be served. Default 10,000.
   */
  readonly definitionTimeoutMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** An object of any kind with its handle. */
export interface PlacedManifest {
  readonly object: Manifest;
  readonly resource: DiscoveredResource;
  readonly namespace: string | undefined;
  readonly handle: Resource<DynamicObject>;
}

/** Placement with its defaults. */
export type Placement = Defaulted<Pick<ManifestPlacement, "discovery" | "definitionTimeoutMs" | "clock">> & {
  readonly client: Client;
  readonly namespace: string | undefined;
};

/** Outcome for one object. */
export type Done = Pick<ManifestOutcome, "outcome" | "object">;

/** Fills in the placement's defaults. */
export function placementOf(client: Client, options: ManifestPlacement): Placement {
  const { discovery = createDiscovery(client), definitionTimeoutMs = 10_000, clock = systemClock, namespace } = options;
  return { client, discovery, definitionTimeoutMs, clock, namespace };
}

/** Options for `eachManifest`. */
interface EachOptions {
  /** Rank of an object; objects with lower ranks come first. */
  readonly order: (object: DynamicObject) => number;
  readonly placement: Placement;
  readonly request: RequestOptions;
  /** Outcome for objects whose kind the server doesn't serve. Default: they fail. */
  readonly unserved?: Done;
}

/** Runs an operation on each object in order of rank. A failure doesn't stop the others. */
export async function eachManifest(
  objects: readonly DynamicObject[],
  { order, placement, request, unserved }: EachOptions,
  act: (placed: PlacedManifest) => Promise<Done>,
): Promise<ManifestOutcome[]> {
  checkManifests(objects);
  const outcomes = new Map<Manifest, ManifestOutcome>();
  const defined = definedGroups(objects);
  for (const object of [...objects].sort((a, b) => order(a) - order(b))) {
    const source = getManifestSource(object);
    const ref = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name: object.metadata.name,
      ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
      ...(source !== undefined && { source }),
    };
    try {
      const placed = await findPlace(object, placement, request, defined);
      if (placed === undefined && unserved) outcomes.set(object, { ...ref, ...unserved });
      else if (placed === undefined)
        throw new TypeError(
          `${ref.kind} ${JSON.stringify(ref.name)}: the server doesn't serve kind ${ref.kind} in ${ref.apiVersion}`,
        );
      else
        outcomes.set(object, {
          ...ref,
          ...(placed.namespace !== undefined && { namespace: placed.namespace }),
          ...(await act(placed)),
        });
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      outcomes.set(object, { ...ref, outcome: "failed", error });
    }
  }
  return objects.map((object) => outcomes.get(object)!);
}

/**
 * Finds the handle for an object. Returns `undefined` if the server doesn't serve its kind, after a wait for kinds that
 * were defined in the same call.
 */
export async function findPlace(
  object: Manifest,
  placement: Placement,
  request: RequestOptions,
  defined: ReadonlySet<string>,
): Promise<PlacedManifest | undefined> {
  const { client, discovery, clock, definitionTimeoutMs } = placement;
  const wanted = { apiVersion: object.apiVersion, kind: object.kind };
  const deadline = clock.monotonic() + definitionTimeoutMs;
  let resource = await discovery.find(wanted, onlySignal(request));
  while (resource === undefined && defined.has(object.apiVersion.split("/")[0]!) && clock.monotonic() < deadline) {
    await sleep(200, clock, request.signal);
    resource = await discovery.find(wanted, onlySignal(request));
  }
  if (resource === undefined) return undefined;
  const { name } = object.metadata;
  if (resource.scope === "Cluster") {
    if (object.metadata.namespace !== undefined)
      throw new TypeError(`${object.kind} ${JSON.stringify(name)} is cluster-scoped: remove metadata.namespace`);
    return { object, resource, namespace: undefined, handle: client.resource(resource) };
  }
  const namespace = object.metadata.namespace ?? placement.namespace;
  if (namespace === undefined)
    throw new TypeError(`${object.kind} ${JSON.stringify(name)}: metadata.namespace or options.namespace is required`);
  const handle = client.resource(resource).namespace(namespace);
  return { object: { ...object, metadata: { ...object.metadata, namespace } }, resource, namespace, handle };
}

/** Reduces a call's options to those that also apply to its auxiliary requests. */
export function onlySignal(request: RequestOptions): RequestOptions {
  return request.signal === undefined ? {} : { signal: request.signal };
}

/** Ranks an object by dependency: namespaces first, then definitions, then the rest. */
export function rank(object: DynamicObject): number {
  if (object.kind === "Namespace" && object.apiVersion === "v1") return 0;
  return object.kind === "CustomResourceDefinition" ? 1 : 2;
}

/** Returns the groups of the CustomResourceDefinitions among the objects. */
export function definedGroups(objects: readonly DynamicObject[]): Set<string> {
  const definitions = objects.filter((object) => object.kind === "CustomResourceDefinition");
  return new Set(definitions.map(({ spec }) => String((spec as { group?: unknown } | undefined)?.group ?? "")));
}
