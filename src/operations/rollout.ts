import type { Collection, Resource } from "../client/resource/resource.js";
import { ConfigError } from "../errors/errors.js";
import { systemClock } from "../internal/clock.js";
import type { KubernetesObject } from "../meta/object.js";
import type { PatchOptions } from "../meta/options.js";
import { formatTime } from "../meta/time.js";
import { isOwnedBy } from "../objects/owner-references.js";

/** Replaces the pods of a workload one after another, as `kubectl rollout restart` does: its pod template is given the present time. */
export function restart<T>(
  workloads: Pick<Resource<T>, "patch">,
  name: string,
  options: PatchOptions & { readonly at?: Date } = {},
): Promise<T> {
  const { at = new Date(systemClock.now()), ...patch } = options;
  const annotations = { "kubectl.kubernetes.io/restartedAt": formatTime(at) };
  return merge(workloads, name, { template: { metadata: { annotations } } }, patch);
}

/** Stops a Deployment from acting on changes of its pod template. */
export function pauseRollout<T>(
  deployments: Pick<Resource<T>, "patch">,
  name: string,
  options?: PatchOptions,
): Promise<T> {
  return merge(deployments, name, { paused: true }, options);
}

/** Lets a Deployment act on changes of its pod template again. */
export function resumeRollout<T>(
  deployments: Pick<Resource<T>, "patch">,
  name: string,
  options?: PatchOptions,
): Promise<T> {
  return merge(deployments, name, { paused: null }, options);
}

/** Gives containers of a workload other images: image by container name, init containers in `init`. */
export function setImages<T>(
  workloads: Pick<Resource<T>, "patch">,
  name: string,
  images: Readonly<Record<string, string>>,
  options: PatchOptions & { readonly init?: Readonly<Record<string, string>> } = {},
): Promise<T> {
  const { init = {}, ...patch } = options;
  const containers = (given: Readonly<Record<string, string>>): object[] =>
    Object.entries(given).map(([container, image]) => ({ name: container, image }));
  const spec = {
    containers: containers(images),
    ...(Object.keys(init).length > 0 && { initContainers: containers(init) }),
  };
  return workloads.patch(name, { type: "strategic", patch: { spec: { template: { spec } } } } as never, patch);
}

/** Options of `undoRollout`. */
export interface UndoRolloutOptions extends PatchOptions {
  /** Revision to go back to, as `deployment.kubernetes.io/revision` of its ReplicaSet numbers it. Default: the one before the present. */
  readonly toRevision?: number;
}

const revisionKey = "deployment.kubernetes.io/revision";
const hashLabel = "pod-template-hash";

/**
 * Gives a Deployment the pod template of an earlier revision, which its ReplicaSets hold. Throws a `ConfigError` where it is paused
 * or no ReplicaSet is of that revision; a conflict if the Deployment changes meanwhile.
 */
export async function undoRollout<T>(
  deployments: Pick<Resource<T>, "get" | "patch">,
  replicaSets: Pick<Collection<unknown>, "list">,
  name: string,
  options: UndoRolloutOptions = {},
): Promise<T> {
  const { toRevision, ...patch } = options;
  const { signal, timeoutMs } = patch;
  const request = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
  const deployment = (await deployments.get(name, request)) as Workload;
  if (deployment.spec?.paused === true)
    throw new ConfigError(`undo ${JSON.stringify(name)}: the deployment is paused; resume it first`);
  const owned = ((await replicaSets.list(request)).items as Workload[]).filter((one) => isOwnedBy(one, deployment));
  const revisions = owned
    .map((one) => ({ one, revision: Number(one.metadata?.annotations?.[revisionKey] ?? 0) }))
    .sort((a, b) => b.revision - a.revision);
  const found = toRevision === undefined ? revisions[1] : revisions.find(({ revision }) => revision === toRevision);
  if (found === undefined)
    throw new ConfigError(
      `undo ${JSON.stringify(name)}: ${toRevision === undefined ? "there is no earlier revision" : `there is no revision ${toRevision}; there are ${revisions.map(({ revision }) => revision).join(", ") || "none"}`}`,
    );
  const { metadata, ...template } = found.one.spec?.template ?? {};
  const { [hashLabel]: _, ...labels } = metadata?.labels ?? {};
  const operations = [
    // Unlike a test that fails, another version is a conflict.
    { op: "replace", path: "/metadata/resourceVersion", value: deployment.metadata?.resourceVersion },
    { op: "replace", path: "/spec/template", value: { metadata: { ...metadata, labels }, ...template } },
  ];
  return deployments.patch(name, { type: "json", operations } as never, patch);
}

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
}

/** Keeps new pods away from a node. */
export function cordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T> {
  return merge(nodes, name, { unschedulable: true }, options);
}

/** Lets new pods onto a node again. */
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
