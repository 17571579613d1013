import type { DecodeOptions } from "../../meta/options.js";
import type { Codec } from "../codec.js";
import { managedFieldsOf } from "../decode-options.js";
import { defineDeferred } from "../lazy.js";
import { poolFor, type SharedPool } from "../shared/shared-parts.js";
import { SharedTexts } from "../shared/shared-texts.js";
import { json } from "./json.js";
import { memberReader } from "./metadata.js";
import type { JsonSharing, Member, SharingOptions } from "./sharing.js";

/** Member of the metadata. It's stored with the members of the object, so they can't have its name. */
const managedFieldsName = "managedFields";

/** Members of the metadata that are equal in many objects. */
const repeatedFields = ["labels", "annotations", "ownerReferences", "finalizers"] as const;

class PoolSharing implements JsonSharing {
  readonly #pool: SharedPool;
  readonly #values = new SharedTexts();
  #namespace = "";
  /** Values of the last object that were shared. */
  readonly #latest: Partial<Record<(typeof repeatedFields)[number], object>> = {};
  /** False for an object that's too long to be compared with others. */
  #begun = false;

  constructor(pool: SharedPool) {
    this.#pool = pool;
  }

  begin(size: number): void {
    this.#begun = this.#pool.begin(size);
  }

  add(metadata: object, bytes: Uint8Array, start: number, end: number): boolean {
    if (!this.#begun) return false;
    this.#pool.add(managedFieldsName, bytes, start, end, memberReader);
    defineDeferred(metadata, managedFieldsName);
    return true;
  }

  finish(object: object, metadata: Record<string, unknown>, bytes: Uint8Array, members: readonly Member[]): boolean {
    if (!this.#begun) return false;
    const owners: object[] = this.#pool.isEmpty ? [] : [metadata];
    const together = members.every(({ key }) => key !== managedFieldsName);
    if (together && members.length > 0) {
      owners.push(object);
      for (const { key, start, end } of members) {
        this.#pool.add(key, bytes, start, end, memberReader);
        defineDeferred(object, key);
      }
    }
    const { namespace, name, ownerReferences } = metadata;
    const owner = Array.isArray(ownerReferences) ? (ownerReferences[0] as { uid?: unknown } | null) : undefined;
    const group = typeof owner?.uid === "string" ? owner.uid : "";
    if (owners.length > 0) this.#pool.finish(owners, group, namespace, name);
    this.#shareMetadata(metadata);
    return together;
  }

  #shareMetadata(metadata: Record<string, unknown>): void {
    const { namespace } = metadata;
    if (namespace === this.#namespace) metadata["namespace"] = this.#namespace;
    else if (typeof namespace === "string") this.#namespace = namespace;
    for (const key of repeatedFields) {
      const value = metadata[key];
      if (typeof value !== "object" || value === null) continue;
      const shared = this.#values.share(value, this.#latest[key]);
      metadata[key] = shared;
      if (Object.isFrozen(shared)) this.#latest[key] = shared;
    }
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
  if (sharing === undefined) sharings.set(pool, (sharing = new PoolSharing(poolFor(pool))));
  return { ...options, sharing };
}
