import type { Docs, TypeDocs } from "./docs.js";
import { docsOf } from "./docs.js";
import type { GroupVersion, GroupVersionKind, Model, Resource, Schema, Subresource } from "./load.js";
import type { Home } from "./names.js";
import { folderOf, homeOf } from "./names.js";
import type { Output } from "./output.js";
import { patchTypes } from "./resources.js";

/** apimachinery's definitions and where their hand-written types are. */
const META: Record<string, { type: string; file?: string }> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "Quantity", file: "scalars" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "IntOrString", file: "scalars" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": { type: "Time", file: "scalars" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": { type: "Time", file: "scalars" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "RawObject", file: "scalars" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": { type: "RawObject", file: "scalars" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "ObjectMeta", file: "object" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": { type: "ListMeta", file: "list" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector": { type: "LabelSelector", file: "label-selector" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement": {
    type: "LabelSelectorRequirement",
    file: "label-selector",
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement": {
    type: "FieldSelectorRequirement",
    file: "label-selector",
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition": { type: "Condition", file: "condition" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions": { type: "DeleteOptionsBody", file: "delete-options-body" },
};

const CRD = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/** Definitions without a schema: their JSON is one of several shapes. */
const SHAPES: Record<string, string> = {
  [`${CRD}JSON`]: "unknown",
  [`${CRD}JSONSchemaPropsOrArray`]: "JSONSchemaProps | JSONSchemaProps[]",
  [`${CRD}JSONSchemaPropsOrBool`]: "JSONSchemaProps | boolean",
  [`${CRD}JSONSchemaPropsOrStringArray`]: "JSONSchemaProps | string[]",
};

/** Subresources that hold a connection or answer text: they have methods of their own. */
const STREAMS = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Writes one module of types and descriptors for each group-version. */
export function generateKinds(model: Model, docs: Docs, output: Output): void {
  const modules = new Map<string, Module>();
  const moduleOf = (home: Home): Module => {
    const path = `${home.folder}/${home.version}`;
    let module = modules.get(path);
    if (module === undefined)
      modules.set(path, (module = { path, imports: new Map(), types: new Map(), descriptors: [] }));
    return module;
  };
  for (const [name, schema] of model.definitions) {
    const home = homeOf(name);
    if (home === undefined || SHAPES[name] !== undefined || isList(name, model)) continue;
    const module = moduleOf(home);
    const known = docsOf(docs, name);
    const comment = `/**\n * ${known.text}\n * @see ${referenceOf(home, groupOf(home, model))}\n */`;
    const body = bodyOf(schema, known, (child) => typeOf(child, home, module));
    module.types.set(home.type, `${comment}\nexport interface ${home.type} ${body}`);
  }
  for (const groupVersion of model.groupVersions) {
    for (const resource of groupVersion.resources) {
      const home: Home = { folder: folderOf(groupVersion.group), version: groupVersion.version, type: resource.kind };
      const module = moduleOf(home);
      if (!module.types.has(resource.kind)) throw new Error(`${module.path}: no type for ${resource.kind}`);
      module.descriptors.push({ kind: resource.kind, text: descriptor(groupVersion, resource, module, model) });
    }
  }
  refuseCycles(modules);
  for (const module of modules.values()) output.add(`src/kinds/${module.path}.ts`, print(module));
}

interface Module {
  path: string;
  /** Names imported, by module specifier. */
  imports: Map<string, Set<string>>;
  types: Map<string, string>;
  descriptors: { kind: string; text: string }[];
}

function isList(name: string, model: Model): boolean {
  const schema = model.definitions.get(name);
  return (
    name.endsWith("List") && schema?.properties?.["metadata"]?.$ref === "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
  );
}

function bodyOf(schema: Schema, known: TypeDocs, typeName: (property: Schema) => string): string {
  const gvk = (schema["x-kubernetes-group-version-kind"] as GroupVersionKind[] | undefined)?.[0];
  const required = new Set(schema.required ?? []);
  const first = ["apiVersion", "kind", "metadata"].filter((property) => schema.properties?.[property] !== undefined);
  const rest = Object.keys(schema.properties ?? {}).filter((property) => !first.includes(property));
  const fields = [...first, ...rest].map((property) => {
    const child = schema.properties?.[property] ?? {};
    const literal = gvk === undefined ? undefined : literalOf(property, gvk);
    const text = known.fields.get(property) ?? OBJECT_FIELDS[property];
    const comment = [text, ...factsOf(child)].join(" ");
    const key = /^[A-Za-z_]\w*$/.test(property) ? property : JSON.stringify(property);
    const type = literal ?? typeName(child);
    return `  /** ${comment} */\n  ${key}${required.has(property) ? "" : "?"}: ${type}${required.has(property) || type === "unknown" ? "" : " | undefined"};`;
  });
  return fields.length === 0 ? "{}" : `{\n${fields.join("\n")}\n}`;
}

/** Texts of the fields that all objects have. */
const OBJECT_FIELDS: Record<string, string> = {
  apiVersion: "API version of the kind. Absent on items of typed lists.",
  kind: "Name of the kind. Absent on items of typed lists.",
  metadata: "Standard object metadata: name, labels, versions and so on.",
};

function literalOf(property: string, gvk: GroupVersionKind): string | undefined {
  if (property === "apiVersion") return JSON.stringify(gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`);
  if (property === "kind") return JSON.stringify(gvk.kind);
  return undefined;
}

/** Returns facts of the schema that a field's type and text don't show. */
function factsOf(schema: Schema): string[] {
  const inner = schema.$ref ?? (schema.additionalProperties as Schema | undefined)?.$ref;
  return [
    listFact(schema),
    inner?.endsWith(".Quantity") === true ? "Quantities such as `500m`, `2` or `1Gi`." : undefined,
    inner?.endsWith(".MicroTime") === true ? "RFC 3339 with microseconds." : undefined,
    inner?.endsWith(".Time") === true ? "RFC 3339." : undefined,
  ].filter((fact) => fact !== undefined);
}

/** Returns the way apply and strategic merge patch treat a list. */
function listFact(schema: Schema): string | undefined {
  const keys = schema["x-kubernetes-list-map-keys"] as string[] | undefined;
  const mergeKey = schema["x-kubernetes-patch-merge-key"] as string | undefined;
  if (schema["x-kubernetes-list-type"] === "map" && keys !== undefined) {
    const other = mergeKey !== undefined && mergeKey !== keys.join() ? `; strategic merge by \`${mergeKey}\`` : "";
    return `Keyed by ${keys.map((key) => `\`${key}\``).join(" and ")} in apply${other}.`;
  }
  if (mergeKey !== undefined) return `Strategic merge by \`${mergeKey}\`; apply replaces the list.`;
  return schema["x-kubernetes-list-type"] === "set" ? "A set: each value at most once." : undefined;
}

function typeOf(schema: Schema, home: Home, module: Module): string {
  if (schema.$ref !== undefined) return reference(schema.$ref, home, module);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array": {
      const item = typeOf(schema.items ?? {}, home, module);
      return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return `Record<string, ${typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties, home, module) : "unknown"}>`;
    default:
      return "unknown";
  }
}

