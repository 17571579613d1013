import { utf8Decode, utf8Encode } from "../../internal/bytes.js";
import type { ServerResponse } from "../http/http.js";
import { hash } from "./aggregated.js";
import type { Descriptions } from "./descriptions.js";
import { loadDescriptions } from "./descriptions.js";
import { openApiDocument, openApiDocumentNames } from "./openapi-document.js";
import { encodeOpenApi } from "./openapi-protobuf.js";
import { serveContent } from "./serve-content.js";
import type { DiscoveryContext } from "./services.js";

interface Document {
  readonly json: Uint8Array;
  readonly hash: string;
}

interface Cache {
  generation: number;
  documents: Map<string, Document | undefined>;
}

const caches = new WeakMap<object, Cache>();
const protobufType = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
const protobufNames = new Set([protobufType, "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"]);
const immutableMs = 365 * 86_400_000;

function documentOf(context: DiscoveryContext, name: string, descriptions: Descriptions): Document | undefined {
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
    const document = openApiDocument(resources, name, descriptions);
    const json = document === undefined ? undefined : utf8Encode(JSON.stringify(document));
    cache.documents.set(name, json === undefined ? undefined : { json, hash: hash(json) });
  }
  return cache.documents.get(name);
}

/** Serves `/openapi/v3`, the index of the documents, or the document of this name below it. */
export async function openApiResponse(context: DiscoveryContext, name: string): Promise<ServerResponse> {
  const { services, request, query } = context;
  if (context.info.path.endsWith("/"))
    return { status: 404, headers: [["Cache-Control", "no-cache, private"]], body: undefined };
  const descriptions = await loadDescriptions();
  if (name === "") {
    const paths = Object.fromEntries(
      openApiDocumentNames(services.resources).map((each) => [
        each,
        { serverRelativeURL: `/openapi/v3/${each}?hash=${documentOf(context, each, descriptions)?.hash ?? ""}` },
      ]),
    );
    return serveContent(context, [["Cache-Control", "no-cache, private"]], {
      etag: "",
      modifiedMs: services.clock.now(),
      mediaType: "text/plain; charset=utf-8",
      body: () => utf8Encode(JSON.stringify({ paths })),
    });
  }
  const document = documentOf(context, name, descriptions);
  if (document === undefined)
    return { status: 404, headers: [["Cache-Control", "no-cache, private"]], body: undefined };
  const type = accepted(request.header("accept") ?? "");
  if (type === undefined)
    return {
      status: 406,
      headers: [
        ["Cache-Control", "no-cache, private"],
        ["Vary", "Accept"],
      ],
      body: undefined,
    };
  const headers: [string, string][] = [["Vary", "Accept"]];
  const requestedHash = query.get("hash");
  if (requestedHash !== null && requestedHash !== document.hash) {
    return {
      status: 301,
      headers: [
        ["Cache-Control", "no-cache, private"],
        ["Vary", "Accept"],
        ["Location", `/openapi/v3/${name}?hash=${document.hash}`],
        ["Content-Type", "application/json"],
      ],
      body: undefined,
    };
  }
  if (requestedHash === null) headers.push(["Cache-Control", "no-cache, private"]);
  else {
    headers.push(
      ["Cache-Control", "public, immutable"],
      ["Expires", new Date(services.clock.now() + immutableMs).toUTCString()],
    );
  }
  return serveContent(context, headers, {
    etag: `"${document.hash}"`,
    modifiedMs: startedMs(context),
    mediaType: type === "protobuf" ? protobufType : "application/json",
    body: () =>
      type === "protobuf"
        ? encodeOpenApi(JSON.parse(utf8Decode(document.json)) as Record<string, unknown>)
        : document.json,
  });
}

const starts = new WeakMap<object, number>();

function startedMs(context: DiscoveryContext): number {
  let started = starts.get(context.services);
  if (started === undefined) {
    started = context.services.clock.now();
    starts.set(context.services, started);
  }
  return started;
}

function accepted(header: string): "json" | "protobuf" | undefined {
  if (header === "") return "json";
  for (const part of header.split(",")) {
    const bare = part.split(";")[0]!.trim();
    if (bare === "application/json" || bare === "*/*" || bare === "application/*") return "json";
    if (protobufNames.has(bare)) return "protobuf";
  }
  return undefined;
}
