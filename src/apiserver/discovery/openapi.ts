import { utf8Decode, utf8Encode } from "../../internal/bytes.js";
import type { ServerResponse } from "../http/http.js";
import { hash } from "./aggregated.js";
import { openApiDocument, openApiDocumentNames } from "./openapi-document.js";
import { encodeOpenApi } from "./openapi-protobuf.js";
import type { OpenApiSource } from "./openapi-source.js";
import { loadOpenApiSource } from "./openapi-source.js";
import { openApiType, serveContent } from "./serve-content.js";
import type { DiscoveryContext } from "./services.js";

interface Document {
  readonly json: Uint8Array;
  readonly hash: string;
  readonly madeMs: number;
}

interface Cache {
  generation: number;
  documents: Map<string, Document | undefined>;
}

const caches = new WeakMap<object, Cache>();
const uncached: [string, string] = ["Cache-Control", "no-cache, private"];
const immutableMs = 365 * 86_400_000;

function documentOf(context: DiscoveryContext, name: string, source: OpenApiSource): Document | undefined {
  const { resources } = context.services;
  let cache = caches.get(resources);
  if (cache === undefined) {
    cache = { generation: resources.generation, documents: new Map() };
    caches.set(resources, cache);
  }
  if (cache.generation !== resources.generation) {
    cache.generation = resources.generation;
    // Documents of built-in groups never change.
    for (const key of cache.documents.keys())
      if (key.startsWith("apis/") && !resources.isBuiltin(key.split("/")[1]!)) cache.documents.delete(key);
  }
  if (!cache.documents.has(name)) {
    const document = openApiDocument(resources, name, source);
    const json = document === undefined ? undefined : utf8Encode(JSON.stringify(document));
    const madeMs = context.services.clock.now();
    cache.documents.set(name, json === undefined ? undefined : { json, hash: hash(json), madeMs });
  }
  return cache.documents.get(name);
}

/** Serves `/openapi/v3`: the index of the documents if `name` is empty, otherwise one document. */
export async function openApiResponse(context: DiscoveryContext, name: string): Promise<ServerResponse> {
  const { services, query } = context;
  if (context.info.path.endsWith("/")) return { status: 404, headers: [uncached], body: undefined };
  const source = await loadOpenApiSource();
  if (name === "") {
    const local = Object.fromEntries(
      openApiDocumentNames(services.resources, source).map((each) => [
        each,
        { serverRelativeURL: `/openapi/v3/${each}?hash=${documentOf(context, each, source)?.hash ?? ""}` },
      ]),
    );
    const remote = services.aggregated.list().map((api) => services.aggregated.found(api.name)?.openApi ?? {});
    const paths = Object.assign(local, ...remote) as Record<string, unknown>;
    return serveContent(context, [uncached], {
      etag: "",
      modifiedMs: services.clock.now(),
      mediaType: "text/plain; charset=utf-8",
      body: () => utf8Encode(JSON.stringify({ paths })),
    });
  }
  const document = documentOf(context, name, source);
  if (document === undefined) return { status: 404, headers: [uncached], body: undefined };
  const mediaType = openApiType(context, 3);
  const vary: [string, string] = ["Vary", "Accept"];
  if (mediaType === undefined) return { status: 406, headers: [uncached, vary], body: undefined };
  const requestedHash = query.get("hash");
  if (requestedHash !== null && requestedHash !== document.hash) {
    const location: [string, string] = ["Location", `/openapi/v3/${name}?hash=${document.hash}`];
    return { status: 301, headers: [uncached, vary, location, ["Content-Type", "application/json"]], body: undefined };
  }
  const caching: [string, string][] =
    requestedHash === null
      ? [uncached]
      : [
          ["Cache-Control", "public, immutable"],
          ["Expires", new Date(services.clock.now() + immutableMs).toUTCString()],
        ];
  const { json, hash: tag, madeMs: modifiedMs } = document;
  const body = (): Uint8Array =>
    mediaType === "application/json" ? json : encodeOpenApi(JSON.parse(utf8Decode(json)) as Record<string, unknown>);
  return serveContent(context, [vary, ...caching], { etag: `"${tag}"`, modifiedMs, mediaType, body });
}
