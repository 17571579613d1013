import type { Bucket, LogEntry } from "../storage/bucket.js";

/** A controller that runs inside the server. */
export interface Controller {
  /** Called with every change right after it is stored. Must not write. */
  onCommit(bucket: Bucket, entry: LogEntry): void;
  /** Examines all stored objects, after a snapshot was restored. */
  rescan(): void;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}
