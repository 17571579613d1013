import type { Clock } from "../../internal/clock.js";
import type { Defaulted } from "../../internal/defined.js";
import { Bucket, type LogEntry, Stored, type StoredEntry, type Unprinted, type Version } from "./bucket.js";

/** Limits for the history that a server keeps. */
export interface RetentionOptions {
  /** Milliseconds after which a superseded version may be discarded. Default: 300,000 (5 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * Total size of superseded versions, in characters of JSON, above which the oldest are discarded. Default: 128 Mi.
   */
  readonly historySize?: number | undefined;
  /** Number of changes per resource that a watch can resume over. Default: 20,000. */
  readonly windowEvents?: number | undefined;
  /**
   * Total size of the changes that watches can resume over, across all resources, in characters of JSON. Default: 64
   * Mi.
   */
  readonly windowSize?: number | undefined;
}

/** State of a server at one revision. */
export interface Snapshot {
  /** Revision of the snapshot. */
  readonly revision: number;
  /** Versions of the objects by bucket (`group/resource`). */
  readonly buckets: ReadonlyMap<string, readonly Version[]>;
}

/** Options for `MvccStore.commit`. */
export interface CommitOptions {
  /** API version of the JSON; `undefined` if the resource is stored in one form only. */
  readonly storedAs?: string | undefined;
  /** Called with the new version before anyone is notified of it. */
  readonly written?: ((version: Version) => void) | undefined;
}

interface Superseded {
  readonly bucket: Bucket;
  readonly version: Stored;
  readonly timeMs: number;
}

interface Change {
  readonly bucket: Bucket;
  readonly revision: number;
}

/** Returns true if watches can resume over a change. */
function isKept({ bucket, revision }: Change): boolean {
  return revision > bucket.windowStart;
}

/** Multi-version store with one revision counter for all resources. */
export class MvccStore {
  private current = 1;
  private compacted = 0;
  private readonly buckets = new Map<string, Bucket>();
  /** Versions that replaced another, in order of revision: the work list of compaction. */
  private history: Superseded[] = [];
  private historyStart = 0;
  private historyChars = 0;
  /** Changes that watches can resume over, oldest first, and some that have been discarded. */
  private window: Change[] = [];
  private windowHead = 0;
  private windowChars = 0;
  private windowDiscarded = 0;
  private readonly clock: Clock;
  private readonly limits: Defaulted<RetentionOptions>;
  private readonly revisionListeners = new Set<(revision: number) => void>();
  private readonly commitListeners = new Set<(bucket: Bucket, entry: LogEntry) => void>();

  constructor(clock: Clock, options: RetentionOptions = {}) {
    this.clock = clock;
    this.limits = {
      historyMs: options.historyMs ?? 300_000,
      historySize: options.historySize ?? 128 * 1024 * 1024,
      windowEvents: options.windowEvents ?? 20_000,
      windowSize: options.windowSize ?? 64 * 1024 * 1024,
    };
  }

  /** Latest revision. */
  get revision(): number {
    return this.current;
  }

  /** Oldest revision that can still be read. */
  get compactedRevision(): number {
    return this.compacted;
  }

  /** Returns the bucket of a resource. A new bucket has no history. */
  bucket(name: string): Bucket {
    let bucket = this.buckets.get(name);
    if (bucket === undefined) {
      bucket = new Bucket(name, this.current);
      this.buckets.set(name, bucket);
    }
    return bucket;
  }

  /** Returns a bucket whose watches may start at any revision, for resources that exist from the beginning. */
  bucketFromStart(name: string): Bucket {
    const bucket = this.bucket(name);
    bucket.windowStart = Math.min(bucket.windowStart, 1);
    return bucket;
  }

  /** Removes a bucket and ends its watches, because its resource is no longer served. */
  dropBucket(name: string): void {
    const bucket = this.buckets.get(name);
    if (bucket === undefined) return;
    this.buckets.delete(name);
    bucket.watchers.endAll();
    while (bucket.logStart < bucket.log.length) this.shiftLog(bucket);
  }

  bucketNames(): string[] {
    return [...this.buckets.keys()];
  }

  /**
   * Writes one key at the next revision, which is passed to `encode`; if `encode` returns `undefined`, the key is
   * deleted.
   */
  commit(
    bucket: Bucket,
    key: string,
    encode: (revision: number) => string | Unprinted | undefined,
    { storedAs, written }: CommitOptions = {},
  ): Version {
    const revision = this.current + 1;
    const content = encode(revision);
    const head = bucket.heads.get(key);
    const version = new Stored({ revision, key, storedAs }, content, head);
    const { exists, size } = version;
    this.current = revision;
    bucket.lastRevision = revision;
    bucket.heads.set(key, version);
    const existed = head?.exists === true;
    if (!exists) bucket.deleted.set(key, undefined);
    else if (head !== undefined && !existed) bucket.deleted.delete(key);
    bucket.liveChars += size - (head?.size ?? 0);
    if (head !== undefined || !exists) {
      this.history.push({ bucket, version, timeMs: this.clock.now() });
      this.historyChars += head?.size ?? 0;
    }
    const entry = { version, old: existed ? head : undefined };
    bucket.log.push(entry);
    this.window.push({ bucket, revision });
    this.windowChars += size;
    this.trim();
    written?.(version);
    bucket.watchers.notify(entry);
    for (const listener of this.commitListeners) listener(bucket, entry);
    for (const listener of this.revisionListeners) listener(revision);
    return version;
  }

