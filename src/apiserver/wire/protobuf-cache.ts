import { ProtocolError } from "../../errors/errors.js";
import { readObject } from "../registry/read.js";
import type { ServedResource, StoredForm } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Version } from "../storage/bucket.js";
import { encodeJson, encodeObject } from "./encodings.js";

/** Default size of the cache in bytes. Objects beyond it are encoded again for each request. */
const mostBytes = 128 * 1024 * 1024;

interface Kept {
  readonly apiVersion: string;
  readonly bytes: Uint8Array;
}

/** Protobuf encodings of a server's stored objects. Holds only the latest versions, which lists read repeatedly. */
export interface ProtobufCache {
  /** Returns a stored object with its envelope. The bytes are shared; don't modify them. */
  of(resource: ServedResource, version: Version): Uint8Array;
  /** Returns true once a reader has requested objects of the resource. Before that, writes don't fill the cache. */
  wants(resource: ServedResource): boolean;
  /** Encodes a version ahead of its first reader. Errors are left to the reader, not reported to the writer. */
  warm(resource: ServedResource, version: Version): void;
  /** Returns the size of an object that is about to be stored. */
  size(resource: ServedResource, form: StoredForm): number;
  /** Drops a version that is no longer the latest. */
  forget(version: Version): void;
  /** Clears the cache. */
  clear(): void;
}

/** Creates an empty cache. */
export function createProtobufCache(limit: number = mostBytes): ProtobufCache {
  let kept = new WeakMap<Version, Kept>();
  let keptBytes = 0;
  /** Buckets with readers. */
  const wanted = new Set<string>();

  const forget = (version: Version): void => {
    const known = kept.get(version);
    if (known === undefined) return;
    keptBytes -= known.bytes.length;
    kept.delete(version);
  };

  const encode = (resource: ServedResource, version: Version): Uint8Array => {
    const { kind, converter, fromStorage } = resource;
    return converter === undefined && fromStorage === undefined
      ? encodeJson(version.json!, { kind, apiVersion: apiVersionOf(resource) })
      : encodeObject("protobuf", readObject(resource, version), false);
  };

  const encoded = (resource: ServedResource, version: Version): Uint8Array => {
    const apiVersion = apiVersionOf(resource);
    const known = kept.get(version);
    if (known?.apiVersion === apiVersion) return known.bytes;
    const bytes = encode(resource, version);
    forget(version);
    if (keptBytes + bytes.length <= limit) {
      kept.set(version, { apiVersion, bytes });
      keptBytes += bytes.length;
    }
    return bytes;
  };

  return {
    of(resource, version) {
      wanted.add(resource.bucket);
      return encoded(resource, version);
    },
    wants: ({ bucket }) => wanted.has(bucket),
    size(resource, { object, storedAs }) {
      const apiVersion = apiVersionOf({ group: resource.group, version: storedAs ?? resource.version });
      return encodeObject("protobuf", { ...object, kind: resource.kind, apiVersion }, false).length;
    },
    warm(resource, version) {
      if (keptBytes >= limit) return;
      try {
        encoded(resource, version);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
      }
    },
    forget,
    clear() {
      kept = new WeakMap();
      keptBytes = 0;
    },
  };
}
