import { rawError } from "../errors/status.js";
import type { Definition, DefinitionVersion } from "../kinds/apiextensions/definition.js";
import type { ApiObject } from "../objects/api-object.js";
import { GoDecodeError } from "../schema/decode-scalars.js";
import { applySchemaDefaults, dropPlainNulls } from "../schema/default-values.js";
import { coerceMetadata, pruneObject } from "../schema/prune.js";

/** Returns the version in which an object is stored. Throws 500 if the definition no longer has it. */
export function storedVersion(definition: Definition, name: string): DefinitionVersion {
  const found = definition.spec.versions.find((version) => version.name === name);
  if (found === undefined)
    throw rawError(`request to convert CR from an invalid group/version: ${definition.spec.group}/${name}`);
  return found;
}

/** Applies pruning and defaults of the stored version's schema to a stored object, in place. */
export function decodeStored(object: ApiObject, { schema }: DefinitionVersion): void {
  pruneObject(object, schema?.openAPIV3Schema);
  dropPlainNulls(object, schema?.openAPIV3Schema);
  applySchemaDefaults(object, schema?.openAPIV3Schema);
}

/** Prunes an object after its conversion to another version, in place. Adds no defaults. */
export function fitInto(object: ApiObject, { schema }: DefinitionVersion): void {
  pruneObject(object, schema?.openAPIV3Schema);
  dropPlainNulls(object, schema?.openAPIV3Schema);
}

/** Same as `fitInto` for an object that a webhook converted, whose metadata may be malformed. Throws 500. */
export function fitForeignInto(object: ApiObject, version: DefinitionVersion): void {
  try {
    coerceMetadata(object, version.schema?.openAPIV3Schema);
  } catch (error) {
    throw error instanceof GoDecodeError ? rawError(error.message) : error;
  }
  fitInto(object, version);
}
