import type { ApiObject } from "../objects/api-object.js";
import { freezeAsJson } from "../objects/freeze-as-json.js";
import { orderedMetadata, storedJson } from "../objects/metadata.js";
import type { Unprinted, Version } from "../storage/bucket.js";
import type { ServedResource } from "./resources.js";
import { apiVersionOf } from "./resources.js";

/** Size above which a written object isn't kept, so that large objects don't fill the memory. */
export const largestKept = 32_768;

/** A frozen object as a reader of its resource gets it, stored in the place of its text. */
export class WrittenObject implements Unprinted {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly size: number;

  constructor(resource: ServedResource, object: ApiObject, size: number) {
    this.resource = resource;
    this.object = object;
    this.size = size;
  }

  print(): string {
    return storedJson(this.object, this.object.metadata!.resourceVersion!, this.resource.sortedMetadata);
  }
}

/** Returns the object that a version was stored as, if that is its form. */
export function writtenAs({ unprinted }: Version): WrittenObject | undefined {
  return unprinted instanceof WrittenObject ? unprinted : undefined;
}

/** Returns the frozen object of a version that was stored without its text, for the readers of one resource. */
export function storedObject(resource: ServedResource, version: Version): ApiObject | undefined {
  const written = writtenAs(version);
  return written?.resource === resource ? written.object : undefined;
}

/** Returns an object that is written at a revision for storage without its text; `undefined` if that isn't possible. */
export function writtenObject(
  resource: ServedResource,
  object: ApiObject,
  revision: number,
): WrittenObject | undefined {
  const size = roughSize(object, largestKept);
  const read = size > largestKept ? undefined : asRead(resource, object, revision);
  return read && new WrittenObject(resource, read, size);
}

/**
 * Returns an object that is written at a revision as its readers get it. Its parts are frozen. Returns `undefined` for
 * one that reads differently than it was written.
 */
export function asRead(resource: ServedResource, object: ApiObject, revision: number): ApiObject | undefined {
  if (!resource.protobuf || resource.toStorage !== undefined || resource.fromStorage !== undefined) return undefined;
  const read: ApiObject = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  read.metadata = orderedMetadata({ ...object.metadata, resourceVersion: String(revision) }, resource.sortedMetadata);
  for (const key of Object.keys(object))
    if (key !== "kind" && key !== "apiVersion" && key !== "metadata" && object[key] !== undefined)
      read[key] = object[key];
  return freezeAsJson(read) ? read : undefined;
}

/**
 * Returns roughly the length of an object's JSON, or a number above `enough`. The text has at most six times as many
 * bytes, because a character may be escaped. Needs no call stack, whatever the depth.
 */
function roughSize(object: object, enough: number): number {
  const parts: object[] = [object];
  let size = 3;
  // The loop also visits the parts that it adds. It runs for every write, and `for in` is twice as fast as a list of keys.
  for (const part of parts) {
    if (size > enough) break;
    if (Array.isArray(part)) for (const item of part) size += sizeOrPart(item, parts);
    else for (const key in part) size += key.length + 3 + sizeOrPart((part as Record<string, unknown>)[key], parts);
  }
  return size;
}

/** Returns the size of a value without its members. Adds a list or a map to the parts. */
function sizeOrPart(value: unknown, parts: object[]): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null) return 6;
  parts.push(value);
  return 3;
}
