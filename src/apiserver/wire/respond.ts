import { concatBytes, utf8Encode } from "../../internal/bytes.js";
import { ObjectBytes } from "../../internal/object-bytes.js";
import { pushAll } from "../../internal/push-all.js";
import type { ListMeta } from "../../meta/list.js";
import type { Status } from "../../meta/status.js";
import { bodyOf } from "../http/body.js";
import type { Encoding } from "../http/encoding.js";
import type { BodyStream, ServerResponse } from "../http/http.js";
import { booleanParameter } from "../http/request-info.js";
import type { ApiObject } from "../objects/api-object.js";
import { decodedVersion } from "../registry/decoded-version.js";
import { readJson, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { Written } from "../registry/write/state.js";
import { asRead } from "../registry/written-object.js";
import type { Version } from "../storage/bucket.js";
import { encodeObject } from "./encodings.js";
import type { ListParts } from "./list-pieces.js";
import { encodePieces, jsonPieces, mapItems, protobufPieces, wholeList } from "./list-pieces.js";
import type { Negotiated, Offer } from "./negotiate.js";
import { mediaTypes, negotiate, representations } from "./negotiate.js";
import type { WireContext } from "./services.js";
import { includeObjectOf, metadataList, metadataOf, tableOf, tableParts } from "./table.js";

const everyEncoding: readonly Encoding[] = ["json", "yaml", "protobuf", "cbor"];
const documentEncodings: readonly Encoding[] = ["json", "yaml", "protobuf"];

/** Returns the representations that an endpoint of the resource supports. */
export function offerOf(resource: ServedResource, watch: boolean, transforms = true): Offer {
  const metadataEncodings = resource.encodings.includes("cbor") ? everyEncoding : documentEncodings;
  return { encodings: resource.encodings, metadataEncodings, transforms, watch };
}

/** Returns the representations that an endpoint of one object or subresource supports. */
export function objectOffer(resource: ServedResource, subresource: string): Offer {
  const { statusTables, subresources } = resource.strategy;
  const tables = subresource === "status" ? statusTables : subresources?.[subresource]?.tables;
  const offer = offerOf(resource, false);
  return tables === false ? { ...offer, tables } : offer;
}

/** True if the query or a command-line client requests indented JSON. */
export function wantsPretty(context: WireContext): boolean {
  const parameter = context.query.get("pretty");
  if (parameter !== null) return booleanParameter(parameter);
  const agent = context.request.header("user-agent") ?? "";
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}

/** Negotiates the encoding of the response. Throws 406. */
export function negotiateFor(
  context: WireContext,
  resource: ServedResource,
  offer: Offer,
  watching = false,
): Negotiated {
  const accept = context.request.header("accept") ?? "";
  resource.checkAccept(accept, representations(offer));
  return negotiate(accept, offer, watching, wantsPretty(context));
}

function response(status: number, mediaType: string, body: Uint8Array | BodyStream): ServerResponse {
  return {
    status,
    headers: [
      ["Cache-Control", "no-cache, private"],
      ["Content-Type", mediaType],
    ],
    body,
  };
}

/** Responds with an object other than the resource's own kind, such as a review or a Scale. */
export function respondPlain(negotiated: Negotiated, object: object, status = 200): ServerResponse {
  return response(status, negotiated.mediaType, encodeObject(negotiated.encoding, object, negotiated.pretty));
}

/** Resource of a response and its negotiated representation. */
export interface ResponseShape {
  readonly resource: ServedResource;
  readonly negotiated: Negotiated;
}

/** Responds with one object. */
export function respondObject(
  context: WireContext,
  { resource, negotiated }: ResponseShape,
  object: ApiObject,
  status = 200,
): ServerResponse {
  const { transform } = negotiated;
  if (transform === undefined)
    return respondPlain(negotiated, { kind: resource.kind, apiVersion: apiVersionOf(resource), ...object }, status);
  if (transform.kind === "Table") {
    return respondPlain(
      negotiated,
      tableOf(resource, [object], {
        metadata:
          object.metadata?.resourceVersion === undefined ? {} : { resourceVersion: object.metadata.resourceVersion },
        version: transform.version,
        include: includeObjectOf(context),
        nowMs: context.services.clock.now(),
      }),
      status,
    );
  }
  return respondPlain(negotiated, metadataOf(resource, object, transform.kind, transform.version), status);
}

/** Responds with one stored object. Clients in this process may modify it. */
export function respondVersion(
  context: WireContext,
  shape: ResponseShape,
  version: Version,
  status = 200,
): ServerResponse {
  return respondStored(context, shape, { version, status, read: readObject });
}

function respondStored(
  context: WireContext,
  { resource, negotiated }: ResponseShape,
  { version, status, read }: { readonly version: Version; readonly status: number; readonly read: typeof readObject },
): ServerResponse {
  if (negotiated.transform === undefined && negotiated.encoding === "json" && !negotiated.pretty) {
    if (context.request.internal === true)
      return response(status, negotiated.mediaType, new ObjectBytes(read(resource, version)));
    return response(status, negotiated.mediaType, utf8Encode(`${readJson(resource, version)}\n`));
  }
  if (negotiated.transform === undefined && negotiated.encoding === "protobuf" && resource.protobuf)
    return response(status, negotiated.mediaType, context.services.protobuf.of(resource, version));
  return respondObject(context, { resource, negotiated }, readObject(resource, version), status);
}

/**
 * Responds with the result of a write. Uses the stored version if there is one, so that its text is encoded once.
 * Clients in this process get the object that their watches get; of an event, which few read, the one that was written.
 */
export function respondWritten(
  context: WireContext,
  { resource, negotiated }: ResponseShape,
  written: Written,
): ServerResponse {
  const { object, version, created } = written;
  const status = created ? 201 : 200;
  if (version === undefined) return respondObject(context, { resource, negotiated }, object, status);
  const read = resource.uncached
    ? (): ApiObject => asRead(resource, object, version.revision) ?? readObject(resource, version)
    : decodedVersion;
  return respondStored(context, { resource, negotiated }, { version, status, read });
}

/** Responds with a list of stored objects, which is a stream if it is large. */
export function respondList(
  context: WireContext,
  shape: ResponseShape,
  versions: readonly Version[],
  metadata: ListMeta,
): ServerResponse {
  const pieces = piecesOf(context, shape, versions, metadata);
  const body = context.request.internal === true ? concatBytes([...pieces]) : bodyOf(pieces[Symbol.iterator]());
  return response(200, shape.negotiated.mediaType, body);
}

/** Encodes a list on demand. Throws 406. */
function piecesOf(
  context: WireContext,
  { resource, negotiated }: ResponseShape,
  versions: readonly Version[],
  metadata: ListMeta,
): Iterable<Uint8Array> {
  const { transform, encoding, pretty } = negotiated;
  const objects = mapItems(versions, (version) => readObject(resource, version));
  const head = {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: resource.listMetadata(metadata),
  };
  let list: ListParts = {
    head,
    member: "items",
    items: mapItems(objects, (object) => resource.listItem(object)),
    empty: [],
  };
  if (transform?.kind === "Table")
    list = tableParts(resource, objects, {
      metadata,
      version: transform.version,
      include: includeObjectOf(context),
      nowMs: context.services.clock.now(),
    });
  else if (transform !== undefined) list = metadataList(resource, objects, metadata, transform);
  if (versions.length === 0) return [encodeObject(encoding, wholeList(list), pretty)];
  if (transform === undefined && encoding === "json" && !pretty)
    return jsonPieces(
      list,
      mapItems(versions, (version) => resource.itemJson(version)),
    );
  if (transform === undefined && encoding === "protobuf")
    return protobufPieces(
      head,
      mapItems(versions, (version) => context.services.protobuf.of(resource, version)),
    );
  return encodePieces(negotiated, list, versions.length);
}

function isServed({ info, services }: WireContext): boolean {
  return info.isResource && services.resources.find(info.group, info.version, info.resource) !== undefined;
}

/** Responds with a Status in the accepted encoding if that is supported. */
export function respondStatus(
  context: WireContext | undefined,
  status: Status,
  headers: [string, string][] = [],
  byRoute = false,
): ServerResponse {
  let encoding: Encoding = "json";
  let pretty = false;
  if (context !== undefined) {
    pretty = wantsPretty(context);
    // Filters and routes respond without support for CBOR.
    const early = byRoute || context.dispatched !== true;
    try {
      encoding = negotiate(
        context.request.header("accept") ?? "",
        {
          encodings: isServed(context) && !early ? context.services.encodings : documentEncodings,
          transforms: false,
          watch: true,
        },
        false,
        pretty,
      ).encoding;
    } catch {
      encoding = "json"; // Fall back to JSON, which the client may be able to read.
      pretty = true;
    }
  }
  const answer = response(status.code ?? 200, mediaTypes[encoding], encodeObject(encoding, status, pretty));
  pushAll(answer.headers, headers);
  return answer;
}
