import { isJsonObject } from "../internal/json-value.js";
import { type DocumentV2, encodeOpenApiV2 } from "./openapi-v2-protobuf.js";
import type { Json } from "./protobuf-parts.js";

const definitionsPrefix = "#/definitions/";

/** Part of an OpenAPI v2 document. */
export interface SwaggerPart {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, unknown>>;
}

/** Calls back with the name of each definition that a value refers to. */
function eachReference(value: unknown, found: (name: string) => void): void {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const [key, each] of Object.entries(next)) {
      if (key === "$ref" && typeof each === "string" && each.startsWith(definitionsPrefix))
        found(each.slice(definitionsPrefix.length));
      else open.push(each);
    }
  }
}

/** Levels of JSON in a document of another server. Schemas of real kinds have fewer than 100. */
const maxDepth = 500;

/**
 * Returns the paths of a group in another server's OpenAPI v2 document, and the definitions that they refer to;
 * `undefined` if the document isn't one that can be served, like kube-aggregator leaves such a document out.
 */
export function swaggerOfGroup(document: unknown, group: string): SwaggerPart | undefined {
  if (!isJsonObject(document) || isDeeper(document, maxDepth)) return undefined;
  // In the served text, a number beyond the range is null.
  const part = JSON.parse(JSON.stringify(partOfGroup(document, group))) as SwaggerPart;
  return isEncodable(part) ? part : undefined;
}

/** True if a value has more levels. Needs no stack. */
function isDeeper(value: unknown, levels: number): boolean {
  let open: readonly unknown[] = [value];
  for (let level = 0; open.length > 0; level++) {
    if (level > levels) return true;
    open = open.flatMap((each) =>
      typeof each === "object" && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return false;
}

/** True if the Protobuf form can be made, which needs lists where lists belong and objects where objects do. */
function isEncodable({ paths, definitions }: SwaggerPart): boolean {
  try {
    encodeOpenApiV2({
      ...emptyDocument,
      paths: paths as DocumentV2["paths"],
      definitions: definitions as DocumentV2["definitions"],
    });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

const emptyDocument: DocumentV2 = {
  swagger: "2.0",
  info: { title: "", version: "" },
  paths: {},
  definitions: {},
  parameters: {},
  security: [],
  securityDefinitions: {},
};

function partOfGroup(all: Readonly<Json>, group: string): SwaggerPart {
  const [given, known] = [all["paths"], all["definitions"]].map((each) => (isJsonObject(each) ? each : {}));
  const paths = Object.fromEntries(Object.entries(given!).filter(([path]) => path.startsWith(`/apis/${group}/`)));
  const definitions: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const open: unknown[] = [paths];
  while (open.length > 0)
    eachReference(open.pop(), (name) => {
      if (name in definitions || !Object.hasOwn(known!, name)) return;
      definitions[name] = known![name];
      open.push(known![name]);
    });
  return { paths, definitions: { ...definitions } };
}

/**
 * Adds the parts of other servers to a document. A path that exists stays. A definition whose name stands for something
 * else gets a name of its own, such as `com.example.Load_v2`.
 */
export function mergeSwagger(document: Json, parts: readonly SwaggerPart[]): Json {
  const paths = { ...(document["paths"] as Json) };
  const definitions = { ...(document["definitions"] as Json) };
  for (const part of parts) {
    const names = new Map<string, string>();
    const taken = new Set<string>();
    for (const name of Object.keys(part.definitions)) {
      const free = freeName(definitions, part, name, taken);
      names.set(name, free);
      taken.add(free);
    }
    for (const [name, definition] of Object.entries(part.definitions))
      definitions[names.get(name)!] = renamed(definition, names);
    for (const [path, item] of Object.entries(part.paths)) paths[path] ??= renamed(item, names);
  }
  return { ...document, paths: sorted(paths), definitions: sorted(definitions) };
}

function freeName(definitions: Readonly<Json>, part: SwaggerPart, name: string, taken: ReadonlySet<string>): string {
  const text = JSON.stringify(part.definitions[name]);
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_v${String(count)}`;
    if (taken.has(candidate)) continue;
    if (!Object.hasOwn(definitions, candidate) || JSON.stringify(definitions[candidate]) === text) return candidate;
  }
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name =
        key === "$ref" && typeof each === "string" ? names.get(each.slice(definitionsPrefix.length)) : undefined;
      return [key, name === undefined ? renamed(each, names) : `${definitionsPrefix}${name}`];
    }),
  );
}

function sorted(members: Json): Json {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
