import { badRequest } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { metaOf } from "../objects/metadata.js";
import { keptObject } from "../registry/decoded-version.js";
import { keyOf } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { createObject } from "../registry/write/create.js";
import { dropDuplicateOwners } from "../registry/write/owners.js";
import { shortenerOf } from "../registry/write/shorten.js";
import { updateObject } from "../registry/write/update.js";
import { decodeFor, readBody, requestEncoding } from "../wire/body.js";
import { negotiateFor, objectOffer, offerOf, respondWritten } from "../wire/respond.js";
import { parseWriteOptions } from "../wire/write-options.js";
import type { HandlerContext } from "./services.js";

/** Checks the namespace in a body against the path, or fills it in. Throws 400. */
export function checkNamespace(object: ApiObject, resource: ServedResource, namespace: string): void {
  const meta = metaOf(object);
  const expected = resource.namespaced ? namespace : "";
  const given = meta.namespace ?? "";
  if (expected === "") {
    delete meta.namespace;
    return;
  }
  if (given === "") meta.namespace = expected;
  else if (given !== expected)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Handles POST to a collection. */
export async function handleCreate(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace } = context.info;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  const encoding = requestEncoding(context.request.header("content-type"), resource.encodings);
  const body = await readBody(context);
  const options = parseWriteOptions(context, "CreateOptions");
  const object = decodeFor(context, resource, {
    bytes: body,
    encoding,
    mode: options.fieldValidation,
    shorten: shortenerOf({ context, resource, subresource: "", bodyLength: body.length, creates: true }),
  });
  checkNamespace(object, resource, namespace);
  resource.checkCreate(metaOf(object).name ?? "");
  const created = await createObject(context, {
    resource,
    namespace,
    object,
    options: { dryRun: options.dryRun, manager: options.manager, raw: options.raw },
  });
  return respondWritten(context, { resource, negotiated }, created);
}

/** Handles PUT of an object or its status. */
export async function handleUpdate(
  context: HandlerContext,
  resource: ServedResource,
  subresource = "",
): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  // The `finalize` endpoint of namespaces doesn't support Tables.
  const negotiated = negotiateFor(context, resource, objectOffer(resource, subresource));
  const body = await readBody(context);
  const options = parseWriteOptions(context, "UpdateOptions");
  const encoding = requestEncoding(context.request.header("content-type"), resource.encodings);
  const shorten = shortenerOf({ context, resource, subresource, bodyLength: body.length, creates: false });
  const decode = (): ApiObject => {
    const stored = subresource === "status" ? keptHead(context, resource, namespace, pathName) : undefined;
    const whole = { bytes: body, encoding, mode: options.fieldValidation, shorten, stored };
    const decoded = decodeFor(context, resource, whole);
    checkName(decoded, resource, namespace, pathName);
    dropDuplicateOwners(context, decoded);
    return decoded;
  };
  const object = decode();
  const { uid } = metaOf(object);
  let unused: ApiObject | undefined = object;
  const written = await updateObject(context, {
    resource,
    namespace,
    name: pathName,
    subresource,
    options: { dryRun: options.dryRun, manager: options.manager, raw: options.raw },
    uid,
    leavesExisting: true,
    transform: () => {
      // The write changes the object, so another attempt decodes the body again.
      const fresh = unused ?? decode();
      unused = undefined;
      return fresh;
    },
  });
  return respondWritten(context, { resource, negotiated }, written);
}

/** Returns the stored object as readers in this process share it, if it's a built-in one that is kept. */
function keptHead(
  { services: { store } }: HandlerContext,
  resource: ServedResource,
  namespace: string,
  name: string,
): ApiObject | undefined {
  const version = resource.protobuf ? store.bucket(resource.bucket).get(keyOf(resource, namespace, name)) : undefined;
  return version === undefined ? undefined : keptObject(resource, version);
}

/** Checks namespace and name in a body against the path. Throws 400. */
export function checkName(object: ApiObject, resource: ServedResource, namespace: string, name: string): void {
  checkNamespace(object, resource, namespace);
  const given = metaOf(object).name ?? "";
  if (given === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}
