import { whenAborted } from "../../internal/abort.js";
import { least } from "../../internal/extremes.js";
import type { Pod } from "../../kinds/core/v1.js";
import { ResourceClaim } from "../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import { isReservedFor } from "../controllers/shared/device-claims.js";
import { DeviceBindingError } from "./devices/allocation-error.js";
import { bindingDeadline, bindingFailure, isPrepared } from "./devices/binding-conditions.js";

/**
 * Waits until drivers have prepared the devices of claims that are reserved for a pod. Rejects with a
 * `DeviceBindingError` if a driver fails or takes too long, or if a claim is released.
 */
export async function waitForDevices(
  { cache, clock }: Pick<ClusterContext, "cache" | "clock">,
  claims: readonly DeepReadonly<ResourceClaim>[],
  pod: DeepReadonly<Pod>,
  signal: AbortSignal,
): Promise<void> {
  const informer = cache(ResourceClaim);
  const uids = new Set(claims.map(({ metadata }) => metadata!.uid));
  /** Returns the claims that are still reserved for the pod, as the cache shows them. */
  const read = (): readonly DeepReadonly<ResourceClaim>[] =>
    claims.flatMap(({ metadata }) => {
      const claim = informer.store.get(`${metadata!.namespace!}/${metadata!.name!}`);
      return claim?.metadata?.uid === metadata!.uid && isReservedFor(claim!, pod) ? [claim!] : [];
    });
  const failure = (): string | undefined =>
    read().length < claims.length
      ? "device binding failed: a claim was released"
      : read()
          .map((claim) => bindingFailure(claim, clock.now()))
          .find((each) => each !== undefined);
  const deadline = least(read().map(bindingDeadline));
  let end: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        const problem = failure();
        if (problem !== undefined) reject(new DeviceBindingError(problem));
        else if (read().every(isPrepared)) resolve();
      };
      const handler = informer.addHandler(({ object }) => uids.has(object.metadata!.uid) && check(), { replay: false });
      const timer = clock.setTimer(check, deadline - clock.now() + 1);
      const unfollow = whenAborted(signal, () => reject(signal.reason as Error));
      end = () => {
        handler.remove();
        timer.cancel();
        unfollow();
      };
      check();
    });
  } finally {
    end?.();
  }
}