function reference(name: string, home: Home, module: Module): string {
  const shape = SHAPES[name];
  if (shape !== undefined) return shape;
  const target = homeOf(name);
  if (target !== undefined) return use(target, home, module);
  const meta = META[name];
  if (meta === undefined) throw new Error(`no hand-written type for ${name}`);
  if (meta.file !== undefined) importInto(module, `../../meta/${meta.file}.js`, meta.type);
  return meta.type;
}

function use(target: Home, home: Pick<Home, "folder" | "version">, module: Module): string {
  if (target.folder === home.folder && target.version === home.version) return target.type;
  const from = target.folder === home.folder ? `./${target.version}.js` : `../${target.folder}/${target.version}.js`;
  importInto(module, from, target.type);
  return target.type;
}

function importInto(module: Module, from: string, type: string): void {
  const names = module.imports.get(from) ?? new Set();
  names.add(type);
  module.imports.set(from, names);
}

function descriptor(groupVersion: GroupVersion, resource: Resource, module: Module, model: Model): string {
  importInto(module, "../../meta/kind.js", "Kind");
  const home = { folder: folderOf(groupVersion.group), version: groupVersion.version };
  const scope = resource.namespaced ? "Namespaced" : "Cluster";
  const subs = resource.subresources
    .filter((sub) => !STREAMS.has(sub.name))
    .map((sub) => `${sub.name}: ${subresourceType(sub, home, module)}`);
  const patches = patchTypes(model, groupVersion, resource, "").filter((type) => type !== "apply");
  const parameters = [resource.kind, JSON.stringify(scope)];
  const own =
    patches.length === 3
      ? []
      : [patches.length === 0 ? "never" : patches.map((type) => JSON.stringify(type)).join(" | ")];
  if (subs.length > 0) parameters.push(`{ ${subs.join("; ")} }`);
  else if (own.length > 0) parameters.push("object");
  parameters.push(...own);
  const { group, version } = groupVersion;
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `/** ${resource.kind}: \`${base}/${resource.namespaced ? "namespaces/{namespace}/" : ""}${resource.name}\`. */
export const ${resource.kind}: Kind<${parameters.join(", ")}> = {
  group: ${JSON.stringify(group)},
  version: ${JSON.stringify(version)},
  kind: ${JSON.stringify(resource.kind)},
  plural: ${JSON.stringify(resource.name)},
  scope: ${JSON.stringify(scope)},
};`;
}

