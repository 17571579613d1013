import { ObjectBytes } from "../../internal/object-bytes.js";
import { setOwn } from "../../internal/set-own.js";
import type { ApiObject } from "../objects/api-object.js";
import { givenEmptyFields, recordGivenEmpty } from "../objects/given-empty.js";
import type { ObjectBody } from "../registry/resources.js";

/** Members that a write of a status changes. */
const own = new Set(["kind", "apiVersion", "metadata", "status"]);

/**
 * Decodes the status of a body from this process. A client there sends the members of the stored object that it leaves
 * alone, such as the spec, as the very objects that the server keeps: they need no copy and no decoding.
 */
export function decodeShared(body: ObjectBody, decode: (body: ObjectBody) => ApiObject): ApiObject {
  const { stored } = body;
  if (stored === undefined || !(body.bytes instanceof ObjectBytes)) return decode(body);
  const sent = body.bytes.value as ApiObject;
  const isShared = (name: string): boolean =>
    !own.has(name) && Object.hasOwn(stored, name) && sent[name] === stored[name];
  const rest: ApiObject = {};
  for (const name of Object.keys(sent)) if (!isShared(name)) setOwn(rest, name, sent[name]);
  const sameMetadata = sent.metadata !== undefined && sent.metadata === stored.metadata;
  // A write of a status keeps the managers.
  if (sameMetadata) rest.metadata = { ...sent.metadata, managedFields: undefined };
  const decoded = decode({ ...body, bytes: new ObjectBytes(rest) });
  if (sameMetadata) Object.assign(decoded.metadata!, { managedFields: stored.metadata!.managedFields });
  const object: ApiObject = {};
  for (const name of Object.keys(stored))
    if (isShared(name)) setOwn(object, name, stored[name]);
    else if (Object.hasOwn(decoded, name)) setOwn(object, name, decoded[name]);
  for (const name of Object.keys(decoded)) if (!Object.hasOwn(object, name)) setOwn(object, name, decoded[name]);
  recordGivenEmpty(object, givenEmptyFields(decoded));
  return object;
}
