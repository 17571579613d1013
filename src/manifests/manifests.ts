import { getResponseInfo } from "../client/call/response-info.js";
import type { Client } from "../client/client.js";
import { type DynamicObject, isStatus } from "../client/resource/collection-handle.js";
import { type Resource } from "../client/resource/resource.js";
import type { DiscoveredResource } from "../discovery/api-catalog.js";
import { createDiscovery, type Discovery } from "../discovery/discovery.js";
import { type ManifestOutcome, ManifestsError } from "../errors/manifests-error.js";
import { isNotFound } from "../errors/predicates.js";
import { StatusError } from "../errors/status-error.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
import type { Defaulted } from "../internal/defined.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { ApplyOptions, DeleteOptions, RequestOptions } from "../meta/options.js";
import { awaitDefinitions } from "./definitions.js";
import { checkManifests, flatten, getManifestSource, type Manifest } from "./manifest.js";

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

/** Options for `applyManifests`. */
export interface ApplyManifestsOptions extends ApplyOptions, ManifestPlacement {}

/** Options for `deleteManifests`. */
export interface DeleteManifestsOptions extends DeleteOptions, ManifestPlacement {}

/** An object of any kind with its handle. */
export interface PlacedManifest {
  readonly object: Manifest;
  readonly resource: DiscoveredResource;
  readonly namespace: string | undefined;
  readonly handle: Resource<DynamicObject>;
}

/**
 * Applies objects of any kind with server-side apply: first Namespaces, then CustomResourceDefinitions, then the others
 * in the given order. `List` objects are expanded. Waits until the kinds of applied CustomResourceDefinitions are served,
 * so that their objects can be created at once; a definition that isn't served in time has failed.
 *
 * Returns the outcome of each object. An apply that makes no difference is `unchanged`, except in a dry run; to find out,
 * each object's metadata is read first, which needs the permission to `get` it. If some objects failed, rejects with a
 * `ManifestsError` that carries the same outcomes; one failure doesn't stop the others. Throws a `TypeError` for an
 * invalid object. Without `fieldManager`, the client's field manager is used.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { applyManifests, parseManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const objects = await parseManifests(await readFile("app.yaml", "utf8"), { source: "app.yaml" });
 * const outcomes = await applyManifests(client, objects, { namespace: "web", fieldManager: "deployer" });
 * for (const { kind, name, outcome } of outcomes) console.log(`${kind}/${name} ${outcome}`);
 * ```
 */
export function applyManifests(
  client: Client<string>,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options?: Partial<ApplyManifestsOptions>,
): Promise<ManifestOutcome[]>;
export function applyManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: ApplyManifestsOptions,
): Promise<ManifestOutcome[]>;
export async function applyManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplyManifestsOptions> = {},
): Promise<ManifestOutcome[]> {
  const { discovery, namespace, definitionTimeoutMs, clock, ...apply } = options;
  const placement = placementOf(client, options);
  const outcomes = await eachManifest(flatten(manifests), { order: rank, placement, request: apply }, (placed) =>
    applyOne(placed, apply as ApplyOptions),
  ).then((done) => (apply.dryRun ? done : awaitDefinitions(done, placement, onlySignal(options))));
  if (outcomes.some((each) => each.outcome === "failed")) throw new ManifestsError("apply", outcomes);
  return outcomes;
}

/**
 * Deletes objects of any kind in the reverse order of `applyManifests`. Objects that don't exist are reported as
 * `absent`. Returns outcomes and fails like `applyManifests`.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { deleteManifests, parseManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * await deleteManifests(client, await parseManifests(await readFile("app.yaml", "utf8")), { namespace: "web" });
 * ```
 */
export async function deleteManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: DeleteManifestsOptions = {},
): Promise<ManifestOutcome[]> {
  const { discovery, namespace, definitionTimeoutMs, clock, ...remove } = options;
  // A kind that isn't served has no objects, so there is nothing to wait for.
  const placement = { ...placementOf(client, options), definitionTimeoutMs: 0 };
  const outcomes = await eachManifest(
    flatten(manifests),
    { order: (object) => -rank(object), placement, request: remove, unserved: { outcome: "absent" } },
    async ({ object, handle }) => {
      try {
        const answer = await handle.delete(object.metadata.name, remove);
        return isStatus(answer) ? { outcome: "deleted" } : { outcome: "deleting", object: answer };
      } catch (error) {
        if (isNotFound(error)) return { outcome: "absent" };
        throw error;
      }
    },
  );
  if (outcomes.some((each) => each.outcome === "failed")) throw new ManifestsError("delete", outcomes);
  return outcomes;
}

/** Applies one object, and finds out if that changed it. */
export async function applyOne({ object, handle }: PlacedManifest, options: ApplyOptions): Promise<AppliedManifest> {
  const { name } = object.metadata;
  // A dry run returns the stored version, whatever it would change.
  const before = options.dryRun === undefined ? await readVersion(handle, name, onlySignal(options)) : undefined;
  const answer = await handle.apply(object as never, options);
  if (getResponseInfo(answer)?.status === 201) return { outcome: "created", object: answer };
  const unchanged = before !== undefined && answer.metadata?.resourceVersion === before;
  return { outcome: unchanged ? "unchanged" : "applied", object: answer };
}

/** Reads the version of an object. Without it, an apply reports a change, so a failure is not an error. */
async function readVersion(
  handle: Resource<DynamicObject>,
  name: string,
  request: RequestOptions,
): Promise<string | undefined> {
  try {
    return (await handle.metadataOnly().getOptional(name, request))?.metadata.resourceVersion;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

interface AppliedManifest extends Done {
  readonly object: DynamicObject;
}

type Placement = Defaulted<Pick<ManifestPlacement, "discovery" | "definitionTimeoutMs" | "clock">> & {
  readonly client: Client;
  readonly namespace: string | undefined;
};
type Done = Pick<ManifestOutcome, "outcome" | "object">;

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
  const defined = new Set(
    objects.filter((object) => object.kind === "CustomResourceDefinition").map(groupOfDefinition),
  );
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
      const placed = await place(object, placement, request, defined);
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
async function place(
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

function groupOfDefinition(object: DynamicObject): string {
  return ((object["spec"] as { group?: unknown } | undefined)?.group as string | undefined) ?? "";
}
