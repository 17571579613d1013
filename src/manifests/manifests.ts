import { getResponseInfo } from "../client/call/response-info.js";
import type { Client } from "../client/client.js";
import { type DynamicObject, isStatus } from "../client/resource/collection-handle.js";
import type { Resource } from "../client/resource/resource.js";
import { type ManifestOutcome, ManifestsError } from "../errors/manifests-error.js";
import { isNotFound } from "../errors/predicates.js";
import { StatusError } from "../errors/status-error.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { ApplyOptions, DeleteOptions, RequestOptions } from "../meta/options.js";
import { awaitDefinitions } from "./definitions.js";
import {
  type Done,
  eachManifest,
  type ManifestPlacement,
  type ManifestProgressOptions,
  onlySignal,
  type PlacedManifest,
  placementOf,
  requestOptions,
} from "./each-manifest.js";
import { installRank } from "./install-order.js";
import { flatten } from "./manifest.js";
import { type ReadinessWait, waitForManifests } from "./wait-for-manifests.js";

/** Options for `applyManifests`. */
export interface ApplyManifestsOptions extends ApplyOptions, ManifestPlacement, ManifestProgressOptions {
  /**
   * Waits until all objects are ready, by the rules of `readinessOf`; `true` for at most five minutes. Rejects with a
   * `NotReadyError` if some aren't. Ignored in a dry run. Default `false`.
   */
  readonly wait?: boolean | ReadinessWait | undefined;
}

/** Options for `deleteManifests`. */
export interface DeleteManifestsOptions extends DeleteOptions, ManifestPlacement, ManifestProgressOptions {}

/**
 * Applies objects of any kind with server-side apply, in the order in which they need each other: Namespaces,
 * CustomResourceDefinitions, permissions, configuration, workloads, webhooks, custom resources; otherwise in the given
 * order. `List` objects are expanded. An object that can't be applied yet is repeated for up to `dependencyTimeoutMs`:
 * its kind isn't served, a webhook of the same manifests doesn't answer, or a quota isn't counted. The call also waits
 * until the kinds of all CustomResourceDefinitions are served. To resume after an interruption, call it again.
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
export function applyManifests(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplyManifestsOptions> = {},
): Promise<ManifestOutcome[]> {
  return applyManifestsWith(client, manifests, options, applyOne);
}

/** Applies one placed object. */
export type ApplyAct = (placed: PlacedManifest, options: ApplyOptions) => Promise<AppliedManifest>;

/** Applies objects of any kind, each with `act`. */
export async function applyManifestsWith(
  client: Client,
  manifests: readonly DeepReadonly<KubernetesObject>[],
  options: Partial<ApplyManifestsOptions>,
  act: ApplyAct,
): Promise<ManifestOutcome[]> {
  const { wait = false, ...apply } = requestOptions(options);
  const placement = placementOf(client, options);
  const outcomes = await eachManifest(
    flatten(manifests),
    { order: installRank, placement, request: apply, onProgress: options.onProgress },
    (placed) => act(placed, apply as ApplyOptions),
  ).then((done) => (apply.dryRun ? done : awaitDefinitions(done, placement, onlySignal(options))));
  if (outcomes.some((each) => each.outcome === "failed")) throw new ManifestsError("apply", outcomes);
  if (wait !== false && apply.dryRun === undefined)
    await waitForManifests(client, manifests, {
      ...onlySignal(options),
      ...placement,
      ...(wait === true ? {} : wait),
    });
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
  const remove = requestOptions(options);
  // A kind that isn't served has no objects, so there is nothing to wait for.
  const placement = { ...placementOf(client, options), dependencyTimeoutMs: 0 };
  const outcomes = await eachManifest(
    flatten(manifests),
    {
      order: (object) => -installRank(object),
      placement,
      request: remove,
      unserved: { outcome: "absent" },
      onProgress: options.onProgress,
    },
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
