import type { Clock } from "../../internal/clock.js";
import { SortedMap } from "./sorted-map.js";

/** One revision of one key. */
export interface Version {
  /** The global revision that wrote it. */
  readonly revision: number;
  /** Key inside its bucket. */
  readonly key: string;
  /** The object as JSON without `kind` and `apiVersion`; `undefined` marks a deletion. */
  readonly json: string | undefined;
  /** Version of the API that `json` is in, as `v1`; `undefined` where the resource is stored in one form alone. */
  readonly storedAs: string | undefined;
  /** What a reader made of the object: labels, fields, other encodings. Made on demand, never needed. */
  memo?: object;
}

interface Stored extends Version {
  /** The version before, until compaction cuts it off. */
  previous: Stored | undefined;
}

/** One change, as a watch sees it. */
export interface LogEntry {
  /** The new version. */
  readonly version: Version;
  /** The version before; absent for a creation. */
  readonly old: Version | undefined;
}

/** Called in the order of revisions, right after the write. */
export type Listener = (entry: LogEntry) => void;

/** How much history is kept. */
export interface RetentionOptions {
  /** Milliseconds after which a superseded version may be forgotten. Default: 5 minutes. */
  readonly historyMs?: number;
  /** Size of superseded versions, in characters of JSON, above which the oldest are forgotten. Default: 128 Mi. */
  readonly historySize?: number;
  /** Number of changes that watches of one resource can go back. Default: 20,000. */
  readonly windowEvents?: number;
  /** Size of the changes that watches can go back, over all resources, in characters of JSON. Default: 64 Mi. */
  readonly windowSize?: number;
}

/** All versions of the objects of one resource. */
export class Bucket {
  /** Name, `group/resource`. */
  readonly name: string;
  /** Latest revision that changed something here. */
  lastRevision = 0;
  /** Watches can start from this revision on. */
  windowStart: number;
  /** Latest version of every key, deletions among them until they are compacted. */
  readonly heads: SortedMap<Stored> = new SortedMap();
  /** Number of keys that exist at the latest revision. */
  live = 0;
  log: LogEntry[] = [];
  logStart = 0;
  readonly listeners: Set<Listener> = new Set();
  /** Ends of the open watches, called when the resource is no longer served or its history is replaced. */
  readonly watchers: Set<() => void> = new Set();

  constructor(name: string, windowStart: number) {
    this.name = name;
    this.windowStart = windowStart;
  }

  /** Latest version of a key, if it exists. */
  get(key: string): Version | undefined {
    const head = this.heads.get(key);
    return head?.json === undefined ? undefined : head;
  }

  /** Visits what existed at `revision` in the order of keys, until `visit` answers `false`. */
  scan(from: string, to: string | undefined, revision: number, visit: (version: Version) => boolean | undefined): void {
    if (revision >= this.lastRevision) {
      this.heads.scan(from, to, (head) => (head.json === undefined ? undefined : visit(head)));
      return;
    }
    this.heads.scan(from, to, (head) => {
      let version: Stored | undefined = head;
      while (version !== undefined && version.revision > revision) version = version.previous;
      return version?.json === undefined ? undefined : visit(version);
    });
  }

  /** Number of keys with this prefix at `revision`, from `from` on. */
  count(from: string, to: string | undefined, revision: number): number {
    // Without deletions that are still remembered, the structure knows its counts.
    if (revision >= this.lastRevision && this.live === this.heads.size) return this.heads.countRange(from, to);
    let count = 0;
    this.scan(from, to, revision, () => {
      count += 1;
      return undefined;
    });
    return count;
  }

  /** Changes after `revision`, oldest first; `undefined` if they are no longer all known. */
  since(revision: number): LogEntry[] | undefined {
    if (revision < this.windowStart) return undefined;
    let low = this.logStart;
    let high = this.log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.log[middle]!.version.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.log.slice(low);
  }
}

/** What a server holds at one revision. */
export interface Snapshot {
  /** The revision that it shows. */
  readonly revision: number;
  /** The objects of each resource. */
  readonly buckets: ReadonlyMap<string, readonly Version[]>;
}

interface Superseded {
  readonly bucket: Bucket;
  readonly version: Stored;
  readonly timeMs: number;
}

/** Multi-version storage with one revision counter for all resources. */
export class MvccStore {
  private current = 1;
  private compacted = 0;
  private readonly buckets = new Map<string, Bucket>();
  /** Versions that replaced another, in the order of revisions: the compaction's work list. */
  private history: Superseded[] = [];
  private historyStart = 0;
  private historyChars = 0;
  private window: { bucket: Bucket; size: number }[] = [];
  private windowHead = 0;
  private windowChars = 0;
  private readonly clock: Clock;
  private readonly limits: Required<RetentionOptions>;
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

  /** Latest revision of all. */
  get revision(): number {
    return this.current;
  }

  /** Revisions below this one are forgotten. */
  get compactedRevision(): number {
    return this.compacted;
  }

  /** The bucket of a resource. A new one knows nothing of the time before. */
  bucket(name: string): Bucket {
    let bucket = this.buckets.get(name);
    if (bucket === undefined) {
      bucket = new Bucket(name, this.current);
      this.buckets.set(name, bucket);
    }
    return bucket;
  }

