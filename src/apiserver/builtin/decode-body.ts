import { utf8Decode } from "../../internal/bytes.js";
import { parseGoJson } from "../internal/go-json.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ObjectBody, ResourceContext, ServedResource } from "../registry/resources.js";
import { checkType, inOrder, parseObject, reportStrict, shownBody } from "../wire/body.js";
import { decodeTyped } from "./read-patched.js";

/** Decodes the body of a write as an object of a built-in kind. Throws 400. */
export function decodeBody(
  resource: ServedResource,
  { bytes, encoding, mode }: ObjectBody,
  context: ResourceContext,
): ApiObject {
  const { kind, version } = resource;
  const { object, duplicates } = parseObject(bytes, encoding, resource);
  checkType(object, resource, shownBody(bytes), (unknown, other) =>
    reportStrict(context, { kind, version: other }, mode, [
      ...duplicates,
      ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ]),
  );
  // A value that is there twice is read twice.
  if (encoding === "json" && duplicates.length > 0)
    decodeTyped(resource, parseGoJson(utf8Decode(bytes), { keepFirst: true }).value as ApiObject);
  const unknown = decodeTyped(resource, object).map((path) => `unknown field ${JSON.stringify(path)}`);
  reportStrict(context, { kind, version }, mode, inOrder(bytes, encoding, duplicates, unknown));
  return object;
}
