import type { Model, Operation, Schema } from "./load.js";
import { bareName } from "./load.js";
import { homeOf } from "./names.js";
import type { Output } from "./output.js";
import { quote } from "./text.js";

/** Writes the definitions and the paths of the OpenAPI documents, each as text that is parsed on first use. */
export function generateOpenApi(model: Model, output: Output): void {
  const files = new Map<string, Record<string, Schema>>();
  const prefixes: Record<string, string> = {};
  for (const [name, schema] of [...model.definitions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const home = homeOf(name);
    const file = home === undefined ? "meta" : `${home.folder}/${home.version}`;
    let group = files.get(file);
    if (group === undefined) files.set(file, (group = {}));
    group[name] = schema;
    prefixes[name.slice(0, name.lastIndexOf("."))] = file;
  }
  for (const [file, definitions] of files) {
    output.add(
      `src/gen/openapi/definitions/${file}.ts`,
      `/** Definitions by name, as JSON. */\nexport const definitions: string =\n  ${quote(JSON.stringify(definitions))};`,
    );
  }
  for (const document of model.documents) {
    output.add(
      `src/gen/openapi/paths/${document.path}.ts`,
      `/** Paths of ${document.path}. */\nexport const paths: string =\n  ${quote(compactPaths(document.paths))};`,
    );
  }
  output.add("src/gen/openapi/definitions.ts", accessor(files, prefixes, model));
  output.add("src/gen/openapi/paths.ts", pathsAccessor(model));
}

/** The operations of a document repeat the same few lists: each is written once and named by its number. */
function compactPaths(paths: Model["documents"][number]["paths"]): string {
  const lists: string[][] = [];
  const seen = new Map<string, number>();
  const list = (values: string[]): number => {
    const key = JSON.stringify(values);
    let index = seen.get(key);
    if (index === undefined) {
      index = lists.push(values) - 1;
      seen.set(key, index);
    }
    return index;
  };
  const compact = Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([key, value]) => {
          if (Array.isArray(value)) return [key, list(value)];
          const operation: Operation = value;
          return [
            key,
            {
              ...(operation.action === undefined ? {} : { action: operation.action }),
              ...(operation.gvk === undefined
                ? {}
                : { gvk: [operation.gvk.group, operation.gvk.version, operation.gvk.kind] }),
              ...(operation.consumes === undefined ? {} : { consumes: list(operation.consumes) }),
              ...(operation.produces === undefined ? {} : { produces: list(operation.produces) }),
              ...(operation.body === undefined ? {} : { body: bareName(operation.body) }),
              ...(operation.returns === undefined ? {} : { returns: bareName(operation.returns) }),
              params: list(operation.params),
            },
          ];
        }),
      ),
    ]),
  );
  return JSON.stringify({ lists, paths: compact });
}

