import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { groupVersions } from "../../gen/resources.js";
import { homeGroup, isOldKind } from "./old-kinds.js";
import type { GroupVersionKind } from "./resources.js";

/** Version under which a server keeps its own form of a kind. */
export const INTERNAL = "__internal";

/**
 * Name of the definition by which a kind is read in a version; undefined for one that is not known. A version that is served no more has the
 * fields of those that are, but for a few.
 */
export function versionedDefinition({ group, version, kind }: GroupVersionKind): string | undefined {
  const found = definitionNameOf(group, version, kind);
  if (found !== undefined || !isOldKind(group, version, kind)) return found;
  return groupVersions
    .filter((each) => each.group === group || each.group === homeGroup(group, kind))
    .map((each) => definitionNameOf(each.group, each.version, kind))
    .find((each) => each !== undefined);
}
