import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { Resource } from "../client/resource/resource.js";
import type { DiscoveredResource } from "../discovery/api-catalog.js";
import { createDiscovery, type Discovery } from "../discovery/discovery.js";
import { KubestreamError } from "../errors/kubestream-error.js";
import type { ManifestOutcome } from "../errors/manifests-error.js";
import { type BackoffOptions, backoffDelayMs } from "../internal/backoff.js";
import { type Clock, sleep, systemClock } from "../internal/clock.js";
import type { Defaulted } from "../internal/defined.js";
import { handleRejection } from "../internal/handle-rejection.js";
import type { RequestOptions } from "../meta/options.js";
import { checkManifests, getManifestSource, type Manifest } from "./manifest.js";
import { prerequisitesOf, UnservedKindError } from "./prerequisites.js";

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
   * Maximum wait in milliseconds for objects of the same call to start working, after everything else was applied: for
   * CustomResourceDefinitions to be served, webhooks to answer, quotas to be counted. Default 60,000.
   */
  readonly dependencyTimeoutMs?: number | undefined;
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
export type Placement = Defaulted<Pick<ManifestPlacement, "discovery" | "dependencyTimeoutMs" | "clock">> & {
  readonly client: Client;
  readonly namespace: string | undefined;
};

/** Outcome for one object. */
export type Done = Pick<ManifestOutcome, "outcome" | "object">;

/** Fills in the placement's defaults. */
export function placementOf(client: Client, options: ManifestPlacement): Placement {
  const { discovery = createDiscovery(client), dependencyTimeoutMs = 60_000, clock = systemClock, namespace } = options;
  return { client, discovery, dependencyTimeoutMs, clock, namespace };
}

/** Options that report progress. */
export interface ManifestProgressOptions {
  /** Called when an object is done, and when it starts to wait for others. An error that it throws ends the call. */
  readonly onProgress?: ((progress: ManifestProgress) => void) | undefined;
}

/** Progress of one of several objects. */
export interface ManifestProgress extends Omit<ManifestOutcome, "outcome"> {
  /** Outcome of the object; `waiting` while it waits for another one. */
  readonly outcome: ManifestOutcome["outcome"] | "waiting";
  /** Object that it waits for, such as `webhook "sites.example.com"`. Absent unless it waits. */
  readonly waitsFor?: string | undefined;
  /** Number of objects that are done. */
  readonly done: number;
  /** Number of objects. */
  readonly total: number;
}

/** Options for `eachManifest`. */
interface EachOptions extends ManifestProgressOptions {
  /** Rank of an object; objects with lower ranks come first. */
  readonly order: (object: DynamicObject) => number;
  readonly placement: Placement;
  readonly request: RequestOptions;
  /** Outcome for objects whose kind the server doesn't serve. Default: they fail. */
  readonly unserved?: Done;
}

/** Delays between attempts while objects wait for others. */
const backoff: BackoffOptions = { initialMs: 200, factor: 1.5, capMs: 5_000, jitter: 0.2 };

/**
 * Runs an operation on each object in order of rank; `given` is the object before it got its namespace. A failure doesn't stop the others. Objects that depend on others are
 * repeated, with a backoff, until these work.
 */
