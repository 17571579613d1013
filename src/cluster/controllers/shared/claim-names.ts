import type { Pod, Volume } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns the name of the claim that a volume of a pod uses; `undefined` for one without a claim. */
export function claimName({ metadata }: DeepReadonly<Pod>, volume: DeepReadonly<Volume>): string | undefined {
  const { name, persistentVolumeClaim, ephemeral } = volume;
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${metadata?.name ?? ""}-${name}`;
}

/** Returns the names of the claims of a pod, those of its ephemeral volumes included. */
export function claimNames(pod: DeepReadonly<Pod>): string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimName(pod, volume) ?? []);
}

/** Returns the reason for which a pod doesn't use a claim that has the name of its ephemeral volume's claim. */
export function foreignClaim({ metadata }: DeepReadonly<Pod>, name: string): string {
  const { namespace = "", name: pod = "" } = metadata ?? {};
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod} (pod is not owner)`;
}
