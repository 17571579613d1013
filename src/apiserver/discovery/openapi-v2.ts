import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { utf8Decode, utf8Encode } from "../../internal/bytes.js";
import type { ServerResponse } from "../http/http.js";
import { hash } from "./aggregated.js";
import {
  closure,
  customName,
  kubernetes,
  openApiDocument,
  openApiDocumentNames,
  securitySchemes,
} from "./openapi-document.js";
import type { OpenApiSource } from "./openapi-source.js";
import { loadOpenApiSource } from "./openapi-source.js";
import { customForV2 } from "./openapi-v2-custom.js";
import { mergeSwagger, swaggerOfGroup } from "./openapi-v2-merge.js";
import { pathsOfV2 } from "./openapi-v2-paths.js";
import type { DocumentV2 } from "./openapi-v2-protobuf.js";
import { encodeOpenApiV2 } from "./openapi-v2-protobuf.js";
import type { Json } from "./protobuf-parts.js";
import { openApiType, serveContent } from "./serve-content.js";
import type { DiscoveryContext, DiscoveryServices } from "./services.js";

const v3Prefix = "#/components/schemas/";
const prefix = "#/definitions/";

interface Cached {
  readonly generation: number;
  readonly json: Uint8Array;
  readonly etag: string;
  readonly madeMs: number;
  protobuf?: Uint8Array;
}

const cache = new WeakMap<object, Cached>();
/** Documents with the parts of aggregated APIs; `generation` counts these. */
const mergedCache = new WeakMap<Cached, Cached>();

/** Converts a v3 schema to v2: references stand alone, and `nullable`, `oneOf` and `anyOf` are removed. */
function downgrade(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(downgrade);
  if (typeof value !== "object" || value === null) return value;
  const { allOf, nullable: _nullable, oneOf: _oneOf, anyOf: _anyOf, ...rest } = value as Json & { allOf?: Json[] };
  const result: Json = {};
  for (const key of Object.keys(rest)) {
    if (key === "default") continue; // v2 documents have never included defaults.
    if (key === "enum") result[key] = rest[key];
    // Members can have any name, including those of keywords.
    else if (key === "properties")
      result[key] = Object.fromEntries(
        Object.entries(rest[key] as object).map(([name, member]) => [name, downgrade(member)]),
      );
    else result[key] = downgrade(rest[key]);
  }
  if (typeof result.$ref === "string") result.$ref = result.$ref.replace(v3Prefix, prefix);
  const only = allOf?.length === 1 ? allOf[0] : undefined;
  if (typeof only?.$ref === "string") result.$ref = only.$ref.replace(v3Prefix, prefix);
  else if (allOf !== undefined) result.allOf = downgrade(allOf);
  return result;
}

/** Returns the definitions of all built-in kinds, their lists and their subresources' bodies. */
function rootNames(context: DiscoveryContext): Set<string> {
  const names = new Set<string>(
    ["Status", "DeleteOptions", "WatchEvent", "Patch", "APIResourceList"].map(
      (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
    ),
  );
  for (const { group, version, kind, listKind, subresources } of context.services.resources.all()) {
    for (const one of [
      { group, version, kind },
      { group, version, kind: listKind },
      ...[...subresources.values()].map((sub) => sub.kind),
    ]) {
      const name = definitionNameOf(one.group, one.version, one.kind);
      if (name !== undefined) names.add(name);
    }
  }
  return names;
}

/** Adds all groups to the kinds that every group has, and types integer-or-string values as strings. */
function listAllGroups(schemas: Record<string, unknown>, resources: DiscoveryServices["resources"]): void {
  const versions = resources
    .groups()
    .filter(({ group }) => resources.isBuiltin(group))
    .flatMap(({ group, versions: each }) => each.map((version) => ({ group, version })));
  for (const kind of ["DeleteOptions", "WatchEvent"]) {
    const name = `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;
    schemas[name] = {
      ...(schemas[name] as Json),
      "x-kubernetes-group-version-kind": versions.map(({ group, version }) => ({ group, kind, version })),
    };
  }
  for (const name of ["api.resource.Quantity", "util.intstr.IntOrString"].map(
    (each) => `io.k8s.apimachinery.pkg.${each}`,
  ))
    schemas[name] = { ...(schemas[name] as Json), type: "string" };
}

function definitionsOf(context: DiscoveryContext, source: OpenApiSource): Cached {
  const { resources } = context.services;
  let found = cache.get(resources);
  if (found?.generation !== resources.generation) {
    const schemas = closure(rootNames(context), source.descriptions);
    const documents: Record<string, Json>[] = [];
    for (const name of openApiDocumentNames(resources, source)) {
      const document = openApiDocument(resources, name, source);
      documents.push((document?.paths ?? {}) as Record<string, Json>);
      if (name.startsWith("api/") || resources.isBuiltin(name.split("/")[1]!)) continue;
      Object.assign(schemas, ((document?.components as Json | undefined)?.schemas ?? {}) as Json);
      const [, group = "", version = ""] = name.split("/");
      for (const resource of resources.inGroupVersion(group, version) ?? [])
        schemas[customName(resource)] = customForV2(schemas[customName(resource)] as Json);
    }
    listAllGroups(schemas, resources);
    const definitions = Object.fromEntries(
      Object.entries(schemas).map(([name, one]) => [name, downgrade(one) as Json]),
    );
    const { paths, parameters } = pathsOfV2(documents, (one) => downgrade(one) as Json);
    const document = {
      swagger: "2.0",
      info: kubernetes,
      paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
      definitions,
      parameters,
      securityDefinitions: securitySchemes,
      security: [{ BearerToken: [] }],
    };
    const json = utf8Encode(JSON.stringify(document));
    found = { generation: resources.generation, json, etag: `"${hash(json)}"`, madeMs: context.services.clock.now() };
    cache.set(resources, found);
  }
  return found;
}

/** Adds the documents of aggregated APIs. */
function withAggregated({ services: { aggregated, clock } }: DiscoveryContext, local: Cached): Cached {
  const parts = aggregated.list().flatMap(({ name, group }) => {
    const swagger = aggregated.found(name)?.swagger;
    return (swagger !== undefined && swaggerOfGroup(swagger, group)) || [];
  });
  if (parts.length === 0) return local;
  const { generation } = aggregated;
  let merged = mergedCache.get(local);
  if (merged?.generation !== generation) {
    const json = utf8Encode(JSON.stringify(mergeSwagger(JSON.parse(utf8Decode(local.json)) as Json, parts)));
    merged = { generation, json, etag: `"${hash(json)}"`, madeMs: clock.now() };
    mergedCache.set(local, merged);
  }
  return merged;
}

/** Serves `/openapi/v2`: all paths and definitions in one document, built on the first request. */
export async function openApiV2Response(context: DiscoveryContext): Promise<ServerResponse> {
  const cached = withAggregated(context, definitionsOf(context, await loadOpenApiSource()));
  const mediaType = openApiType(context, 2);
  const common: [string, string][] = [
    ["Cache-Control", "no-cache, private"],
    ["Vary", "Accept-Encoding"],
    ["Vary", "Accept"],
  ];
  if (mediaType === undefined) return { status: 406, headers: common, body: undefined };
  const { json, etag, madeMs: modifiedMs } = cached;
  const body = (): Uint8Array =>
    mediaType === "application/json"
      ? json
      : (cached.protobuf ??= encodeOpenApiV2(JSON.parse(utf8Decode(json)) as DocumentV2));
  return serveContent(context, common, { etag, modifiedMs, mediaType, body });
}
