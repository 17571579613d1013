import type { GroupVersion, Model, Resource } from "./load.js";
import { folderOf } from "./names.js";
import type { Output } from "./output.js";

/** Writes the discovery table. */
export function generateResources(model: Model, output: Output): void {
  const names = new Map<string, string>();
  for (const [name, schema] of model.definitions) {
    for (const gvk of (schema["x-kubernetes-group-version-kind"] ?? []) as {
      group: string;
      version: string;
      kind: string;
    }[]) {
      names.set(`${gvk.group}/${gvk.version}/${gvk.kind}`, name);
    }
  }
  const lines = model.groupVersions.map((groupVersion) => entry(groupVersion, names, model));
  output.add(
    "src/gen/resources.ts",
    `${TYPES}\n/** Built-in group-versions in the order of a real server. The preferred version of a group comes first. */
export const groupVersions: readonly ApiGroupVersion[] = [
${lines.join("\n")}
];`,
  );
}

function entry(groupVersion: GroupVersion, names: Map<string, string>, model: Model): string {
  const { group, version } = groupVersion;
  const definitionOf = (kind: string): string | undefined => names.get(`${group}/${version}/${kind}`);
  const resources = groupVersion.resources.map((resource) => {
    const definition = definitionOf(resource.kind);
    const listKind = definitionOf(`${resource.kind}List`) === undefined ? undefined : `${resource.kind}List`;
    return `      ${JSON.stringify({
      name: resource.name,
      singular: resource.singular,
      kind: resource.kind,
      ...(listKind === undefined ? {} : { listKind }),
      namespaced: resource.namespaced,
      verbs: resource.verbs,
      ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
      ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
      ...(definition === undefined ? {} : { definition }),
      ...patchTypesOf(model, groupVersion, resource, ""),
      ...(resource.subresources.length > 0
        ? {
            subresources: resource.subresources.map((sub) => ({
              name: sub.name,
              kind: sub.kind,
              verbs: sub.verbs,
              ...patchTypesOf(model, groupVersion, resource, sub.name),
            })),
          }
        : {}),
    })},`;
  });
  return `  {
    group: ${JSON.stringify(group)},
    version: ${JSON.stringify(version)},
    folder: ${JSON.stringify(folderOf(group))},
    resources: [
${resources.join("\n")}
    ],
  },`;
}

const SHORT: Record<string, string> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** Returns the short names of the patch types that the path takes; none if it has no PATCH. */
export function patchTypes(
  model: Model,
  groupVersion: { group: string; version: string },
  resource: Resource,
  subresource: string,
): string[] {
  const base =
    groupVersion.group === "" ? `/api/${groupVersion.version}` : `/apis/${groupVersion.group}/${groupVersion.version}`;
  const path = `${base}/${resource.namespaced ? "namespaces/{namespace}/" : ""}${resource.name}/{name}${subresource === "" ? "" : `/${subresource}`}`;
  const document = model.documents.find(
    (each) => each.group === groupVersion.group && each.version === groupVersion.version,
  );
  const operation = document?.paths[path]?.["patch"];
  if (operation === undefined || Array.isArray(operation) || operation.action !== "patch") return [];
  return (operation.consumes ?? []).flatMap((mediaType) => SHORT[mediaType] ?? []).sort();
}

function patchTypesOf(...args: Parameters<typeof patchTypes>): { patchTypes?: string[] } {
  const types = patchTypes(...args);
  return types.length === 0 ? {} : { patchTypes: types };
}

const TYPES = `
/** Subresource as listed by discovery. */
export interface ApiSubresource {
  /** Last segment of the URL, such as \`status\`. */
  readonly name: string;
  /** Kind of the request and the response, which may belong to another group. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Supported verbs. */
  readonly verbs: readonly string[];
  /** Supported patch types; absent without the patch verb. */
  readonly patchTypes?: readonly string[];
}

/** Resource as listed by discovery. */
export interface ApiResource {
  /** Plural name, used in URLs. */
  readonly name: string;
  /** Singular name. */
  readonly singular: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Kind of its lists; absent if it can't be listed. */
  readonly listKind?: string;
  /** True if the objects are namespaced. */
  readonly namespaced: boolean;
  /** Supported verbs. */
  readonly verbs: readonly string[];
  /** Short names for command lines. */
  readonly shortNames?: readonly string[];
  /** Categories that it belongs to, such as \`all\`. */
  readonly categories?: readonly string[];
  /** Name of its OpenAPI definition. */
  readonly definition?: string;
  /** Supported patch types: \`apply\`, \`json\`, \`merge\`, \`strategic\`; absent without the patch verb. */
  readonly patchTypes?: readonly string[];
  /** Subresources. */
  readonly subresources?: readonly ApiSubresource[];
}

/** Group-version with its resources. */
export interface ApiGroupVersion {
  /** Group; \`""\` for the core group. */
  readonly group: string;
  /** Version. */
  readonly version: string;
  /** Folder of the group under \`kubestream/kinds/\`. */
  readonly folder: string;
  /** Resources by name. */
  readonly resources: readonly ApiResource[];
}
`;