  /** Makes a bucket whose watches may start at any revision: for resources that were there from the beginning. */
  bucketFromStart(name: string): Bucket {
    const bucket = this.bucket(name);
    bucket.windowStart = Math.min(bucket.windowStart, 1);
    return bucket;
  }

  /** Forgets a bucket: its resource is no longer served. */
  dropBucket(name: string): void {
    const bucket = this.buckets.get(name);
    this.buckets.delete(name);
    if (bucket !== undefined) for (const end of [...bucket.watchers]) end();
  }

  /** Names of all buckets. */
  bucketNames(): string[] {
    return [...this.buckets.keys()];
  }

  /** Writes one key under the next revision, which `encode` gets; `undefined` from it deletes. `storedAs` is the version that the text is in. */
  commit(bucket: Bucket, key: string, encode: (revision: number) => string | undefined, storedAs?: string): Version {
    const revision = this.current + 1;
    const json = encode(revision);
    const head = bucket.heads.get(key);
    const version: Stored = { revision, key, json, storedAs, previous: head };
    this.current = revision;
    bucket.lastRevision = revision;
    bucket.heads.set(key, version);
    const existed = head?.json !== undefined;
    if (existed !== (json !== undefined)) bucket.live += existed ? -1 : 1;
    if (head !== undefined || json === undefined) {
      this.history.push({ bucket, version, timeMs: this.clock.now() });
      this.historyChars += head?.json?.length ?? 0;
    }
    const entry: LogEntry = { version, old: existed ? head : undefined };
    bucket.log.push(entry);
    const size = json?.length ?? 0;
    this.window.push({ bucket, size });
    this.windowChars += size;
    this.trim();
    for (const listener of bucket.listeners) listener(entry);
    for (const listener of this.commitListeners) listener(bucket, entry);
    for (const listener of this.revisionListeners) listener(revision);
    return version;
  }

  /** Calls `listener` after every commit, whatever the bucket; answers with what ends that. */
  onCommit(listener: (bucket: Bucket, entry: LogEntry) => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /** Calls `listener` with every new revision; answers with what ends that. */
  onRevision(listener: (revision: number) => void): () => void {
    this.revisionListeners.add(listener);
    return () => this.revisionListeners.delete(listener);
  }

  /** Forgets all revisions before `revision`: lists can no longer go back beyond it. */
  compact(revision: number): void {
    if (revision <= this.compacted) return;
    this.compacted = Math.min(revision, this.current);
    while (
      this.historyStart < this.history.length &&
      this.history[this.historyStart]!.version.revision <= this.compacted
    )
      this.forgetOldest();
  }

  /** What exists now, to return to. Costs one pass over the keys, no copy of an object. */
  snapshot(): Snapshot {
    const buckets = new Map<string, Version[]>();
    for (const [name, bucket] of this.buckets) {
      const versions: Version[] = [];
      bucket.scan("", undefined, this.current, (version) => {
        versions.push(version);
        return undefined;
      });
      buckets.set(name, versions);
    }
    return { revision: this.current, buckets };
  }

  /**
   * Puts back what a snapshot holds. The revision goes on counting, and everything before it is forgotten: readers that
   * come back with an older one are told to start over.
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
    for (const [name, bucket] of this.buckets) {
      for (const end of [...bucket.watchers]) end();
      bucket.log = [];
      bucket.logStart = 0;
      bucket.lastRevision = this.current;
      bucket.windowStart = this.current;
      const versions = (snapshot.buckets.get(name) ?? []) as readonly Stored[];
      bucket.live = versions.length;
      // A version without a history never changes: it is put back itself, with all that readers made of it.
      const heads = versions.map((version) =>
        version.previous === undefined ? version : { ...version, previous: undefined },
      );
      bucket.heads.load(
        versions.map((version) => version.key),
        heads,
      );
    }
  }

  private trim(): void {
    const oldest = this.clock.now() - this.limits.historyMs;
    while (this.historyStart < this.history.length - 1) {
      const first = this.history[this.historyStart]!;
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
    this.historyChars -= version.previous?.json?.length ?? 0;
    version.previous = undefined;
    if (version.json === undefined && bucket.heads.get(version.key) === version) bucket.heads.delete(version.key);
    if (this.historyStart > 1024 && this.historyStart * 2 > this.history.length) {
      this.history = this.history.slice(this.historyStart);
      this.historyStart = 0;
    }
  }

  private dropOldestEvent(): void {
    const { bucket, size } = this.window[this.windowHead]!;
    this.windowHead += 1;
    this.windowChars -= size;
    // A bucket over its own limit has already given its oldest event away; then this one stands for a younger.
    if (bucket.log.length > bucket.logStart) this.shiftLog(bucket);
    if (this.windowHead > 1024 && this.windowHead * 2 > this.window.length) {
      this.window = this.window.slice(this.windowHead);
      this.windowHead = 0;
    }
  }

  private shiftLog(bucket: Bucket): void {
    bucket.windowStart = bucket.log[bucket.logStart]!.version.revision;
    bucket.log[bucket.logStart] = undefined as unknown as LogEntry;
    bucket.logStart += 1;
    if (bucket.logStart > 1024 && bucket.logStart * 2 > bucket.log.length) {
      bucket.log = bucket.log.slice(bucket.logStart);
      bucket.logStart = 0;
    }
  }
}
