import { rawError } from "../errors/status.js";
import type { Definition, DefinitionVersion } from "../kinds/apiextensions/definition.js";
import type { ApiObject } from "../objects/api-object.js";
import { applySchemaDefaults, dropPlainNulls } from "../schema/default-values.js";
import { GoDecodeError } from "../schema/go-decode.js";
import { coerceMetadata, pruneObject } from "../schema/prune.js";

/** The version in which something is stored. Throws 500 where the definition has it no longer. */
export function storedVersion(definition: Definition, name: string): DefinitionVersion {
  const found = definition.spec.versions.find((version) => version.name === name);
  if (found === undefined)
    throw rawError(`request to convert CR from an invalid group/version: ${definition.spec.group}/${name}`);
  return found;
}

/** What reading does with a stored object before all else, in place: the schema of the version that it is stored in takes out and fills in. */
export function decodeStored(object: ApiObject, { schema }: DefinitionVersion): void {
  pruneObject(object, schema?.openAPIV3Schema);
  dropPlainNulls(object, schema?.openAPIV3Schema);
  applySchemaDefaults(object, schema?.openAPIV3Schema);
}

/** What is done with an object that has come into another version, in place: the schema takes out, and fills in nothing. */
export function fitInto(object: ApiObject, { schema }: DefinitionVersion): void {
  pruneObject(object, schema?.openAPIV3Schema);
  dropPlainNulls(object, schema?.openAPIV3Schema);
}

/** The same for what a webhook made, whose metadata can be of any form. Throws 500. */
export function fitForeignInto(object: ApiObject, version: DefinitionVersion): void {
  try {
    coerceMetadata(object, version.schema?.openAPIV3Schema);
  } catch (error) {
    throw error instanceof GoDecodeError ? rawError(error.message) : error;
  }
  fitInto(object, version);
}