export async function eachManifest(
  objects: readonly DynamicObject[],
  { order, placement, request, unserved, onProgress }: EachOptions,
  act: (placed: PlacedManifest, given: Manifest) => Promise<Done>,
): Promise<ManifestOutcome[]> {
  checkManifests(objects);
  const { clock, dependencyTimeoutMs } = placement;
  const prerequisites = prerequisitesOf(objects);
  const outcomes = new Map<Manifest, ManifestOutcome>();
  const report = (ref: ManifestRef, progress: Pick<ManifestProgress, "outcome" | "object" | "error" | "waitsFor">) =>
    handleRejection(onProgress?.({ ...ref, ...progress, done: outcomes.size, total: objects.length }));

  const attempt = async (object: Manifest): Promise<ManifestOutcome> => {
    const ref = refOf(object);
    const placed = await findPlace(object, placement, request);
    if (placed === undefined && unserved) return { ...ref, ...unserved };
    if (placed === undefined)
      throw new UnservedKindError(
        `${ref.kind} ${JSON.stringify(ref.name)}: the server doesn't serve kind ${ref.kind} in ${ref.apiVersion}`,
      );
    const { namespace } = placed;
    return { ...ref, ...(namespace !== undefined && { namespace }), ...(await act(placed, object)) };
  };

  const waits = new Map<Manifest, string>();
  let left = [...objects].sort((a, b) => order(a) - order(b));
  let deadline: number | undefined;
  for (let round = 1; left.length > 0; round++) {
    const waiting: Manifest[] = [];
    for (const object of left) {
      let outcome: ManifestOutcome;
      try {
        outcome = await attempt(object);
      } catch (error) {
        if (request.signal?.aborted === true) throw request.signal.reason;
        const waitsFor = prerequisites.awaited(object, error);
        const late = dependencyTimeoutMs === 0 || (deadline !== undefined && clock.monotonic() >= deadline);
        if (waitsFor !== undefined && !late) {
          waiting.push(object);
          if (waits.get(object) !== waitsFor) report(refOf(object), { outcome: "waiting", waitsFor, error });
          waits.set(object, waitsFor);
          continue;
        }
        outcome = { ...refOf(object), outcome: "failed", error: lateError(error, waitsFor, dependencyTimeoutMs) };
      }
      outcomes.set(object, outcome);
      report(outcome, outcome);
    }
    if (waiting.length > 0) {
      // Time counts from when everything else is done.
      deadline ??= clock.monotonic() + dependencyTimeoutMs;
      const remainingMs = Math.max(0, deadline - clock.monotonic());
      await sleep(Math.min(remainingMs, backoffDelayMs(backoff, round, Math.random())), clock, request.signal);
    }
    left = waiting;
  }
  return objects.map((object) => outcomes.get(object)!);
}

type ManifestRef = Pick<ManifestOutcome, "apiVersion" | "kind" | "name" | "namespace" | "source">;

/** Returns the identity of an object as outcomes show it. */
export function refOf(object: Manifest): ManifestRef {
  const { apiVersion, kind, metadata } = object;
  const source = getManifestSource(object);
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    ...(source !== undefined && { source }),
  };
}

/** Adds what an object waited for in vain to its error. */
function lateError(error: unknown, waitsFor: string | undefined, timeoutMs: number): unknown {
  if (waitsFor === undefined || timeoutMs === 0) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new KubestreamError(`${message} (waited ${timeoutMs} ms for ${waitsFor})`, { cause: error });
}

/** Finds the handle for an object. Returns `undefined` if the server doesn't serve its kind. */
export async function findPlace(
  object: Manifest,
  { client, discovery, namespace: fallback }: Placement,
  request: RequestOptions,
): Promise<PlacedManifest | undefined> {
  const resource = await discovery.find({ apiVersion: object.apiVersion, kind: object.kind }, onlySignal(request));
  if (resource === undefined) return undefined;
  const { name } = object.metadata;
  if (resource.scope === "Cluster") {
    if (object.metadata.namespace !== undefined)
      throw new TypeError(`${object.kind} ${JSON.stringify(name)} is cluster-scoped: remove metadata.namespace`);
    return { object, resource, namespace: undefined, handle: client.resource(resource) };
  }
  const namespace = object.metadata.namespace ?? fallback;
  if (namespace === undefined)
    throw new TypeError(`${object.kind} ${JSON.stringify(name)}: metadata.namespace or options.namespace is required`);
  const handle = client.resource(resource).namespace(namespace);
  return { object: { ...object, metadata: { ...object.metadata, namespace } }, resource, namespace, handle };
}

/** Returns a call's options without those for the placement and progress, which requests don't know. */
export function requestOptions<T extends ManifestPlacement & ManifestProgressOptions>(
  options: T,
): Omit<T, keyof ManifestPlacement | keyof ManifestProgressOptions> {
  const { discovery, namespace, dependencyTimeoutMs, clock, onProgress, ...request } = options;
  return request;
}

/** Reduces a call's options to those that also apply to its auxiliary requests. */
export function onlySignal(request: RequestOptions): RequestOptions {
  return request.signal === undefined ? {} : { signal: request.signal };
}
