import type { ServerResponse } from "../http/http.js";
import type { DiscoveryContext } from "./services.js";

/** A document with an ETag and a modification time. */
export interface TaggedContent {
  /** ETag in quotes; `""` if it has none. */
  readonly etag: string;
  /** Modification time in milliseconds since the epoch. */
  readonly modifiedMs: number;
  readonly mediaType: string;
  /** Returns the content; called only if it is sent. */
  body(): Uint8Array;
}

/** Returns true if the client already has the document. */
function isKnown({ request }: DiscoveryContext, { etag, modifiedMs }: TaggedContent): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const match = request.header("if-none-match") ?? "";
  if (match !== "") return match.split(",").some((one) => ["*", etag].includes(one.trim().replace(/^W\//, "")));
  return Math.floor(modifiedMs / 1000) * 1000 <= Date.parse(request.header("if-modified-since") ?? "");
}

/** Serves a document, or 304 if the client already has it. `headers` are added to both. */
export function serveContent(
  context: DiscoveryContext,
  headers: readonly [string, string][],
  content: TaggedContent,
): ServerResponse {
  const tag: [string, string][] = content.etag === "" ? [] : [["ETag", content.etag]];
  const modified: [string, string] = ["Last-Modified", new Date(content.modifiedMs).toUTCString()];
  if (isKnown(context, content))
    return { status: 304, headers: [...headers, ...(content.etag === "" ? [modified] : tag)], body: undefined };
  const body = content.body();
  return { status: 200, headers: [...headers, ...tag, modified, ["Content-Type", content.mediaType]], body };
}

/** A version of OpenAPI. */
type OpenApiVersion = 2 | 3;

/** Returns the Protobuf media type of OpenAPI documents. */
function protobufType(version: OpenApiVersion, separator = "."): string {
  return `application/com.github.proto-openapi.spec.v${version}${separator}v1.0+protobuf`;
}

const jsonTypes = ["application/json", "application/*", "*/*"];

/** Returns the first media type of an OpenAPI document that a request accepts; `undefined` if it accepts none. */
export function openApiType({ request }: DiscoveryContext, version: OpenApiVersion): string | undefined {
  const accept = (request.header("accept") ?? "").trim();
  const protobufTypes = [protobufType(version), protobufType(version, "@")];
  const found = (accept === "" ? "*/*" : accept)
    .split(",")
    .map((part) => part.split(";")[0]!.trim())
    .find((type) => jsonTypes.includes(type) || protobufTypes.includes(type));
  if (found === undefined) return undefined;
  return jsonTypes.includes(found) ? "application/json" : protobufTypes[0];
}
