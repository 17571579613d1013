import type { ApiObject } from "../objects/api-object.js";
import type { ObjectBody, ResourceContext, ServedResource } from "../registry/resources.js";
import { parseObject, reportStrict, unknownFieldTexts } from "../wire/body.js";
import { checkCustomType, decodeCustom } from "./decode-custom.js";

/** Decodes the body of a write as a custom resource. Throws 400. */
export function decodeBody(
  resource: ServedResource,
  { bytes, encoding, mode, shorten }: ObjectBody,
  context: ResourceContext,
): ApiObject {
  const { group, version, kind } = resource;
  const { object, duplicates } = parseObject(bytes, encoding, resource);
  const report = (unknown: readonly string[], other: string): void =>
    reportStrict(context, { kind, version: other }, mode, [...duplicates, ...unknownFieldTexts(unknown)]);
  checkCustomType(object, resource, {
    typed: encoding === "cbor",
    schemaOf: (other) => context.services.resources.find(group, other, resource.resource)?.schema,
    report,
  });
  const unknown = decodeCustom(resource, object);
  shorten?.(object);
  // Unknown fields of a custom resource in CBOR aren't reported.
  report(encoding === "cbor" ? [] : unknown, version);
  return object;
}
