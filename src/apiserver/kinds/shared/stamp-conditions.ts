import type { ApiObject } from "../../objects/api-object.js";
import { formatTime } from "../../objects/metadata.js";

interface Condition {
  type: string;
  status: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

/** Gives conditions the times they lack: a condition that was there with the same status has not changed since. */
export function stampConditions(object: ApiObject, old: ApiObject, nowMs: number): void {
  const conditions = ((object.status ?? {}) as { conditions?: Condition[] }).conditions ?? [];
  const before = ((old.status ?? {}) as { conditions?: Condition[] }).conditions ?? [];
  const now = formatTime(nowMs);
  for (const condition of conditions) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??=
      before.find(
        ({ type, status, lastTransitionTime }) =>
          type === condition.type && status === condition.status && lastTransitionTime != null,
      )?.lastTransitionTime ?? now;
  }
}
