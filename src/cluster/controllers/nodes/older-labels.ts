import type { Node } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Labels of a node by the older names that programs may still select. */
const current: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
};

/** Returns true if a node has its operating system and architecture under the older names of the labels, too. */
export function hasOlderLabels({ metadata }: DeepReadonly<Node>): boolean {
  const labels = metadata?.labels ?? {};
  return Object.entries(current).every(([older, name]) => labels[name] === undefined || labels[older] === labels[name]);
}

/** Sets the older names of a node's labels. */
export function setOlderLabels({ metadata }: Node): void {
  const labels = metadata?.labels ?? {};
  for (const [older, name] of Object.entries(current)) if (labels[name] !== undefined) labels[older] = labels[name];
}
