import { compareVersions } from "../../meta/compare-versions.js";
import { forbidden } from "../errors/status.js";
import {
  bucketOf,
  type Definition,
  type DefinitionVersion,
  storageVersionOf,
} from "../kinds/apiextensions/definition.js";
import type { ApiObject } from "../objects/api-object.js";
import type { ServedResource, ServedSubresource } from "../registry/resources.js";
import { hasDefaults } from "../schema/default-values.js";
import type { ConverterServices } from "./ask-converter.js";
import { customOperations } from "./custom-operations.js";
import { customScale } from "./custom-scale.js";
import { customStrategy } from "./custom-strategy.js";
import { decodeStored, fitInto, storedVersion } from "./stored-form.js";
import { createConverter } from "./webhook-conversion.js";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const terminatingMessage = "create not allowed while custom resource definition is terminating";
const patchTypes = ["apply", "json", "merge"];

/** Creates the resources of a definition, one per served version. */
export function customResources(services: ConverterServices, definition: Definition): ServedResource[] {
  return definition.spec.versions
    .filter((version) => version.served)
    .map((version) => customResource(services, definition, version));
}

/** Creates the resource in the stored version, served or not. */
export function storageResource(services: ConverterServices, definition: Definition): ServedResource {
  return customResource(services, definition, storedVersion(definition, storageVersionOf(definition)));
}

function customResource(
  services: ConverterServices,
  definition: Definition,
  version: DefinitionVersion,
): ServedResource {
  const { group, scope } = definition.spec;
  const names = definition.status?.acceptedNames ?? definition.spec.names;
  const schema = version.schema?.openAPIV3Schema;
  const { status, scale } = version.subresources ?? {};
  const kind = { group, version: version.name, kind: names.kind };
  const subresources = new Map<string, ServedSubresource>();
  const access = ["get", "patch", "update"];
  if (status !== undefined) subresources.set("status", { name: "status", kind, verbs: access, patchTypes });
  if (scale !== undefined)
    subresources.set("scale", {
      name: "scale",
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: access,
      patchTypes,
    });
  const deprecation = deprecationOf(definition, version);
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular ?? "",
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === "Namespaced",
    verbs,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    patchTypes,
    subresources,
    strategy: customStrategy(definition, version),
    bucket: bucketOf(definition),
    uncached: false,
    schema,
    storageVersion: storageVersionOf(definition),
    ...customOperations,
    scale: customScale(scale),
    checkCreate(name) {
      if (definition.metadata?.deletionTimestamp != null)
        throw forbidden({ group, resource: names.plural }, name, terminatingMessage);
    },
    ...(deprecation === undefined ? {} : { deprecation }),
    ...conversionOf(services, definition, version),
  };
}

type Conversion = Pick<ServedResource, "fromStorage" | "toStorage" | "converter">;

function conversionOf(services: ConverterServices, definition: Definition, version: DefinitionVersion): Conversion {
  const fromStorage = (object: ApiObject, storedAs = version.name): void => {
    const stored = storedVersion(definition, storedAs);
    decodeStored(object, stored);
    if (stored !== version) fitInto(object, version);
  };
  if (definition.spec.conversion?.strategy === "Webhook")
    return { fromStorage, converter: createConverter(services, definition, version) };
  const storage = storedVersion(definition, storageVersionOf(definition));
  return {
    ...(needsReading(definition, version) ? { fromStorage } : {}),
    ...(storage === version ? {} : { toStorage: (object: ApiObject) => fitInto(object, storage) }),
  };
}

/**
 * True if stored objects must be decoded before they are returned: the schema has defaults, or may differ from the one
 * they were stored under.
 */
function needsReading(definition: Definition, version: DefinitionVersion): boolean {
  return (
    hasDefaults(version.schema?.openAPIV3Schema) ||
    definition.spec.versions.length > 1 ||
    (definition.metadata?.generation ?? 1) > 1
  );
}

function deprecationOf(definition: Definition, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined && version.deprecationWarning !== null)
    return version.deprecationWarning;
  const { group, names } = definition.spec;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const better = definition.spec.versions
    .filter((one) => one.served && one.deprecated !== true)
    .map((one) => one.name)
    .sort(compareVersions)[0];
  return better === undefined || compareVersions(better, version.name) > 0
    ? text
    : `${text}; use ${group}/${better} ${names.kind}`;
}
