import type { Change } from "../../cache/store/change.js";
import { deepEqual } from "../../internal/deep-equal.js";
import type { Pod, PodStatus } from "../../kinds/core/v1.js";

/** The statuses that kubelets have written and whose events haven't arrived, by the UID of the pod. */
export class WrittenStatuses {
  readonly #statuses = new Map<string, PodStatus>();

  /** Writes a status. `write` returns false if nothing was to be written, so that no event follows. */
  async during(uid: string, status: PodStatus, write: () => Promise<boolean>): Promise<void> {
    this.#statuses.set(uid, status);
    let isWritten = false;
    try {
      isWritten = await write();
    } finally {
      if (!isWritten) this.#statuses.delete(uid);
    }
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
    this.#statuses.delete(uid);
  }

  /** Returns true if an update of a pod brings nothing but the status that its kubelet wrote, or metadata. */
  explain({ object: { metadata, status }, old }: Extract<Change<Pod>, { type: "updated" }>): boolean {
    const { uid = "", generation, deletionTimestamp } = metadata!;
    if (generation !== old.metadata?.generation || deletionTimestamp !== old.metadata?.deletionTimestamp) return false;
    const written = this.#statuses.get(uid);
    if (written === undefined || !deepEqual(status, written)) return deepEqual(status, old.status);
    this.#statuses.delete(uid);
    return true;
  }
}
