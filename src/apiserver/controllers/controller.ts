import type { Bucket, LogEntry } from "../storage/mvcc.js";

/** One of the controllers without which a cluster stands still. */
export interface Controller {
  /** Sees every change right after it was stored; must not write. */
  onCommit(bucket: Bucket, entry: LogEntry): void;
  /** Looks at everything stored: at the start, and after a snapshot was put back. */
  rescan(): void;
  /** Resolves when there is nothing left to do. */
  idle(): Promise<void>;
}
