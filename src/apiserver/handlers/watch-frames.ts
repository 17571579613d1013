import { utf8Encode } from "../../internal/bytes.js";
import { encodeWatchEvent } from "../encodings.js";
import { attributesOf, readJson, readObject } from "../registry/read.js";
import { apiVersionOf } from "../registry/resources.js";
import type { ServedResource } from "../registry/resources.js";
import type { ApiObject } from "../registry/strategy.js";
import type { LogEntry, Version } from "../storage/mvcc.js";
import { printGoObject } from "../schema/go-decode.js";
import type { FrameEncoder } from "../storage/watcher.js";
import type { IncludeObject } from "../table.js";
import { metadataOf, tableOf } from "../table.js";
import type { ListRequest } from "./list-options.js";
import type { Negotiated } from "./negotiate.js";

/** What the frames of a watch depend on. */
export interface FrameShape {
  readonly resource: ServedResource;
  readonly negotiated: Negotiated;
  readonly include: IncludeObject;
}

interface Shared {
  version: Version | undefined;
  frames: Map<string, Uint8Array>;
}

/** One frame for all watches that get the same event: they are told of it one after the other. */
const shared: Shared = { version: undefined, frames: new Map() };

function shapeKey(shape: FrameShape): string {
  const { resource, negotiated } = shape;
  return `${resource.group}/${resource.version}|${negotiated.encoding}|${negotiated.transform?.kind ?? ""}|${negotiated.transform?.version ?? ""}|${shape.include}`;
}

/** The last state of a deleted object, with the version of the deletion. */
function lastState(old: Version, revision: number): Version {
  // The version is the first thing of that name: only name, prefix, namespace and uid stand before it.
  return { revision, key: old.key, json: old.json!.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${revision}"`) };
}

/** One frame of a watch. */
export function eventFrame(shape: FrameShape, type: string, object: ApiObject, columns: boolean, nowMs: number): Uint8Array {
  const { resource, negotiated, include } = shape;
  const { transform } = negotiated;
  if (transform === undefined) return encodeWatchEvent(negotiated.encoding, type, object);
  const shown = transform.kind === "Table"
    ? tableOf(resource, [object], { resourceVersion: object.metadata?.resourceVersion ?? "" }, transform.version, include, nowMs, columns)
    : metadataOf(resource, object, "PartialObjectMetadata", transform.version);
  return encodeWatchEvent(negotiated.encoding, type, shown);
}

/** A bookmark's object. */
export function bookmarkObject(resource: ServedResource, revision: number, initialEventsEnd: boolean): ApiObject {
  const type = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  const metadata = { resourceVersion: String(revision), ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) };
  // An empty object of a built-in kind shows the fields that its struct always writes.
  const printed = resource.definition === undefined ? {} : printGoObject(resource.definition, {});
  return { ...type, ...printed, ...type, metadata };
}

/** Makes the frames of one watch. */
export function createFrameEncoder(shape: FrameShape, request: ListRequest, prefix: string, now: () => number): FrameEncoder & { bookmark(revision: number, initialEventsEnd: boolean): Uint8Array } {
  const { resource, negotiated } = shape;
  const key = shapeKey(shape);
  const selecting = !request.labels.empty || !request.fields.empty || request.shard !== undefined;
  const table = negotiated.transform?.kind === "Table";
  const plainJson = negotiated.transform === undefined && negotiated.encoding === "json";
  let first = true;
  const matches = (version: Version): boolean => {
    const attributes = attributesOf(resource, version);
    return request.labels.matches(attributes.labels) && request.fields.matches(attributes.fields) && request.shard?.matches(attributes) !== false;
  };
  const make = (type: string, version: Version): Uint8Array => {
    if (plainJson) return utf8Encode(`{"type":"${type}","object":${readJson(resource, version)}}\n`);
    const frame = eventFrame(shape, type, readObject(resource, version), first, now());
    first = false;
    return frame;
  };
  const shareable = (type: string, version: Version, entry: LogEntry): Uint8Array => {
    if (table) return make(type, version);
    if (shared.version !== entry.version) {
      shared.version = entry.version;
      shared.frames = new Map();
    }
    const name = `${type}|${key}`;
    let frame = shared.frames.get(name);
    if (frame === undefined) {
      frame = make(type, version);
      shared.frames.set(name, frame);
    }
    return frame;
  };
  return {
    initial: (version) => make("ADDED", version),
    change(entry) {
      const { version, old } = entry;
      if (prefix !== "" && !version.key.startsWith(prefix)) return undefined;
      const is = version.json !== undefined && (!selecting || matches(version));
      const was = old !== undefined && (!selecting || matches(old));
      if (is) return shareable(was ? "MODIFIED" : "ADDED", version, entry);
      if (was) return shareable("DELETED", lastState(old, version.revision), entry);
      return undefined;
    },
    bookmark: (revision, initialEventsEnd) => {
      const frame = eventFrame(shape, "BOOKMARK", bookmarkObject(resource, revision, initialEventsEnd), first, now());
      first = false;
      return frame;
    },
  };
}
