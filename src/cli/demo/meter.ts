import type { Informer } from "../../cache/informer/informer.js";
import type { InformerStatus } from "../../cache/informer/informer-status.js";
import type { Change } from "../../cache/store/change.js";
import { systemClock } from "../../internal/clock.js";
import type { Pod } from "../../kinds/core/v1.js";
import { createBoard } from "../terminal/board.js";
import { grouped } from "../terminal/format.js";
import type { View } from "./view.js";

/** Counts the changes of an informer and takes snapshots of the counts. */
export interface Meter {
  /** Counts a change. */
  take(change: Change<Pod>): void;
  /** Returns the current state. */
  view(): View;
}

/** Creates a meter for an informer of pods; `news` returns lines about the last operations. */
export function createMeter(label: string, informer: Informer<Pod>, news: () => readonly string[]): Meter {
  const begin = systemClock.monotonic();
  const pods = createBoard();
  const changes = { added: 0, updated: 0, deleted: 0 };
  const window: { at: number; count: number }[] = [{ at: begin, count: 0 }];
  return {
    take(change) {
      // The initial list doesn't count as events, but changes found by a relist do.
      if (change.type !== "added" || change.cause !== "list") changes[change.type]++;
      if (change.type === "updated") pods.remove(change.old);
      if (change.type === "deleted") pods.remove(change.object);
      else pods.add(change.object);
    },
    view() {
      const now = systemClock.monotonic();
      const count = changes.added + changes.updated + changes.deleted;
      window.push({ at: now, count });
      while (window.length > 2 && now - window[0]!.at > 5_000) window.shift();
      const { at, count: before } = window[0]!;
      const { heapUsed, rss } = process.memoryUsage();
      return {
        source: label,
        seconds: (now - begin) / 1_000,
        status: describe(informer.status),
        resourceVersion: informer.store.resourceVersion ?? "none yet",
        changes,
        rate: now === at ? 0 : ((count - before) / (now - at)) * 1_000,
        resyncs: Math.max(0, informer.metrics.listsDone - 1),
        reconnects: Math.max(0, informer.metrics.watches + informer.metrics.streams - 1),
        problem: informer.lastError === undefined ? undefined : messageOf(informer.lastError),
        memory: { heap: heapUsed, resident: rss },
        pods,
        news: news(),
      };
    },
  };
}

function describe(status: InformerStatus): string {
  switch (status.type) {
    case "listing":
      return `listing, ${grouped(status.received)} so far`;
    case "streaming":
      return `streaming the list, ${grouped(status.received)} so far`;
    case "backingOff":
      return `waiting ${status.delayMs.toFixed(0)} ms: ${messageOf(status.error)}`;
    case "refused":
      return `refused, retrying in ${(status.delayMs / 1_000).toFixed(0)} s: ${messageOf(status.error)}`;
    default:
      return status.type;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
