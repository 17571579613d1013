import type { Strategy } from "../kinds/shared/strategy.js";
import { type FieldSet, fieldSetOf, subtractSubtrees } from "./field-set.js";

/** Removes from a set the fields that a request can't change. */
export type FieldFilter = (set: FieldSet) => FieldSet;

const without = (...paths: string[]): FieldFilter => {
  const fields = fieldSetOf(...paths.map((path) => path.split("/")));
  return (set) => subtractSubtrees(set, fields);
};

/**
 * Returns the filter of a request, or `undefined` if every field counts. `hasStatus`: the kind has a status
 * subresource.
 */
export function fieldFilter(
  { metadata, untrackedFields }: Pick<Strategy, "metadata" | "untrackedFields">,
  subresource: string,
  hasStatus: boolean,
): FieldFilter | undefined {
  const ofStatus = metadata?.keptByStatus?.includes("annotations") === true ? ["spec", "metadata"] : ["spec"];
  const usual = subresource === "status" ? ofStatus : hasStatus ? ["status"] : [];
  const paths = untrackedFields?.[subresource] ?? usual;
  return paths.length === 0 ? undefined : without(...paths);
}
