import type { ServerResponse } from "../http/http.js";
import type { DiscoveryContext } from "./services.js";

/** A document that tells its age, and does not change while it has its tag. */
export interface TaggedContent {
  /** Tag in quotes; `""` for none. */
  readonly etag: string;
  /** When it was made. */
  readonly modifiedMs: number;
  readonly mediaType: string;
  /** The bytes, made where they are sent. */
  body(): Uint8Array;
}

/** Returns whether the client has the document already. */
function isKnown({ request }: DiscoveryContext, { etag, modifiedMs }: TaggedContent): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const match = request.header("if-none-match") ?? "";
  if (match !== "") return match.split(",").some((one) => ["*", etag].includes(one.trim().replace(/^W\//, "")));
  return Math.floor(modifiedMs / 1000) * 1000 <= Date.parse(request.header("if-modified-since") ?? "");
}

/** Answers with a document, or with 304 where the client has it; `headers` come with either. */
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

/** Returns the media type of an OpenAPI document that a request accepts first; `undefined` if it accepts none. */
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
