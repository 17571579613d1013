import { waitFor } from "../cache/informer/wait-for.js";
import type { Client } from "../client/client.js";
import type { DynamicObject } from "../client/resource/collection-handle.js";
import { KubestreamError } from "../errors/kubestream-error.js";
import { ManifestsError } from "../errors/manifests-error.js";
import { type ManifestReadiness, NotReadyError } from "../errors/not-ready-error.js";
import { StatusError } from "../errors/status-error.js";
import { linkAbort } from "../internal/abort.js";
import type { Clock } from "../internal/clock.js";
import { handleRejection } from "../internal/handle-rejection.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { RequestOptions } from "../meta/options.js";
import { readinessOf } from "../objects/readiness.js";
import type { Readiness } from "../objects/readiness-rules.js";
import { eachManifest, type ManifestPlacement, onlySignal, type PlacedManifest, placementOf } from "./each-manifest.js";
import { flatten, type Manifest } from "./manifest.js";

/** Options of a wait for objects that were applied. */
export interface ReadinessWait {
  /** Maximum wait for all objects in milliseconds. Default 300,000. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait as soon as one object has failed, such as a Deployment past its deadline. Default `false`. */
  readonly failFast?: boolean | undefined;
  /** Waits for the end of Jobs, too. Default `false`: a Job that runs is ready. */
  readonly completeJobs?: boolean | undefined;
  /** Called when the readiness of an object changes. An error that it throws ends the wait. */
  readonly onProgress?: ((object: ManifestReadiness) => void) | undefined;
}

/** Options for `waitForManifests`. */
export interface WaitForManifestsOptions extends ReadinessWait, ManifestPlacement, Pick<RequestOptions, "signal"> {}

/** Number of objects that are watched at once. */
const concurrency = 16;

/**
 * Waits until all objects are ready, by the rules of `readinessOf`. Only the identity of the given objects counts: the
 * server's versions are watched. Returns the readiness of each object in the order given.
 *
 * Rejects with a `NotReadyError` that lists all objects if some aren't ready after `timeoutMs`, with a `ManifestsError` if
 * a kind isn't served, and with the reason of `signal`.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { applyManifests, parseManifests, waitForManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const objects = await parseManifests(await readFile("app.yaml", "utf8"));
 * await applyManifests(client, objects, { namespace: "web", fieldManager: "deployer" });
 * await waitForManifests(client, objects, {
 *   namespace: "web",
 *   timeoutMs: 120_000,
 *   onProgress: ({ kind, name, status, message }) => console.log(`${kind}/${name} ${status}: ${message}`),
 * });
 * ```
 */
export async function waitForManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: WaitForManifestsOptions = {},
): Promise<ManifestReadiness[]> {
  const { timeoutMs = 300_000, failFast = false, completeJobs = false, onProgress, signal } = options;
  const placement = placementOf(client, options);
  const placed = new Map<Manifest, PlacedManifest>();
  const objects = flatten(manifests);
  const outcomes = await eachManifest(
    objects,
    { order: () => 0, placement, request: onlySignal({ signal }) },
    (each, given) => {
      placed.set(given, each);
      return Promise.resolve({ outcome: "unchanged" });
    },
  );
  if (outcomes.some(({ outcome }) => outcome === "failed")) throw new ManifestsError("wait", outcomes);
  const tracked = (objects as Manifest[]).map((each) => new TrackedObject(placed.get(each)!, onProgress));
  const link = linkAbort(signal);
  const deadline = placement.clock.monotonic() + timeoutMs;
  const queue = tracked.values();
  const work = async (): Promise<void> => {
    for (const each of queue) {
      const remainingMs = Math.max(1, deadline - placement.clock.monotonic());
      await each.wait({ timeoutMs: remainingMs, signal: link.signal, clock: placement.clock, failFast, completeJobs });
      if (failFast && each.state.status === "failed") link.abort();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, tracked.length) }, work));
  } finally {
    link.abort();
  }
  signal?.throwIfAborted();
  const states = tracked.map(({ state }) => state);
  if (states.some(({ status }) => status !== "current")) throw new NotReadyError(states);
  return states;
}

interface ObjectWait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly failFast: boolean;
  readonly completeJobs: boolean;
}

/** An object whose readiness is followed. */
class TrackedObject {
  state: ManifestReadiness;
  readonly #placed: PlacedManifest;
  readonly #onProgress: ReadinessWait["onProgress"];

  constructor(placed: PlacedManifest, onProgress: ReadinessWait["onProgress"]) {
    const { apiVersion, kind, metadata } = placed.object;
    const { namespace } = placed;
    this.#placed = placed;
    this.#onProgress = onProgress;
    this.state = {
      apiVersion,
      kind,
      name: metadata.name,
      ...(namespace !== undefined && { namespace }),
      status: "inProgress",
      reason: "NotObserved",
      message: "the object was not read yet",
    };
  }

  /** Resolves when the object is ready, has failed for good, or the time is over. */
  async wait({ timeoutMs, signal, clock, failFast, completeJobs }: ObjectWait): Promise<void> {
    const { apiVersion, kind, name } = this.state;
    const isDone = (object: DeepReadonly<DynamicObject> | undefined): boolean => {
      // Items of lists may lack the kind.
      this.#update(
        object === undefined
          ? absent
          : readinessOf({ ...object, apiVersion, kind }, { nowMs: clock.now(), completeJobs }),
      );
      return this.state.status === "current" || (failFast && this.state.status === "failed");
    };
    try {
      await waitFor(this.#placed.handle, name, isDone, { timeoutMs, signal, clock });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StatusError)
        this.#update({ status: "failed", reason: error.reason || "Error", message: error.message });
      else if (!(error instanceof KubestreamError)) throw error;
    }
  }

  #update({ status, reason, message }: Readiness): void {
    const { state } = this;
    if (state.status === status && state.reason === reason && state.message === message) return;
    this.state = { ...state, status, reason, message };
    handleRejection(this.#onProgress?.(this.state));
  }
}

const absent: Readiness = { status: "inProgress", reason: "NotFound", message: "the object doesn't exist" };
