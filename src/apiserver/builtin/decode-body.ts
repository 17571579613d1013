import { utf8Decode } from "../../internal/bytes.js";
import { parseGoJson } from "../internal/go-json.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ObjectBody, ResourceContext, ServedResource } from "../registry/resources.js";
import { checkType, decodingProblems, parseObject, reportStrict, unknownFieldTexts } from "../wire/body.js";
import { decodeTyped } from "./read-patched.js";

/** Decodes the body of a write as an object of a built-in kind. Throws 400. */
export function decodeBody(
  resource: ServedResource,
  { bytes, encoding, mode, shorten }: ObjectBody,
  context: ResourceContext,
): ApiObject {
  const { kind, version } = resource;
  const { object, duplicates } = parseObject(bytes, encoding, resource);
  checkType(object, resource, (unknown, other) =>
    reportStrict(context, { kind, version: other }, mode, [...duplicates, ...unknownFieldTexts(unknown)]),
  );
  if (encoding === "json" && duplicates.length > 0) {
    // With duplicate fields, both values must be decoded to find all errors.
    const first = parseGoJson(utf8Decode(bytes), { keepFirst: true }).value as ApiObject;
    shorten?.(first);
    decodeTyped(resource, first);
  }
  shorten?.(object);
  const unknown = unknownFieldTexts(decodeTyped(resource, object));
  reportStrict(context, { kind, version }, mode, decodingProblems(encoding, duplicates, unknown, bytes));
  return object;
}
