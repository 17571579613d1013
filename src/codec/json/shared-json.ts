import type { DecodeOptions } from "../../meta/options.js";
import type { Codec } from "../codec.js";
import { managedFieldsOf } from "../decode-options.js";
import type { CellReader } from "../lazy.js";
import { poolFor, type SharedPool } from "../shared/shared-parts.js";
import { SharedTexts } from "../shared/shared-texts.js";
import { json } from "./json.js";

/** Decode options with the structure that objects of their pool share. */
export interface SharingOptions extends DecodeOptions {
  /** Set only for objects whose deferred members are stored together. */
  readonly sharing?: JsonSharing | undefined;
}

/** Member of the metadata. It's stored with the members of the object, so they can't have its name. */
const MANAGED_FIELDS = "managedFields";

/** Members of the metadata that are equal in many objects. */
const REPEATED = ["labels", "annotations", "ownerReferences", "finalizers"] as const;

/** Structure that the objects of one pool share when they're decoded from JSON. */
export class JsonSharing {
  readonly #pool: SharedPool;
  readonly #values = new SharedTexts();
  #namespace = "";
  /** Values of the last object that were shared. */
  readonly #latest: Partial<Record<(typeof REPEATED)[number], object>> = {};
  /** True if the metadata has a deferred member, and the object itself. */
  #inMetadata = false;
  #inObject = false;

  constructor(pool: SharedPool) {
    this.#pool = pool;
  }

  /** Starts an object. Returns false if it's too long to be compared with others. */
  begin(size: number): boolean {
    this.#inMetadata = this.#inObject = false;
    return this.#pool.begin(size);
  }

  /** Adds a deferred member of the object or its metadata. */
  add(key: string, bytes: Uint8Array, start: number, end: number, reader: CellReader): void {
    if (key === MANAGED_FIELDS) this.#inMetadata = true;
    else this.#inObject = true;
    this.#pool.add(key, bytes, start, end, reader);
  }

  /** Stores the deferred members, and replaces equal parts of the metadata by those of earlier objects. */
  finish(object: object, metadata: Record<string, unknown>): void {
    const { namespace, ownerReferences } = metadata;
    if (namespace === this.#namespace) metadata["namespace"] = this.#namespace;
    else if (typeof namespace === "string") this.#namespace = namespace;
    for (const key of REPEATED) {
      const value = metadata[key];
      if (typeof value === "object" && value !== null) {
        const shared = this.#values.share(value, this.#latest[key]);
        metadata[key] = shared;
        if (Object.isFrozen(shared)) this.#latest[key] = shared;
      }
    }
    const owners: object[] = this.#inMetadata ? [metadata] : [];
    if (this.#inObject) owners.push(object);
    if (owners.length === 0) return;
    const owner = Array.isArray(ownerReferences) ? (ownerReferences[0] as { uid?: unknown } | null) : undefined;
    this.#pool.finish(owners, typeof owner?.uid === "string" ? owner.uid : "");
  }
}

const sharings = new WeakMap<object, JsonSharing>();

/**
 * Creates a JSON codec for large caches. It supports the `pool` option: lazily decoded objects are stored as
 * differences from similar ones.
 */
export function sharedJson(): Codec {
  const plain = json();
  return {
    ...plain,
    decode: (bytes, options) => plain.decode(bytes, withSharing(options)),
    createListDecoder: (options) => plain.createListDecoder(withSharing(options)),
    createWatchDecoder: (options) => plain.createWatchDecoder(withSharing(options)),
  };
}

function withSharing<O extends DecodeOptions>(options: O | undefined): (O & SharingOptions) | undefined {
  const pool = options?.pool;
  if (pool === undefined || options?.lazy !== true || options.previous !== undefined) return options;
  if (managedFieldsOf(options) === "keep") return options;
  let sharing = sharings.get(pool);
  if (sharing === undefined) sharings.set(pool, (sharing = new JsonSharing(poolFor(pool))));
  return { ...options, sharing };
}
