import { systemClock } from "../internal/clock.js";
import type { PatchOptions } from "../meta/options.js";
import type { Resource } from "./resource.js";

/** Replaces the pods of a workload one after another, as `kubectl rollout restart` does: its pod template is given the present time. */
export function restart<T>(workloads: Pick<Resource<T>, "patch">, name: string, options: PatchOptions & { readonly at?: Date } = {}): Promise<T> {
  const { at = new Date(systemClock.now()), ...patch } = options;
  const annotations = { "kubectl.kubernetes.io/restartedAt": at.toISOString().replace(/\.\d+Z$/, "Z") };
  return workloads.patch(name, { type: "merge", patch: { spec: { template: { metadata: { annotations } } } } } as never, patch);
}

/** Keeps new pods away from a node. */
export function cordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T> {
  return nodes.patch(name, { type: "merge", patch: { spec: { unschedulable: true } } } as never, options);
}

/** Lets new pods onto a node again. */
export function uncordon<T>(nodes: Pick<Resource<T>, "patch">, name: string, options?: PatchOptions): Promise<T> {
  return nodes.patch(name, { type: "merge", patch: { spec: { unschedulable: null } } } as never, options);
}
