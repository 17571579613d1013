import { utf8Decode } from "../../internal/bytes.js";
import { badRequest } from "../errors/status.js";
import { GoJsonError } from "../internal/go-json.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ObjectBody, ResourceContext, ServedResource } from "../registry/resources.js";
import { parseObject, reportStrict, shown } from "../wire/body.js";
import { diagnoseCbor } from "../wire/cbor-diagnostics.js";
import { checkCustomType, decodeCustom } from "./decode-custom.js";

/** Decodes the body of a write as a custom resource. Throws 400. */
export function decodeBody(
  resource: ServedResource,
  { bytes, encoding, mode }: ObjectBody,
  context: ResourceContext,
): ApiObject {
  const { group, version, kind } = resource;
  const { object, duplicates } = parseObject(bytes, encoding, resource, (error) =>
    error instanceof GoJsonError && error.message.startsWith("json: cannot unmarshal number")
      ? badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`)
      : undefined,
  );
  checkCustomType(object, resource, {
    shown: shown(bytes),
    text: () => (encoding === "cbor" ? diagnoseCbor(bytes) : utf8Decode(bytes)),
    typed: encoding === "cbor",
    ignored: mode === "Ignore",
    schemaOf: (other) => context.services.resources.find(group, other, resource.resource)?.schema,
    report(paths, refusal, other = version) {
      const problems = [...duplicates, ...paths.map((path) => `unknown field ${JSON.stringify(path)}`)];
      if (refusal !== undefined && mode === "Strict" && problems.length > 0) throw badRequest(refusal);
      reportStrict(context, { kind, version: other }, mode, problems);
    },
  });
  const found = decodeCustom(resource, object);
  // Unknown fields of a custom resource in CBOR are not reported.
  const unknown = encoding === "cbor" ? [] : found.map((path) => `unknown field ${JSON.stringify(path)}`);
  reportStrict(context, { kind, version }, mode, [...duplicates, ...unknown]);
  return object;
}
