import { readFileSync } from "node:fs";
import type { Output } from "./output.js";

/** One field of a message, as the Go types and their struct tags describe it. */
interface Field {
  num: number;
  json: string;
  proto: string;
  kind: string;
  msg?: string;
  rep?: boolean;
  map?: boolean;
  ptr?: boolean;
  omitempty?: boolean;
  omitzero?: boolean;
  inline?: boolean;
}

interface Fields {
  /** Fields of each message, by import path and name of the Go type. */
  messages: Record<string, Field[]>;
  /** Message of each kind, by `apiVersion/kind`. */
  roots: Record<string, string>;
}

const KIND_LETTERS: Record<string, string> = {
  string: "s",
  bool: "b",
  int32: "i",
  int64: "l",
  double: "d",
  bytes: "y",
  msg: "m",
  Time: "T",
  MicroTime: "M",
  Duration: "D",
  Quantity: "Q",
  IntOrString: "I",
  FieldsV1: "F",
  RawExtension: "R",
  JSON: "J",
  SchemaOrArray: "A",
  SchemaOrBool: "B",
  SchemaOrStringArray: "C",
  list: "L",
};

const META = "k8s.io/apimachinery/pkg/apis/meta/v1";

/** Writes one table of messages for each group-version, and one module that names them all. */
export function generateProtobuf(output: Output): void {
  const { messages, roots } = JSON.parse(read("../fields.json")) as Fields;
  const packages = new Map<string, string[]>();
  for (const message of Object.keys(messages).sort()) {
    const name = packageOf(message);
    packages.set(name, [...(packages.get(name) ?? []), message]);
  }
  const files = [...packages.keys()].map((name) => ({ name, ...fileOf(name) }));
  for (const { name, path, symbol } of files) {
    const protoTypes = readProtoTypes(name);
    const imports = new Set<string>();
    for (const message of packages.get(name)!)
      for (const field of messages[message]!)
        if (field.msg && packageOf(field.msg) !== name) imports.add(packageOf(field.msg));
    const deps = [...imports].sort();
    const text = packages
      .get(name)!
      .map((message) => formatMessage(message, messages[message]!, deps, protoTypes))
      .join("\n");
    output.add(
      `src/gen/proto/${path}.ts`,
      [
        ...deps.map((dep) => `import { ${fileOf(dep).symbol} } from "${relativeTo(path, fileOf(dep).path)}.js";`),
        `import type { ProtobufSchema } from "${relativeTo(path, "../protobuf-schema")}.js";`,
        "",
        `/** Table of the Protobuf messages of \`${name}\`. */`,
        `export const ${symbol}: ProtobufSchema = {`,
        `  name: ${JSON.stringify(name)},`,
        `  kinds: ${JSON.stringify(kindsOf(name, roots))},`,
        `  imports: [${deps.map((dep) => fileOf(dep).symbol).join(", ")}],`,
        `  messages: \`${text.replace(/[\\`$]/g, "\\$&")}\`,`,
        "};",
      ].join("\n"),
    );
  }
  output.add("src/gen/protobuf-schema.ts", SCHEMA);
  const builtIn = files.filter(({ name }) => Object.keys(kindsOf(name, roots)).length > 0);
  output.add(
    "src/gen/proto/all.ts",
    [
      ...builtIn.map(({ path, symbol }) => `import { ${symbol} } from "./${path}.js";`),
      'import type { ProtobufSchema } from "../protobuf-schema.js";',
      "",
      "/** Tables of all built-in group-versions. */",
      `export const allSchemas: readonly ProtobufSchema[] = [\n${builtIn.map(({ symbol }) => `  ${symbol},`).join("\n")}\n];`,
    ].join("\n"),
  );
}

