import type { Collection } from "../client/resource/collection-handle.js";
import type { Resource } from "../client/resource/resource.js";
import { ConfigError } from "../errors/errors.js";
import { systemClock } from "../internal/clock.js";
import type { KubernetesObject } from "../meta/object.js";
import type { PatchOptions } from "../meta/options.js";
import { formatTime } from "../meta/time.js";
import { isOwnedBy } from "../objects/owner-references.js";

/**
 * Restarts the pods of a workload in a rolling fashion, like `kubectl rollout restart`: it sets the annotation
 * `kubectl.kubernetes.io/restartedAt` on the pod template to the current time, or to `at`.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { restart } from "kubestream/operations";
 *
 * const client = await connect();
 * await restart(client.resource(Deployment).namespace("web"), "shop");
 * ```
 */
export function restart<T>(
  workloads: Pick<Resource<T>, "patch">,
  name: string,
  options: PatchOptions & { readonly at?: Date | undefined } = {},
): Promise<T> {
  const { at = new Date(systemClock.now()), ...patch } = options;
  const annotations = { "kubectl.kubernetes.io/restartedAt": formatTime(at) };
  return merge(workloads, name, { template: { metadata: { annotations } } }, patch);
}

/** Pauses a Deployment: changes to its pod template no longer start a rollout. */
export function pauseRollout<T>(
  deployments: Pick<Resource<T>, "patch">,
  name: string,
  options?: PatchOptions,
): Promise<T> {
  return merge(deployments, name, { paused: true }, options);
}

/** Resumes a paused Deployment. */
export function resumeRollout<T>(
  deployments: Pick<Resource<T>, "patch">,
  name: string,
  options?: PatchOptions,
): Promise<T> {
  return merge(deployments, name, { paused: null }, options);
}

/**
 * Sets the images of a workload's containers by container name; `init` does the same for init containers. Rejects with a
 * `ConfigError` if the workload has no container of a name.
 *
 * @example
 * ```ts
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { setImages } from "kubestream/operations";
 *
 * const client = await connect();
 * await setImages(client.resource(Deployment).namespace("web"), "shop", { app: "registry.example.com/shop:1.4.2" });
 * ```
 */
export async function setImages<T>(
  workloads: Pick<Resource<T>, "get" | "patch">,
  name: string,
  images: Readonly<Record<string, string>>,
  options: PatchOptions & { readonly init?: Readonly<Record<string, string>> | undefined } = {},
): Promise<T> {
  const { init = {}, ...patch } = options;
  const { spec } = (await workloads.get(name, readOptions(patch))) as Workload;
  // A patch with an unknown name would add a container.
  const containers = (given: Readonly<Record<string, string>>, existing: readonly Container[] = []): object[] =>
    Object.entries(given).map(([container, image]) => {
      if (existing.every((one) => one.name !== container))
        throw new ConfigError(
          `set images of ${JSON.stringify(name)}: no container is named ${JSON.stringify(container)}; available: ${existing.map((one) => one.name).join(", ") || "none"}`,
        );
      return { name: container, image };
    });
  const pod = {
    containers: containers(images, spec?.template?.spec?.containers),
    ...(Object.keys(init).length > 0 && { initContainers: containers(init, spec?.template?.spec?.initContainers) }),
  };
  return workloads.patch(name, { type: "strategic", patch: { spec: { template: { spec: pod } } } } as never, patch);
}

/** Options for `undoRollout`. */
export interface UndoRolloutOptions extends PatchOptions {
  /**
   * Revision to restore, as numbered by `deployment.kubernetes.io/revision` on its ReplicaSets. Default: the previous
   * one.
   */
  readonly toRevision?: number | undefined;
}

const revisionKey = "deployment.kubernetes.io/revision";
const hashLabel = "pod-template-hash";

/**
 * Restores the pod template of an earlier revision of a Deployment from its ReplicaSets. Rejects with a `ConfigError`
 * if the Deployment is paused or no ReplicaSet has that revision, and with a conflict if the Deployment changes during
 * the call.
 *
 * @example
 * ```ts
 * import { Deployment, ReplicaSet } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 * import { undoRollout } from "kubestream/operations";
 *
 * const client = await connect();
 * await undoRollout(client.resource(Deployment).namespace("web"), client.resource(ReplicaSet).namespace("web"), "shop");
 * ```
 */
export async function undoRollout<T>(
  deployments: Pick<Resource<T>, "get" | "patch">,
  replicaSets: Pick<Collection<unknown>, "list">,
  name: string,
  options: UndoRolloutOptions = {},
): Promise<T> {
  const { toRevision, ...patch } = options;
  const request = readOptions(patch);
  const deployment = (await deployments.get(name, request)) as Workload;
  if (deployment.spec?.paused === true)
    throw new ConfigError(`undo rollout ${JSON.stringify(name)}: the Deployment is paused; resume it first`);
  const owned = ((await replicaSets.list(request)).items as Workload[]).filter((one) => isOwnedBy(one, deployment));
  const revisions = owned
    .map((one) => ({ one, revision: Number(one.metadata?.annotations?.[revisionKey] ?? 0) }))
    .sort((a, b) => b.revision - a.revision);
  const found = toRevision === undefined ? revisions[1] : revisions.find(({ revision }) => revision === toRevision);
  if (found === undefined)
    throw new ConfigError(
      `undo rollout ${JSON.stringify(name)}: ${toRevision === undefined ? "no earlier revision found" : `revision ${toRevision} not found; available: ${revisions.map(({ revision }) => revision).join(", ") || "none"}`}`,
    );
  const { metadata, ...template } = found.one.spec?.template ?? {};
  const { [hashLabel]: _, ...labels } = metadata?.labels ?? {};
  const operations = [
    // A stale resourceVersion is reported as a conflict, unlike a failed "test" operation.
    { op: "replace", path: "/metadata/resourceVersion", value: deployment.metadata?.resourceVersion },
    { op: "replace", path: "/spec/template", value: { metadata: { ...metadata, labels }, ...template } },
  ];
  return deployments.patch(name, { type: "json", operations } as never, patch);
}

interface Container {
  readonly name: string;
}

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: { readonly containers?: readonly Container[]; readonly initContainers?: readonly Container[] };
    };
  };
}

/** Returns the options of a patch that apply to a read before it. */
function readOptions({ signal, timeoutMs }: PatchOptions): Pick<PatchOptions, "signal" | "timeoutMs"> {
  return { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

/**
 * Cordons a node: the scheduler places no new pods on it.
 *
 * @example
 * ```ts
 * import { Node } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 * import { cordon, uncordon } from "kubestream/operations";
 *
 * const client = await connect();
 * const nodes = client.resource(Node);
 * await cordon(nodes, "node-1");
 * await uncordon(nodes, "node-1");
 * ```
 */
export function cordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T> {
  return merge(nodes, name, { unschedulable: true }, options);
}

/** Uncordons a node: the scheduler may place new pods on it again. */
export function uncordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T> {
  return merge(nodes, name, { unschedulable: null }, options);
}

function merge<T>(
  handle: Pick<Resource<T>, "patch">,
  name: string,
  spec: object,
  options: PatchOptions | undefined,
): Promise<T> {
  return handle.patch(name, { type: "merge", patch: { spec } } as never, options);
}
