import { setOwn } from "../../../internal/set-own.js";
import type { RequestContext } from "../../http/request-context.js";
import { isJsonObject } from "../../internal/json-value.js";
import type { ApiObject } from "../../objects/api-object.js";
import type { ServedResource } from "../resources.js";
import { withoutRuns } from "./owners.js";
import { leastSize, maxMessageBytes, maxRequestBytes } from "./size-limit.js";

/** Shorter bodies don't take long, whatever they contain. */
const longBody = 64 * 1024;
/** Items of lists, and entries of large maps, that are kept of an object. */
const keptItems = 10_000;
/** Go structs have fewer members. An object with more is a map. */
const mostFields = 100;
/** Maps whose total size is limited, and the characters to keep of one that exceeds it. Only annotations count keys. */
const sizedMaps = new Map([
  ["annotations", 300 * 1024],
  ["data", 1.25 * 1024 * 1024],
  ["binaryData", 1.5 * 1024 * 1024],
  ["stringData", 1.25 * 1024 * 1024],
]);

/** A write whose body is being read. */
export interface IncomingWrite {
  readonly context: RequestContext;
  readonly resource: ServedResource;
  readonly subresource: string;
  /** Length of the body in bytes. */
  readonly bodyLength: number;
  /** True if the write certainly creates the object. */
  readonly creates: boolean;
}

/** Shortens an object in place if it can't be stored. */
export type Shortener = (object: ApiObject) => void;

/**
 * Returns a function that shortens the lists and maps of an object that is certainly too large for etcd; `undefined` for
 * a short body. The write will fail, whatever the rest contains, so that only the first 10,000 items are decoded and
 * validated: hostile bodies consist of a million. A lower bound of the size is recorded in the context, so that the
 * object can't be stored. A status that the write doesn't store is shortened in any case. Values that other objects may
 * share aren't changed.
 */
export function shortenerOf(write: IncomingWrite): Shortener | undefined {
  return write.bodyLength < longBody ? undefined : (object) => shorten(write, object);
}

function shorten({ context, resource, subresource, creates }: IncomingWrite, object: ApiObject): void {
  shortenOwners(object);
  const size = leastSize({ resource, subresource, object, creates }, maxMessageBytes);
  context.unstorableBytes = size > maxRequestBytes ? Math.ceil(size) : undefined;
  const keepsStatus = creates && resource.strategy.keepsNewStatus === true;
  const dropsStatus = subresource === "" && resource.subresources.has("status") && !keepsStatus;
  const left = { items: keptItems };
  for (const [key, value] of Object.entries(object))
    if (size > maxRequestBytes || (key === "status" && dropsStatus)) setOwn(object, key, shortened(value, left, key));
}

function shortenOwners(object: ApiObject): void {
  const metadata: unknown = object.metadata;
  if (!isJsonObject(metadata) || !Array.isArray(metadata["ownerReferences"])) return;
  const owners: readonly unknown[] = metadata["ownerReferences"];
  const kept = withoutRuns(owners);
  if (kept.length < owners.length)
    object.metadata = { ...metadata, ownerReferences: kept } as NonNullable<ApiObject["metadata"]>;
}

/** Items that may still be kept. */
interface Left {
  items: number;
}

function shortened(value: unknown, left: Left, name = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      if (left.items <= 0 && kept.length > 0) break;
      left.items--;
      kept.push(shortened(item, left));
    }
    return kept;
  }
  const keys = Object.keys(value);
  const isMap = keys.length > mostFields;
  const members = value as Readonly<Record<string, unknown>>;
  const kept: Record<string, unknown> = {};
  const sizeOf = (key: string): number => {
    const member = members[key];
    return (name === "annotations" ? key.length : 0) + (typeof member === "string" ? member.length : 0);
  };
  const limit = sizedMaps.get(name);
  const isLong = isMap && limit !== undefined && keys.reduce((size, key) => size + sizeOf(key), 0) > limit;
  // A map that is too long must stay too long.
  let missing = isLong ? limit : 0;
  for (const key of keys) {
    if (isMap && left.items <= 0 && missing <= 0) break;
    if (isMap) left.items--;
    if (missing > 0) missing -= sizeOf(key);
    setOwn(kept, key, shortened(members[key], left, key));
  }
  return kept;
}
