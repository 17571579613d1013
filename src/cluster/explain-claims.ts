import type { Client } from "../client/client.js";
import type { Pod } from "../kinds/core/v1.js";
import { ResourceClaim } from "../kinds/resource/v1.js";
import type { DeepReadonly } from "../meta/object.js";
import { deviceClaims } from "./controllers/shared/device-claims.js";
import { isPrepared } from "./scheduler/devices/binding-conditions.js";

/**
 * Describes the ResourceClaims of pods without a node. The scheduler reports nothing about a pod while one of its claims
 * doesn't exist.
 */
export async function explainClaims(client: Client, pods: readonly DeepReadonly<Pod>[]): Promise<string[]> {
  const waiting = pods.filter(
    ({ spec, status }) => spec?.nodeName === undefined && status?.phase === "Pending" && spec?.resourceClaims?.length,
  );
  if (waiting.length === 0) return [];
  const { items } = await client.resource(ResourceClaim).list();
  return waiting.flatMap((pod) => {
    const { namespace, name } = pod.metadata!;
    const stateOf = (wanted: string | undefined): string => {
      if (wanted === undefined) return "isn't made from its template yet";
      const claim = items.find(({ metadata }) => metadata?.name === wanted && metadata.namespace === namespace);
      if (claim === undefined) return `${wanted} doesn't exist`;
      if (claim.metadata?.deletionTimestamp !== undefined) return `${wanted} is being deleted`;
      if (claim.status?.allocation === undefined) return `${wanted} is not allocated`;
      return `${wanted} is allocated${isPrepared(claim) ? "" : ", but its driver hasn't set all binding conditions"}`;
    };
    return deviceClaims(pod).map(({ entry, claim }) => `${name}: ${entry}: ${stateOf(claim)}`);
  });
}
