import { SortedMap } from "./sorted-map.js";
import { WatcherSet } from "./watcher-set.js";

/** One revision of one key. */
export interface Version {
  /** Global revision that wrote it. */
  readonly revision: number;
  /** Key within its bucket. */
  readonly key: string;
  /** False for a deletion. */
  readonly exists: boolean;
  /** The object as JSON without `kind` and `apiVersion`; `undefined` for a deletion. May be made by the first read. */
  readonly json: string | undefined;
  /** The object, if its text isn't the first form that it was stored in. */
  readonly unprinted?: Unprinted | undefined;
  /** API version of `json`, such as `v1`; `undefined` if the resource is stored in one form only. */
  readonly storedAs: string | undefined;
  /** Cache for data derived from the object: labels, fields, other encodings. Filled on demand; may be dropped. */
  memo?: object | undefined;
}

/** An object that is stored without its text. */
export interface Unprinted {
  /** Size of the text in characters, roughly. */
  readonly size: number;
  /** Returns the text. */
  print(): string;
}

/** A version with those before it. */
export class Stored implements Version {
  readonly revision: number;
  readonly key: string;
  readonly storedAs: string | undefined;
  /** Previous version, until compaction cuts it off. */
  previous: Stored | undefined;
  memo?: object | undefined;
  readonly unprinted: Unprinted | undefined;
  private text: string | undefined;

  /** Creates a version from its text or object; `undefined` marks a deletion. */
  constructor(
    { revision, key, storedAs }: Pick<Version, "revision" | "key" | "storedAs">,
    content: string | Unprinted | undefined,
    previous: Stored | undefined,
  ) {
    this.revision = revision;
    this.key = key;
    this.storedAs = storedAs;
    this.previous = previous;
    this.text = typeof content === "string" ? content : undefined;
    this.unprinted = typeof content === "string" ? undefined : content;
  }

  get exists(): boolean {
    return this.text !== undefined || this.unprinted !== undefined;
  }

  get json(): string | undefined {
    return (this.text ??= this.unprinted?.print());
  }

  /** Size of the text in characters, roughly if it's made later; 0 for a deletion. */
  get size(): number {
    return this.unprinted?.size ?? this.text?.length ?? 0;
  }

  /** Returns this version without those before it. */
  alone(): Stored {
    return this.previous === undefined ? this : new Stored(this, this.unprinted ?? this.text, undefined);
  }
}

/** One change, as a watch sees it. */
export interface LogEntry {
  /** The new version. */
  readonly version: Version;
  /** The previous version; `undefined` for a creation. */
  readonly old: Version | undefined;
}

/** A change in the log of a bucket. */
export interface StoredEntry extends LogEntry {
  readonly version: Stored;
}

/** All versions of the objects of one resource. */
export class Bucket {
  /** Name: `group/resource`. */
  readonly name: string;
  /** Latest revision that changed this bucket. */
  lastRevision = 0;
  /** Oldest revision that a watch can start from. */
  windowStart: number;
  /** Latest version of every key, including deletions until they are compacted. */
  readonly heads: SortedMap<Stored> = new SortedMap();
  /** Keys in `heads` whose latest version is a deletion. */
  readonly deleted: SortedMap<undefined> = new SortedMap();
  /** Size of their objects, in characters of JSON. */
  liveChars = 0;
  log: StoredEntry[] = [];
  logStart = 0;
  /** The open watches, which end when the resource is withdrawn or its history is replaced. */
  readonly watchers: WatcherSet<Version> = new WatcherSet();

  constructor(name: string, windowStart: number) {
    this.name = name;
    this.windowStart = windowStart;
  }

  /** Number of keys that exist at the latest revision. */
  get live(): number {
    return this.heads.size - this.deleted.size;
  }

  /** Returns the latest version of a key if it exists. */
  get(key: string): Version | undefined {
    const head = this.heads.get(key);
    return head?.exists === true ? head : undefined;
  }

  /** Visits the versions that existed at `revision`, in key order, until `visit` returns `false`. */
  scan(from: string, to: string | undefined, revision: number, visit: (version: Version) => boolean | undefined): void {
    if (revision >= this.lastRevision) {
      this.heads.scan(from, to, (head) => (head.exists ? visit(head) : undefined));
      return;
    }
    this.heads.scan(from, to, (head) => {
      let version: Stored | undefined = head;
      while (version !== undefined && version.revision > revision) version = version.previous;
      return version?.exists === true ? visit(version) : undefined;
    });
  }

  /** Returns the versions that existed at `revision`, in key order. */
  versions(from: string, to: string | undefined, revision: number): Version[] {
    const versions: Version[] = [];
    this.scan(from, to, revision, (version) => {
      versions.push(version);
      return undefined;
    });
    return versions;
  }

  /** Counts the keys in a range at `revision`, from their number now and the changes since then. */
  count(from: string, to: string | undefined, revision: number): number {
    const changes = this.since(revision);
    if (changes === undefined) return this.versions(from, to, revision).length;
    let count = this.heads.countRange(from, to) - this.deleted.countRange(from, to);
    for (const { version, old } of changes) {
      if (version.key < from || (to !== undefined && version.key >= to)) continue;
      if (old !== undefined) count += 1;
      if (version.exists) count -= 1;
    }
    return count;
  }

  /** Returns the changes after `revision`, oldest first, or `undefined` if some were discarded. */
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
