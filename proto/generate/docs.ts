import { readdirSync, readFileSync } from "node:fs";
import type { Model, Schema } from "./load.js";
import { homeOf } from "./names.js";
import type { Output } from "./output.js";
import { quote } from "./text.js";

/** Documentation of one type: a line of its own and one for each field. */
export interface TypeDocs {
  text: string;
  fields: Map<string, string>;
}

/** Documentation by group and type, such as `core.PodSpec`. All versions of a group share it. */
export type Docs = ReadonlyMap<string, TypeDocs>;

const folder = new URL("../docs/", import.meta.url);

/** Reads `proto/docs`. Throws if a type or field has no line, or if a line names an unknown one. */
export function loadDocs(model: Model): Docs {
  const docs = new Map<string, TypeDocs>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".txt")))
    parse(readFileSync(new URL(file, folder), "utf8"), file, docs);
  const problems = new Set<string>();
  const unknown = new Map([...docs].map(([key, { fields }]) => [key, new Set(fields.keys())]));
  for (const [name, schema] of model.definitions) {
    const key = docKey(name);
    if (isList(name, schema)) continue;
    const found = docs.get(key);
    if (found === undefined) {
      problems.add(`${key} is missing`);
      continue;
    }
    for (const field of Object.keys(schema.properties ?? {})) {
      unknown.get(key)?.delete(field);
      const isObject = schema["x-kubernetes-group-version-kind"] !== undefined;
      if (!found.fields.has(field) && !(isObject && common.has(field))) problems.add(`${key}.${field} is missing`);
    }
  }
  const known = new Set([...model.definitions.keys()].map(docKey));
  for (const [key, fields] of unknown) {
    if (!known.has(key)) problems.add(`${key} is not a type`);
    else for (const field of fields) problems.add(`${key}.${field} is not a field`);
  }
  if (problems.size > 0) throw new Error(`proto/docs:\n${[...problems].join("\n")}`);
  return docs;
}

/** Returns the documentation of a definition, such as `io.k8s.api.core.v1.PodSpec`, which must not be a list. */
export function docsOf(docs: Docs, name: string): TypeDocs {
  const found = docs.get(docKey(name));
  if (found === undefined) throw new Error(`proto/docs: no text for ${name}`);
  return found;
}

/** Writes the documentation for the server's OpenAPI documents. */
export function generateDescriptions(docs: Docs, output: Output): void {
  const data = Object.fromEntries(
    [...docs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { text, fields }]) => [key, [text, Object.fromEntries(fields)]]),
  );
  output.add(
    "src/gen/openapi/descriptions.ts",
    `/** JSON: by group and type, the text of the type and those of its fields. */\nexport const descriptions: string =\n  ${quote(JSON.stringify(data))};`,
  );
}

function docKey(name: string): string {
  return `${homeOf(name)?.folder ?? "meta"}.${name.slice(name.lastIndexOf(".") + 1)}`;
}

function isList(name: string, schema: Schema): boolean {
  return name.endsWith("List") && schema.properties?.["items"] !== undefined;
}

/** Every object has these; their texts are in the server. */
const common = new Set(["apiVersion", "kind", "metadata"]);

/** Reads the lines `Type: text` and, with an indent, `  field: text`; `#` begins a comment. */
function parse(source: string, file: string, docs: Map<string, TypeDocs>): void {
  let current: TypeDocs | undefined;
  for (const [index, line] of source.split("\n").entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const {
      indent,
      name = "",
      text = "",
    } = /^(?<indent> {2})?(?<name>[\w$-]+): (?<text>\S.*)$/.exec(line)?.groups ?? {};
    const key = indent === undefined ? `${file.slice(0, -".txt".length)}.${name}` : name;
    const known: ReadonlyMap<string, unknown> | undefined = indent === undefined ? docs : current?.fields;
    if (name === "" || known === undefined || known.has(key) || text.includes("*/"))
      throw new Error(`proto/docs/${file}:${String(index + 1)}: malformed or repeated: ${line}`);
    if (indent === undefined) docs.set(key, (current = { text, fields: new Map() }));
    else current?.fields.set(name, text);
  }
}
