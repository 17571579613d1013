import { checkSchema, type Definitions, invalidName, type KindModel, type TypeSchema } from "./kind-model.js";

interface Operation {
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
}

/** The part of a group-version's OpenAPI v3 document that types are generated from. */
export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, TypeSchema>> };
}

const patchKinds: Readonly<Record<string, string>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
};

/**
 * Returns the kinds that a group-version's OpenAPI document has collections of, and the definitions their schemas refer
 * to. Throws a `TypeError` that names what isn't valid: the document may come from an API server that others run.
 */
export function kindsOfOpenApi(document: OpenApiDocument): { kinds: KindModel[]; definitions: Definitions } {
  const definitions = new Map(Object.entries(document.components?.schemas ?? {}));
  for (const [name, schema] of definitions) checkSchema(schema, `components.schemas.${name}`);
  const byKind = new Map<string, TypeSchema>();
  for (const schema of definitions.values()) {
    const kinds: unknown = schema["x-kubernetes-group-version-kind"];
    if (Array.isArray(kinds))
      for (const each of kinds) {
        const key = keyOf(each);
        if (!byKind.has(key)) byKind.set(key, schema);
      }
  }
  const paths = document.paths ?? {};
  const kinds: KindModel[] = [];
  for (const [path, item] of Object.entries(paths)) {
    const match = /^(\/apis?\/.*?)(\/namespaces\/\{namespace\})?\/([^/{}]+)\/\{name\}$/.exec(path);
    if (match === null || path.includes("/watch/")) continue;
    const operation = Object.values(item ?? {}).find(
      (each) => each?.["x-kubernetes-group-version-kind"] !== undefined && each["x-kubernetes-action"] !== "connect",
    );
    const gvk = operation?.["x-kubernetes-group-version-kind"];
    if (gvk === undefined) continue;
    const schema = byKind.get(keyOf(gvk));
    if (schema === undefined) continue;
    const plural = match[3] ?? "";
    const [wrong, expected] = invalidName({ ...gvk, plural }) ?? [];
    if (wrong !== undefined)
      throw new TypeError(`paths: the ${wrong} of ${JSON.stringify(path.slice(0, 200))} must be ${expected!}`);
    const { group, version, kind } = gvk;
    const patch = item["patch"]?.requestBody?.content ?? {};
    const patchTypes = Object.keys(patch)
      .flatMap((mediaType) => patchKinds[mediaType] ?? [])
      .sort();
    kinds.push({
      group,
      version,
      kind,
      plural,
      scope: match[2] === undefined ? "Cluster" : "Namespaced",
      status: Object.hasOwn(paths, `${path}/status`),
      scale: Object.hasOwn(paths, `${path}/scale`),
      schema,
      custom: !patchTypes.includes("strategic"),
      patchTypes,
    });
  }
  return { kinds, definitions };
}

function keyOf(kind: unknown): string {
  const { group, version, kind: name } = (kind ?? {}) as Partial<Record<string, unknown>>;
  return JSON.stringify([group, version, name]);
}
