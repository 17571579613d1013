/**
 * Storage for the snapshots of informers. `write` must be atomic: after a crash, `read` returns the previous or the new
 * bytes, never a mixture.
 */
export interface SnapshotStorage {
  /** Returns the bytes under a name; `undefined` if nothing was written. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Replaces the bytes under a name. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Removes the bytes under a name, if they exist. */
  remove(name: string): Promise<void>;
}