const SCHEMA = `
/**
 * Table of the Protobuf messages of one group-version, for \`protobufFor\` and \`protobuf\`. Each line of \`messages\` is a
 * message: its name, \`|\`, and its fields in JSON's order, separated by \`;\`. A field consists of its number, a letter for its kind, its
 * flags, its JSON name and, for messages, \`=\` and the type: a name of this table, or \`index.name\` for a message of the
 * imported table at that index.
 */
export interface ProtobufSchema {
  /** Import path of the Go package. */
  readonly name: string;
  /** Names of the kinds, separated by spaces, by \`apiVersion\`. \`*\` has those of every group-version. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Tables that the messages refer to. */
  readonly imports: readonly ProtobufSchema[];
  /** Messages, one per line. */
  readonly messages: string;
}
`;

function formatMessage(
  message: string,
  fields: readonly Field[],
  deps: readonly string[],
  protoTypes: Map<string, string>,
): string {
  const name = message.slice(message.lastIndexOf(".") + 1);
  const parts = fields.map((field) => {
    const protoType = protoTypes.get(`${name}.${String(field.num)}`) ?? "";
    // Two types of lists of strings are messages of their own in Protobuf.
    const isStrings = field.kind.startsWith("list:") || protoType.endsWith("Verbs");
    const kind = field.kind === "int" ? protoType : isStrings ? "list" : field.kind;
    const letter = KIND_LETTERS[kind];
    if (letter === undefined) throw new Error(`${message}.${field.json}: no letter for ${kind}`);
    const repeated = field.rep === true && letter !== "L";
    const flags = `${field.ptr ? "*" : ""}${field.omitempty ? "?" : ""}${field.omitzero ? "0" : ""}${repeated ? "[" : ""}${field.map ? "{" : ""}`;
    const inline = field.inline === true && letter === "m" && field.json === "";
    const target = field.msg === undefined ? "" : `=${referenceTo(field.msg, packageOf(message), deps)}`;
    return `${String(field.num)}${letter}${flags}${inline ? "^" : ""}:${field.json}${target}`;
  });
  return `${name}|${parts.join(";")}`;
}

function referenceTo(message: string, from: string, deps: readonly string[]): string {
  const name = message.slice(message.lastIndexOf(".") + 1);
  const at = packageOf(message);
  return at === from ? name : `${String(deps.indexOf(at))}.${name}`;
}

/** \`int32\` or \`int64\`: the struct tags do not say, the .proto files do. */
function readProtoTypes(name: string): Map<string, string> {
  const types = new Map<string, string>();
  let message = "";
  for (const line of read(`../${name}/generated.proto`).split("\n")) {
    message = /^message (\w+)/.exec(line)?.[1] ?? message;
    const field = /^\s+(?:optional|repeated) ([\w.]+) \w+ = (\d+)/.exec(line);
    if (field) types.set(`${message}.${field[2]!}`, field[1]!);
  }
  return types;
}

function kindsOf(name: string, roots: Record<string, string>): Record<string, string> {
  const kinds: Record<string, string[]> = {};
  for (const [gvk, message] of Object.entries(roots)) {
    if (packageOf(message) !== name) continue;
    const apiVersion = gvk.slice(0, gvk.lastIndexOf("/"));
    const kind = gvk.slice(gvk.lastIndexOf("/") + 1);
    if (!message.endsWith(`.${kind}`)) throw new Error(`${gvk} is not a message of its own name`);
    const common = name === META && (kind.endsWith("Options") || kind === "WatchEvent");
    (kinds[common ? "*" : apiVersion] ??= []).push(kind);
  }
  if (name === META) kinds["meta.k8s.io/v1"] = ["PartialObjectMetadata", "PartialObjectMetadataList"];
  return Object.fromEntries(
    Object.entries(kinds)
      .sort()
      .map(([apiVersion, list]) => [apiVersion, [...new Set(list)].sort().join(" ")]),
  );
}

function packageOf(message: string): string {
  return message.slice(0, message.lastIndexOf("."));
}

/** Path and name of the table of a Go package: \`core/v1\` and \`coreV1\`. */
function fileOf(name: string): { path: string; symbol: string } {
  const [group, version] = name.split("/").slice(-2) as [string, string];
  return { path: `${group}/${version}`, symbol: group + version[0]!.toUpperCase() + version.slice(1) };
}

function relativeTo(from: string, to: string): string {
  return `${"../".repeat(from.split("/").length - 1) || "./"}${to}`;
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}
