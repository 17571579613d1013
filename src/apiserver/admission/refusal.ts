import type { StatusDetails } from "../../meta/status.js";
import type { ApiFailure } from "../errors/status.js";
import { failure } from "../errors/status.js";
import type { AdmissionAttributes } from "../registry/services.js";

/** Returns message and details of the 403 for a request that admission forbids. */
export function forbiddenBy(
  { resource, name, object }: AdmissionAttributes,
  message: string,
): { readonly text: string; readonly details: StatusDetails } {
  // The name of a new object may not be generated yet.
  const shown =
    [name, object?.metadata?.name, object?.metadata?.generateName].find((each) => (each ?? "") !== "") ?? "Unknown";
  const qualified = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return {
    text: `${qualified} ${JSON.stringify(shown)} is forbidden: ${message}`,
    details: { name: shown, ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.resource },
  };
}

/** Creates the 403 for a request that admission forbids. */
export function refusal(attributes: AdmissionAttributes, message: string): ApiFailure {
  const { text, details } = forbiddenBy(attributes, message);
  return failure(403, "Forbidden", text, details);
}