  /** Calls `listener` after every commit to any bucket. Returns a function that removes the listener. */
  onCommit(listener: (bucket: Bucket, entry: LogEntry) => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /** Calls `listener` with every new revision. Returns a function that removes the listener. */
  onRevision(listener: (revision: number) => void): () => void {
    this.revisionListeners.add(listener);
    return () => this.revisionListeners.delete(listener);
  }

  /** Discards all revisions before `revision`. */
  compact(revision: number): void {
    if (revision <= this.compacted) return;
    this.compacted = Math.min(revision, this.current);
    while (
      this.historyStart < this.history.length &&
      this.history[this.historyStart]!.version.revision <= this.compacted
    )
      this.forgetOldest();
  }

  /** Captures the current state. Visits every key but copies no object. */
  snapshot(): Snapshot {
    const buckets = new Map<string, Version[]>();
    for (const [name, bucket] of this.buckets) buckets.set(name, bucket.versions("", undefined, this.current));
    return { revision: this.current, buckets };
  }

  /**
   * Restores a snapshot. The revision keeps increasing and all history is discarded, so readers that resume from an
   * older revision must start over.
   */
  restore(snapshot: Snapshot): void {
    this.current += 1;
    this.compacted = this.current;
    this.history = [];
    this.historyStart = 0;
    this.historyChars = 0;
    this.window = [];
    this.windowHead = 0;
    this.windowChars = 0;
    this.windowDiscarded = 0;
    // The buckets of custom resources may have been dropped since.
    for (const name of snapshot.buckets.keys()) this.bucket(name);
    for (const [name, bucket] of this.buckets) {
      bucket.watchers.endAll();
      bucket.log = [];
      bucket.logStart = 0;
      bucket.lastRevision = this.current;
      bucket.windowStart = this.current;
      const versions = (snapshot.buckets.get(name) ?? []) as readonly Stored[];
      bucket.deleted.clear();
      bucket.liveChars = versions.reduce((sum, { size }) => sum + size, 0);
      // A version without a predecessor never changes, so it can be reused with everything readers derived from it.
      const heads = versions.map((version) => version.alone());
      bucket.heads.load(
        versions.map((version) => version.key),
        heads,
      );
    }
  }

  private trim(): void {
    while (this.historyStart < this.history.length - 1) {
      const first = this.history[this.historyStart]!;
      const oldest = this.clock.now() - this.limits.historyMs;
      if (this.historyChars <= this.limits.historySize && first.timeMs >= oldest) break;
      this.compacted = Math.max(this.compacted, first.version.revision);
      this.forgetOldest();
    }
    while (this.windowChars > this.limits.windowSize && this.windowHead < this.window.length - 1)
      this.dropOldestEvent();
    const bucket = this.window[this.window.length - 1]!.bucket;
    if (bucket.log.length - bucket.logStart > this.limits.windowEvents) this.shiftLog(bucket);
  }

  private forgetOldest(): void {
    const { bucket, version } = this.history[this.historyStart]!;
    this.historyStart += 1;
    this.historyChars -= version.previous?.size ?? 0;
    version.previous = undefined;
    if (!version.exists && bucket.heads.get(version.key) === version) {
      bucket.heads.delete(version.key);
      bucket.deleted.delete(version.key);
    }
    if (this.historyStart > 1024 && this.historyStart * 2 > this.history.length) {
      this.history = this.history.slice(this.historyStart);
      this.historyStart = 0;
    }
  }

  private dropOldestEvent(): void {
    const oldest = this.window[this.windowHead]!;
    this.windowHead += 1;
    if (isKept(oldest)) this.shiftLog(oldest.bucket);
  }

  private shiftLog(bucket: Bucket): void {
    const { revision, size } = bucket.log[bucket.logStart]!.version;
    bucket.windowStart = revision;
    bucket.log[bucket.logStart] = undefined as unknown as StoredEntry;
    bucket.logStart += 1;
    this.windowChars -= size;
    this.windowDiscarded += 1;
    if (this.windowDiscarded > 1024 && this.windowDiscarded * 2 > this.window.length) {
      this.window = this.window.filter(isKept);
      this.windowHead = 0;
      this.windowDiscarded = 0;
    }
    if (bucket.logStart > 1024 && bucket.logStart * 2 > bucket.log.length) {
      bucket.log = bucket.log.slice(bucket.logStart);
      bucket.logStart = 0;
    }
  }
}
