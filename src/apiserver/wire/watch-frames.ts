import { deepFreeze } from "../../codec/freeze.js";
import { utf8Encode } from "../../internal/bytes.js";
import { ObjectBytes } from "../../internal/object-bytes.js";
import type { ApiObject } from "../objects/api-object.js";
import { decodedVersion } from "../registry/decoded-version.js";
import type { ListRequest } from "../registry/list-options.js";
import { attributesOf, readJson, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { printGoObject } from "../schema/go-decode.js";
import type { LogEntry, Version } from "../storage/bucket.js";
import type { FrameEncoder } from "../storage/watcher.js";
import { encodeWatchEvent, protobufEvent } from "./encodings.js";
import type { Negotiated } from "./negotiate.js";
import type { ProtobufCache } from "./protobuf-cache.js";
import type { IncludeObject } from "./table.js";
import { metadataOf, tableOf } from "./table.js";

/** Everything that the frames of a watch depend on. */
export interface FrameShape {
  readonly resource: ServedResource;
  readonly negotiated: Negotiated;
  readonly include: IncludeObject;
  /** Protobuf encodings of stored objects. */
  readonly protobuf: ProtobufCache;
  /** True to hand the objects of a JSON watch over instead of encoding them. */
  readonly internal: boolean;
}

interface Shared {
  version: Version | undefined;
  frames: Map<ServedResource, Map<string, Uint8Array>>;
}

/** The last event's frames, shared by all watches, because they are notified one after the other. */
const shared: Shared = { version: undefined, frames: new Map() };

function shapeKey(shape: FrameShape): string {
  const { negotiated } = shape;
  return `${negotiated.encoding}|${negotiated.transform?.kind ?? ""}|${negotiated.transform?.version ?? ""}|${shape.include}|${shape.internal}`;
}

/** Creates a frame of a watch. */
export function eventFrame(
  shape: FrameShape,
  type: string,
  object: ApiObject,
  { columns, nowMs }: { readonly columns: boolean; readonly nowMs: number },
): Uint8Array {
  const { resource, negotiated, include } = shape;
  const { transform } = negotiated;
  if (transform === undefined) return encodeWatchEvent(negotiated.encoding, type, object);
  // kube-apiserver accepts such a watch and ends it at the first event, which it can't convert to a list.
  if (transform.kind === "PartialObjectMetadataList") throw new TypeError("a watch event is not a list");
  const shown =
    transform.kind === "Table"
      ? tableOf(resource, [object], {
          metadata: { resourceVersion: object.metadata?.resourceVersion ?? "" },
          version: transform.version,
          include,
          nowMs,
          columns,
        })
      : metadataOf(resource, object, "PartialObjectMetadata", transform.version);
  return encodeWatchEvent(negotiated.encoding, type, shown);
}

/** Returns a version as a frozen object with a revision, which is a later one for a deletion. */
function objectAt(resource: ServedResource, version: Version, revision: number): ApiObject {
  const object = decodedVersion(resource, version);
  if (revision === version.revision) return object;
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

/** Creates the object of a bookmark. */
export function bookmarkObject(resource: ServedResource, revision: number, initialEventsEnd: boolean): ApiObject {
  const type = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  // An empty built-in object still shows the fields that its struct always writes.
  const printed = resource.definition === undefined ? {} : printGoObject(resource.definition, {});
  const object: ApiObject = { ...type, ...printed, ...type, metadata: { resourceVersion: String(revision) } };
  resource.strategy.fillEmpty?.(object);
  if (initialEventsEnd) (object.metadata!.annotations ??= {})["k8s.io/initial-events-end"] = "true";
  return object;
}

/** Encodes the frames of one watch. */
export interface WatchEncoder extends FrameEncoder {
  /** True if frames hold the stored objects themselves. */
  readonly sharesObjects: boolean;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
}

/** Creates the frame encoder of one watch. */
export function createFrameEncoder(
  shape: FrameShape,
  request: ListRequest,
  prefix: string,
  now: () => number,
): WatchEncoder {
  const { resource, negotiated } = shape;
  const key = shapeKey(shape);
  const selecting = !request.labels.empty || !request.fields.empty || request.shard !== undefined;
  const table = negotiated.transform?.kind === "Table";
  const plainJson = negotiated.transform === undefined && negotiated.encoding === "json";
  const plainProtobuf = negotiated.transform === undefined && negotiated.encoding === "protobuf" && resource.protobuf;
  const sharesObjects = plainJson && shape.internal;
  let first = true;
  const matches = (version: Version): boolean => {
    const attributes = attributesOf(resource, version);
    return (
      request.labels.matches(attributes.labels) &&
      request.fields.matches(attributes.fields) &&
      request.shard?.matches(attributes) !== false
    );
  };
  /** `revision` is the revision of a deletion, `version` the last state before it. */
  const make = (type: string, version: Version, revision = version.revision): Uint8Array => {
    if (sharesObjects) return new ObjectBytes({ type, object: objectAt(resource, version, revision) });
    if (plainJson) {
      const json = readJson(resource, version);
      // The first match is the right one: only type, name, prefix, namespace and uid precede `resourceVersion`.
      return utf8Encode(
        `{"type":"${type}","object":${revision === version.revision ? json : json.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${revision}"`)}}\n`,
      );
    }
    if (plainProtobuf && revision === version.revision)
      return protobufEvent(type, shape.protobuf.of(resource, version));
    const object = readObject(resource, version);
    object.metadata!.resourceVersion = String(revision);
    const frame = eventFrame(shape, type, object, { columns: first, nowMs: now() });
    first = false;
    return frame;
  };
  const shareable = (type: string, version: Version, entry: LogEntry): Uint8Array => {
    const { revision } = entry.version;
    if (table) return make(type, version, revision);
    if (shared.version !== entry.version) {
      shared.version = entry.version;
      shared.frames = new Map();
    }
    let frames = shared.frames.get(resource);
    if (frames === undefined) shared.frames.set(resource, (frames = new Map<string, Uint8Array>()));
    const name = `${type}|${key}`;
    let frame = frames.get(name);
    if (frame === undefined) frames.set(name, (frame = make(type, version, revision)));
    return frame;
  };
  return {
    sharesObjects,
    initial: (version) => make("ADDED", version),
    change(entry) {
      const { version, old } = entry;
      if (prefix !== "" && !version.key.startsWith(prefix)) return undefined;
      const is = version.exists && (!selecting || matches(version));
      const was = old !== undefined && (!selecting || matches(old));
      if (is) return shareable(was ? "MODIFIED" : "ADDED", version, entry);
      if (was) return shareable("DELETED", old, entry);
      return undefined;
    },
    bookmark: (revision, initialEventsEnd) => {
      const frame = eventFrame(shape, "BOOKMARK", bookmarkObject(resource, revision, initialEventsEnd), {
        columns: first,
        nowMs: now(),
      });
      first = false;
      return frame;
    },
  };
}
