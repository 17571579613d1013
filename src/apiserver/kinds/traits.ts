import type { Strategy } from "./strategy.js";

/** Kinds that PUT creates. */
const createOnUpdate = new Set(["/endpoints", "/services"]);

/** Kinds that count the changes of what is wanted. */
const generations = new Set(["/pods", "/podtemplates", "/replicationcontrollers"]);

/** Kinds older than the garbage collector, whose dependents once stayed. */
const orphansByDefault = new Set(["/replicationcontrollers"]);

/** The rules of writing and deleting that are a matter of yes or no. */
export function traitsOf(
  group: string,
  resource: string,
): Pick<Strategy, "allowCreateOnUpdate" | "generations" | "deletedAlong" | "orphansByDefault"> {
  const key = `${group}/${resource}`;
  return {
    ...(createOnUpdate.has(key) ? { allowCreateOnUpdate: true } : {}),
    ...(generations.has(key) ? { generations: true } : {}),
    ...(key === "/services" ? { deletedAlong: "/endpoints" } : {}),
    ...(orphansByDefault.has(key) ? { orphansByDefault: true } : {}),
  };
}
