import { checkSchema, invalidName, type KindModel, type TypeSchema } from "./kind-model.js";

interface Crd {
  readonly spec?: {
    readonly group?: string;
    readonly names?: { readonly kind?: string; readonly plural?: string };
    readonly scope?: string;
    readonly versions?: readonly CrdVersion[];
  };
}

interface CrdVersion {
  readonly name?: string;
  readonly served?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: TypeSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: object };
}

/** Returns true for a CustomResourceDefinition of a supported version. */
export function isCrd(document: unknown): boolean {
  const { apiVersion, kind } = (document ?? {}) as { apiVersion?: unknown; kind?: unknown };
  return kind === "CustomResourceDefinition" && apiVersion === "apiextensions.k8s.io/v1";
}

/**
 * Returns one kind per served version of a CustomResourceDefinition. Throws a `TypeError` that names an invalid field.
 */
export function kindsOfCrd(document: unknown, source: string): KindModel[] {
  const { spec } = document as Crd;
  const { group, names, scope, versions } = spec ?? {};
  const fail = (field: string, expected: string): never => {
    throw new TypeError(`${source}: spec.${field} must be ${expected}`);
  };
  const { kind = "", plural = "" } = names ?? {};
  const check = (version: string, fieldOfVersion: string): void => {
    const [field, expected] = invalidName({ group: group === "" ? undefined : group, kind, plural, version }) ?? [];
    if (field !== undefined)
      fail(field === "group" ? field : field === "version" ? fieldOfVersion : `names.${field}`, expected!);
  };
  check("v1", "");
  if (scope !== "Namespaced" && scope !== "Cluster") return fail("scope", `"Namespaced" or "Cluster"`);
  if (!Array.isArray(versions) || versions.length === 0) return fail("versions", "a list of versions");
  return (versions as readonly (CrdVersion | null)[]).flatMap((version, index): KindModel[] => {
    if (version?.served === false) return [];
    const name = version?.name ?? "";
    const schema = version?.schema?.openAPIV3Schema ?? undefined;
    check(name, `versions[${String(index)}].name`);
    if (schema !== undefined) checkSchema(schema, `${source}: spec.versions[${String(index)}].schema.openAPIV3Schema`);
    return [
      {
        group: group!,
        version: name,
        kind,
        plural,
        scope,
        status: version?.subresources?.status !== undefined,
        scale: version?.subresources?.scale !== undefined,
        schema: schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        custom: true,
        patchTypes: ["json", "merge"],
      },
    ];
  });
}
