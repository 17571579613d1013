import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { utf8Encode } from "../../internal/bytes.js";
import type { RequestContext } from "../core.js";
import type { ServerResponse } from "../http.js";
import { formatYaml } from "../yaml-writer.js";
import { hash } from "./aggregated.js";
import { closure, customName, openApiDocument, openApiDocumentNames } from "./openapi-document.js";
import { customForV2 } from "./openapi-v2-custom.js";
import { double, flag, integer, message, named, size, text, varint } from "./protobuf-parts.js";
import type { Bytes, Json } from "./protobuf-parts.js";

const v3Prefix = "#/components/schemas/";
const prefix = "#/definitions/";

interface Cached {
  readonly generation: number;
  readonly definitions: Record<string, Json>;
  readonly json: Uint8Array;
  readonly etag: string;
  readonly madeMs: number;
  protobuf?: Uint8Array;
}

const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const protobufNames = [protobufType, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"];

const cache = new WeakMap<object, Cached>();

/** A schema of version 3 as version 2 writes it: a reference stands alone, and there is no `nullable`, `oneOf` or `anyOf`. */
function downgrade(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(downgrade);
  if (typeof value !== "object" || value === null) return value;
  const { allOf, nullable: _nullable, oneOf: _oneOf, anyOf: _anyOf, ...rest } = value as Json & { allOf?: Json[] };
  const result: Json = {};
  for (const key of Object.keys(rest)) {
    if (key === "default" || key === "enum") result[key] = rest[key];
    // Members may have any name, those of keywords too.
    else if (key === "properties") result[key] = Object.fromEntries(Object.entries(rest[key] as object).map(([name, member]) => [name, downgrade(member)]));
    else result[key] = downgrade(rest[key]);
  }
  if (typeof result.$ref === "string") result.$ref = result.$ref.replace(v3Prefix, prefix);
  const only = allOf?.length === 1 ? allOf[0] : undefined;
  if (typeof only?.$ref === "string") result.$ref = only.$ref.replace(v3Prefix, prefix);
  else if (allOf !== undefined) result.allOf = downgrade(allOf);
  return result;
}

/** The definitions of all built-in kinds, of their lists and of what their subresources take. */
function rootNames(context: RequestContext): Set<string> {
  const names = new Set<string>(["io.k8s.apimachinery.pkg.apis.meta.v1.Status", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]);
  for (const { group, version, kind, listKind, subresources, custom } of context.core.resources.all()) {
    if (custom !== undefined) continue;
    for (const one of [{ group, version, kind }, { group, version, kind: listKind }, ...[...subresources.values()].map((sub) => sub.kind)]) {
      const name = definitionNameOf(one.group, one.version, one.kind);
      if (name !== undefined) names.add(name);
    }
  }
  return names;
}

function definitionsOf(context: RequestContext): Cached {
  const { resources } = context.core;
  let found = cache.get(resources);
  if (found?.generation !== resources.generation) {
    const schemas = closure(rootNames(context));
    for (const name of openApiDocumentNames(resources)) {
      if (name.startsWith("api/") || resources.isBuiltin(name.split("/")[1]!)) continue;
      Object.assign(schemas, ((openApiDocument(resources, name)?.components as Json | undefined)?.schemas ?? {}) as Json);
      const [, group = "", version = ""] = name.split("/");
      for (const resource of resources.inGroupVersion(group, version) ?? []) schemas[customName(resource)] = customForV2(schemas[customName(resource)] as Json);
    }
    const definitions = Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, downgrade(one) as Json]));
    const json = utf8Encode(JSON.stringify({ swagger: "2.0", info: { title: "Kubernetes", version: "v1.36.3" }, paths: {}, definitions }));
    found = { generation: resources.generation, definitions, json, etag: `"${hash(json)}"`, madeMs: context.core.clock.now() };
    cache.set(resources, found);
  }
  return found;
}

function any(value: unknown): Bytes {
  return text(2, formatYaml(value));
}

function schema(value: Json): Bytes {
  const { items, properties, additionalProperties, allOf, default: usual, type } = value as { items?: Json; properties?: Record<string, Json>; additionalProperties?: Json | boolean; allOf?: Json[]; default?: unknown; type?: string };
  return [
    ...text(1, value.$ref), ...text(2, value.format), ...text(3, value.title), ...text(4, value.description), ...(usual === undefined ? [] : message(5, any(usual))),
    ...double(6, value.multipleOf), ...double(7, value.maximum), ...flag(8, value.exclusiveMaximum), ...double(9, value.minimum), ...flag(10, value.exclusiveMinimum),
    ...integer(11, value.maxLength), ...integer(12, value.minLength), ...text(13, value.pattern), ...integer(14, value.maxItems), ...integer(15, value.minItems), ...flag(16, value.uniqueItems),
    ...integer(17, value.maxProperties), ...integer(18, value.minProperties), ...((value.required ?? []) as string[]).flatMap((name) => text(19, name)),
    ...((value.enum ?? []) as unknown[]).flatMap((one) => message(20, any(one))),
    ...(additionalProperties === undefined ? [] : message(21, typeof additionalProperties === "boolean" ? [varint(16), varint(additionalProperties ? 1 : 0)] : message(1, schema(additionalProperties)))),
    ...(type === undefined ? [] : message(22, text(1, type))), ...(items === undefined ? [] : message(23, message(1, schema(items)))),
    ...(allOf ?? []).flatMap((one) => message(24, schema(one))),
    ...(properties === undefined ? [] : message(25, Object.entries(properties).flatMap(([name, one]) => named(1, name, schema(one))))),
    ...Object.keys(value).filter((key) => key.startsWith("x-")).flatMap((key) => named(31, key, any(value[key]))),
  ];
}

function encode(definitions: Record<string, Json>): Uint8Array {
  const parts: Bytes = [
    ...text(1, "2.0"), ...message(2, [...text(1, "Kubernetes"), ...text(2, "v1.36.3")]), ...message(8, []),
    ...message(9, Object.entries(definitions).flatMap(([name, one]) => named(1, name, schema(one)))),
  ];
  const whole = new Uint8Array(size(parts));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** `/openapi/v2`: the definitions of all kinds, for clients that still read this version. Its paths are left to version 3. */
export function openApiV2Response(context: RequestContext): ServerResponse {
  const cached = definitionsOf(context);
  const type = accepted(context.request.header("accept") ?? "");
  const common: [string, string][] = [["Cache-Control", "no-cache, private"], ["Vary", "Accept"]];
  if (type === undefined) return { status: 406, headers: common, body: undefined };
  const headers: [string, string][] = [...common, ["ETag", cached.etag]];
  if (context.request.header("if-none-match") === cached.etag) return { status: 304, headers, body: undefined };
  headers.push(["Last-Modified", new Date(cached.madeMs).toUTCString()]);
  if (type === "json") return { status: 200, headers: [...headers, ["Content-Type", "application/json"]], body: cached.json };
  cached.protobuf ??= encode(cached.definitions);
  return { status: 200, headers: [...headers, ["Content-Type", protobufType]], body: cached.protobuf };
}

function accepted(header: string): "json" | "protobuf" | undefined {
  if (header.trim() === "") return "json";
  for (const part of header.split(",")) {
    const bare = part.split(";")[0]!.trim();
    if (bare === "application/json" || bare === "application/*" || bare === "*/*") return "json";
    if (protobufNames.includes(bare)) return "protobuf";
  }
  return undefined;
}
