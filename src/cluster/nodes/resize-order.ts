import type { Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";

/**
 * Compares pods whose resize waits for room on their node: the one with the higher priority comes first, then the one
 * with the better quality of service, then the one that waits longer.
 */
export function compareResizes(a: DeepReadonly<Pod>, b: DeepReadonly<Pod>): number {
  return (
    (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0) ||
    Number(isGuaranteed(b)) - Number(isGuaranteed(a)) ||
    waitingSince(a).localeCompare(waitingSince(b))
  );
}

function isGuaranteed({ status }: DeepReadonly<Pod>): boolean {
  return status?.qosClass === "Guaranteed";
}

function waitingSince({ status }: DeepReadonly<Pod>): string {
  return status?.conditions?.find(({ type }) => type === "PodResizePending")?.lastTransitionTime ?? "";
}
