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

/** Documentation by definition name, such as `io.k8s.api.core.v1.PodSpec`. */
export type Docs = ReadonlyMap<string, TypeDocs>;

const folder = new URL("../docs/", import.meta.url);

/** Reads `proto/docs`. Throws if a line names an unknown type or field, or if a documented group-version is incomplete. */
export function loadDocs(model: Model): Docs {
  const docs = new Map<string, TypeDocs>();
  const problems: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".txt"))) {
    const types = parse(readFileSync(new URL(file, folder), "utf8"), file);
    for (const [name, schema] of model.definitions) {
      const type = name.slice(name.lastIndexOf(".") + 1);
      if (`${fileOf(name)}.txt` !== file || isList(type, schema)) continue;
      const found = types.get(type);
      if (found === undefined) {
        problems.push(`${file}: ${type} is missing`);
        continue;
      }
      types.delete(type);
      docs.set(name, found);
      problems.push(...compare(found, schema).map((problem) => `${file}: ${type}.${problem}`));
    }
    problems.push(...[...types.keys()].map((type) => `${file}: ${type} is not a type of this version`));
  }
  if (problems.length > 0) throw new Error(`proto/docs:\n${problems.join("\n")}`);
  return docs;
}

/** Returns the documentation of a definition. Older versions of a group share that of `v1`. */
export function docsOf(docs: Docs, name: string): TypeDocs | undefined {
  return docs.get(name) ?? docs.get(name.replace(/\.v\d+(?:alpha|beta)\d+\./, ".v1."));
}

/** Writes the documentation for the server's OpenAPI documents. */
export function generateDescriptions(docs: Docs, output: Output): void {
  const data = Object.fromEntries(
    [...docs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { text, fields }]) => [name, [text, Object.fromEntries(fields)]]),
  );
  output.add(
    "src/gen/openapi/descriptions.ts",
    `/** JSON: the text of each definition and of its fields. */\nexport const descriptions: string =\n  ${quote(JSON.stringify(data))};`,
  );
}

function fileOf(name: string): string {
  const home = homeOf(name);
  return home === undefined ? "meta" : `${home.folder}-${home.version}`;
}

function isList(type: string, schema: Schema): boolean {
  return type.endsWith("List") && schema.properties?.["items"] !== undefined;
}

/** Every object has these; their texts are in the server. */
const common = new Set(["apiVersion", "kind", "metadata"]);

function compare({ fields }: TypeDocs, schema: Schema): string[] {
  const properties = Object.keys(schema.properties ?? {});
  const isObject = schema["x-kubernetes-group-version-kind"] !== undefined;
  return [
    ...[...fields.keys()].filter((field) => !properties.includes(field)).map((field) => `${field} is not a field`),
    ...properties
      .filter((field) => !fields.has(field) && !(isObject && common.has(field)))
      .map((field) => `${field} is missing`),
  ];
}

/** Lines are `Type: text`, or `  field: text` with an indent; `#` begins a comment. */
function parse(source: string, file: string): Map<string, TypeDocs> {
  const types = new Map<string, TypeDocs>();
  let current: TypeDocs | undefined;
  for (const [index, line] of source.split("\n").entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const {
      indent,
      name = "",
      text = "",
    } = /^(?<indent> {2})?(?<name>[\w$-]+): (?<text>\S.*)$/.exec(line)?.groups ?? {};
    const known: ReadonlyMap<string, unknown> | undefined = indent === undefined ? types : current?.fields;
    if (name === "" || known === undefined || known.has(name) || text.includes("*/"))
      throw new Error(`proto/docs/${file}:${String(index + 1)}: not a line of its own: ${line}`);
    if (indent === undefined) types.set(name, (current = { text, fields: new Map() }));
    else current?.fields.set(name, text);
  }
  return types;
}