function identifier(file: string): string {
  return file.replace(/[-./](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function accessor(files: Map<string, unknown>, prefixes: Record<string, string>, model: Model): string {
  const kinds: Record<string, string> = {};
  for (const [name, schema] of model.definitions) {
    for (const gvk of (schema["x-kubernetes-group-version-kind"] ?? []) as {
      group: string;
      version: string;
      kind: string;
    }[]) {
      kinds[`${gvk.group}/${gvk.version}/${gvk.kind}`] = name;
    }
  }
  const sorted = [...files.keys()].sort();
  return `${sorted.map((file) => `import { definitions as ${identifier(file)} } from "./definitions/${file}.js";`).join("\n")}

/** OpenAPI v3 schema with Kubernetes' extensions. A \`$ref\` is the bare name of another definition. */
export type Definition = Record<string, unknown>;

const texts: Readonly<Record<string, string>> = {
${Object.entries(prefixes)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([prefix, file]) => `  ${JSON.stringify(prefix)}: ${identifier(file)},`)
  .join("\n")}
};

const parsed = new Map<string, Readonly<Record<string, Definition>>>();

function packageOf(prefix: string): Readonly<Record<string, Definition>> | undefined {
  let found = parsed.get(prefix);
  if (found === undefined && Object.hasOwn(texts, prefix)) {
    const all = JSON.parse(texts[prefix] ?? "{}") as Record<string, Definition>;
    for (const name of Object.keys(all)) if (name.lastIndexOf(".") !== prefix.length || !name.startsWith(prefix)) delete all[name];
    found = all;
    parsed.set(prefix, found);
  }
  return found;
}

/** Returns the definition of a name such as \`io.k8s.api.core.v1.PodSpec\`; \`undefined\` if it's unknown. */
export function definition(name: string): Definition | undefined {
  const found = packageOf(name.slice(0, Math.max(0, name.lastIndexOf("."))));
  return found !== undefined && Object.hasOwn(found, name) ? found[name] : undefined;
}

const names: Readonly<Record<string, string>> = {
${Object.entries(kinds)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([kind, name]) => `  ${JSON.stringify(kind)}: ${JSON.stringify(name)},`)
  .join("\n")}
};

/** Returns the name of a kind's definition; \`undefined\` if the kind isn't built in. */
export function definitionNameOf(group: string, version: string, kind: string): string | undefined {
  const key = \`\${group}/\${version}/\${kind}\`;
  return Object.hasOwn(names, key) ? names[key] : undefined;
}`;
}

function pathsAccessor(model: Model): string {
  const documents = [...model.documents].sort((a, b) => (a.path < b.path ? -1 : 1));
  return `${documents.map(({ path }) => `import { paths as ${identifier(path)} } from "./paths/${path}.js";`).join("\n")}

/** Operation of a path. */
export interface PathOperation {
  /** Verb, such as \`list\`. */
  readonly action?: string;
  /** Group, version and kind of the objects. */
  readonly gvk?: readonly [group: string, version: string, kind: string];
  /** Media types of the request body. */
  readonly consumes?: readonly string[];
  /** Media types of the response. */
  readonly produces?: readonly string[];
  /** Definition of the request body. */
  readonly body?: string;
  /** Definition of the response. */
  readonly returns?: string;
  /** Query parameters of this operation only. */
  readonly params: readonly string[];
}

/** Path with its operations. */
export interface PathItem {
  /** Path and query parameters of all operations. */
  readonly params: readonly string[];
  /** Operations by HTTP method in lower case. */
  readonly operations: Readonly<Record<string, PathOperation>>;
}

const texts: Readonly<Record<string, string>> = {
${documents.map(({ path }) => `  ${JSON.stringify(path)}: ${identifier(path)},`).join("\n")}
};

/** Names of all documents, such as \`api/v1\` and \`apis/apps/v1\`. */
export const documentNames: readonly string[] = Object.keys(texts);

interface Packed {
  lists: string[][];
  paths: Record<string, Record<string, number | (Record<string, unknown> & { params: number })>>;
}

/** Returns the paths of a document; \`undefined\` if it's unknown. */
export function pathsOf(document: string): Readonly<Record<string, PathItem>> | undefined {
  if (!Object.hasOwn(texts, document)) return undefined;
  const { lists, paths } = JSON.parse(texts[document] ?? "{}") as Packed;
  const list = (index: unknown): readonly string[] => lists[index as number] ?? [];
  return Object.fromEntries(
    Object.entries(paths).map(([path, { params, ...methods }]): [string, PathItem] => [
      path,
      {
        params: list(params),
        operations: Object.fromEntries(
          Object.entries(methods).map(([method, packed]): [string, PathOperation] => {
            const { params: own, consumes, produces, ...rest } = packed as Record<string, unknown>;
            return [
              method,
              {
                ...rest,
                ...(consumes === undefined ? {} : { consumes: list(consumes) }),
                ...(produces === undefined ? {} : { produces: list(produces) }),
                params: list(own),
              },
            ];
          }),
        ),
      },
    ]),
  );
}
`;
}