function subresourceType(sub: Subresource, home: Pick<Home, "folder" | "version">, module: Module): string {
  return use({ folder: folderOf(sub.kind.group), version: sub.kind.version, type: sub.kind.kind }, home, module);
}

function groupOf(home: Home, model: Model): string {
  const found = model.groupVersions.find((each) => folderOf(each.group) === home.folder);
  if (found === undefined) throw new Error(`no group has the folder ${home.folder}`);
  return found.group;
}

function referenceOf(home: Home, group: string): string {
  const anchor = `${home.type}-${home.version}-${group === "" ? "core" : group.replaceAll(".", "-")}`.toLowerCase();
  return `https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#${anchor}`;
}

function refuseCycles(modules: Map<string, Module>): void {
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) throw new Error(`cycle: ${[...trail, path].join(" -> ")}`);
    for (const from of modules.get(path)?.imports.keys() ?? []) {
      if (from.startsWith("../../")) continue;
      const target = from.startsWith("./") ? `${path.split("/")[0] ?? ""}/${from.slice(2)}` : from.slice(3);
      visit(target.replace(/\.js$/, ""), [...trail, path]);
    }
  };
  for (const path of modules.keys()) visit(path, []);
}

function print(module: Module): string {
  const imports = [...module.imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, names]) => `import type { ${[...names].sort().join(", ")} } from "${from}";`);
  const kinds = new Map(module.descriptors.map(({ kind, text }) => [kind, text]));
  const names = [...module.types.keys()].sort((a, b) => rank(a, kinds) - rank(b, kinds) || (a < b ? -1 : 1));
  const body = names.flatMap((name) => [
    module.types.get(name) ?? "",
    ...(kinds.has(name) ? [kinds.get(name) ?? ""] : []),
  ]);
  return [imports.join("\n"), ...body].join("\n\n");
}

/** The kinds come first, then the types of their fields. */
function rank(name: string, kinds: Map<string, string>): number {
  return kinds.has(name) ? 0 : 1;
}
