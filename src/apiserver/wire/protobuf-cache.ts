import { ProtocolError } from "../../errors/errors.js";
import type { ApiObject } from "../objects/api-object.js";
import { readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Version } from "../storage/mvcc.js";
import { encodeObject } from "./encodings.js";

/** Bytes of encoded objects that are kept unless told otherwise; what comes beyond them is made anew as it is asked for. */
const LIMIT = 128 * 1024 * 1024;

interface Kept {
  readonly apiVersion: string;
  readonly bytes: Uint8Array;
}

/** The stored objects of one server as Protobuf. Only the latest versions are kept: those that lists read again and again. */
export interface ProtobufCache {
  /** A stored object with its envelope. Shared, and not to be changed. */
  of(resource: ServedResource, version: Version): Uint8Array;
  /** Encodes a version for those who will ask for it. What Protobuf cannot carry is told to them, not to who wrote it. */
  warm(resource: ServedResource, version: Version): void;
  /** Takes the object that is about to be stored under a revision: the first to ask for that version need not parse it. */
  expect(resource: ServedResource, revision: number, object: ApiObject): void;
  /** Forgets a version that is no longer the latest. */
  forget(version: Version): void;
  /** Forgets everything. */
  clear(): void;
}

/** Makes an empty cache. */
export function createProtobufCache(limit: number = LIMIT): ProtobufCache {
  let kept = new WeakMap<Version, Kept>();
  let keptBytes = 0;
  let expected:
    | { readonly resource: ServedResource; readonly revision: number; readonly object: ApiObject }
    | undefined;

  const forget = (version: Version): void => {
    const known = kept.get(version);
    if (known === undefined) return;
    keptBytes -= known.bytes.length;
    kept.delete(version);
  };

  const objectOf = (resource: ServedResource, version: Version): ApiObject => {
    if (expected?.resource !== resource || expected.revision !== version.revision) return readObject(resource, version);
    const { object } = expected;
    // Whoever holds the object may change it later on.
    expected = undefined;
    return object;
  };

  const of = (resource: ServedResource, version: Version): Uint8Array => {
    const apiVersion = apiVersionOf(resource);
    const known = kept.get(version);
    if (known?.apiVersion === apiVersion) return known.bytes;
    const bytes = encodeObject("protobuf", objectOf(resource, version), false);
    forget(version);
    if (keptBytes + bytes.length <= limit) {
      kept.set(version, { apiVersion, bytes });
      keptBytes += bytes.length;
    }
    return bytes;
  };

  return {
    of,
    warm(resource, version) {
      if (keptBytes >= limit) return;
      try {
        of(resource, version);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
      }
    },
    expect(resource, revision, object) {
      const shown: ApiObject = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
      // By names alone: what the decoder noted under symbols is about the request's body.
      for (const key of Object.keys(object)) if (key !== "kind" && key !== "apiVersion") shown[key] = object[key];
      expected = { resource, revision, object: shown };
    },
    forget,
    clear() {
      kept = new WeakMap();
      keptBytes = 0;
      expected = undefined;
    },
  };
}
