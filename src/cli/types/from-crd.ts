import type { KindModel, TypeSchema } from "./kind-model.js";

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
  if (typeof group !== "string" || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(group))
    return fail("group", "a domain name");
  if (typeof names?.kind !== "string" || !/^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/.test(names.kind))
    return fail("names.kind", "a name of letters, digits and dashes");
  if (typeof names.plural !== "string" || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(names.plural))
    return fail("names.plural", "a lower-case name");
  if (scope !== "Namespaced" && scope !== "Cluster") return fail("scope", `"Namespaced" or "Cluster"`);
  if (!Array.isArray(versions) || versions.length === 0) return fail("versions", "a list of versions");
  const { kind, plural } = names;
  return (versions as readonly CrdVersion[])
    .filter((version) => version.served !== false)
    .map((version, index): KindModel => {
      if (typeof version.name !== "string" || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(version.name))
        return fail(`versions[${String(index)}].name`, "a version such as v1");
      return {
        group,
        version: version.name,
        kind,
        plural,
        scope,
        status: version.subresources?.status !== undefined,
        scale: version.subresources?.scale !== undefined,
        schema: version.schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        custom: true,
        patchTypes: ["json", "merge"],
      };
    });
}
