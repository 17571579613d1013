import { ApiFailure, internalError } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, replaceContent } from "../objects/metadata.js";
import { isOfKind } from "../registry/resources.js";
import type { AdmissionAttributes } from "../registry/services.js";

/**
 * Replaces the request's object in place with another one, decoded and with defaults. Throws 500 if it has another
 * kind, or unknown fields of a built-in kind that are rejected.
 */
export function replaceObject(
  { object, resource }: AdmissionAttributes,
  next: ApiObject,
  nowMs: number,
  unknownFields: "dropped" | "rejected",
): void {
  const held = object!;
  const copy = copyJson(next);
  const isOwnKind = isOfKind(held, resource);
  if (
    (!isOwnKind || resource.definition !== undefined) &&
    (copy.kind !== held.kind || copy.apiVersion !== held.apiVersion)
  )
    throw internalError(
      `expected ${held.apiVersion}, Kind=${held.kind}, got ${copy.apiVersion ?? ""}, Kind=${copy.kind ?? ""}`,
    );
  if (!isOwnKind) {
    replaceContent(held, copy);
    return;
  }
  let unknown: readonly string[];
  try {
    unknown = resource.decodeObject(copy);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    throw internalError(error.message.replace(/^.* cannot be handled as a \w+: /s, ""));
  }
  if (unknown.length > 0 && unknownFields === "rejected" && resource.definition !== undefined)
    throw internalError(`unknown fields: ${unknown.join(", ")}`);
  resource.strategy.defaults?.(copy, nowMs);
  replaceContent(held, copy);
}
