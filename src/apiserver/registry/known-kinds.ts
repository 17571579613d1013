import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { groupVersions } from "../../gen/resources.js";
import { homeGroup, isOldKind } from "./old-kinds.js";
import type { GroupVersionKind } from "./resources.js";

/** Name of the internal version of each kind. */
export const internalVersion = "__internal";

/**
 * Returns the name of the OpenAPI definition that decodes a kind in a version, or `undefined` for an unknown kind.
 * Versions that are no longer served use a served one's definition, because their fields are almost the same.
 */
export function versionedDefinition({ group, version, kind }: GroupVersionKind): string | undefined {
  const found = definitionNameOf(group, version, kind);
  if (found !== undefined || !isOldKind(group, version, kind)) return found;
  return groupVersions
    .filter((each) => each.group === group || each.group === homeGroup(group, kind))
    .map((each) => definitionNameOf(each.group, each.version, kind))
    .find((each) => each !== undefined);
}
