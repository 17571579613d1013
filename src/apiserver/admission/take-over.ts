import { ApiFailure, internalError } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AdmissionAttributes } from "../registry/services.js";
import { decodeBuiltIn } from "../wire/body.js";

/** Puts another object in the place of the request's, decoded and with its defaults. Throws a 500 for one that is not of the kind. */
export function takeOver({ object, resource }: AdmissionAttributes, next: ApiObject, nowMs: number): void {
  const held = object!;
  const copy = { ...next };
  try {
    decodeBuiltIn(resource, copy);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    throw internalError(error.message.replace(/^.* cannot be handled as a \w+: /s, ""));
  }
  resource.strategy.defaults?.(copy, nowMs);
  for (const key of Object.keys(held)) Reflect.deleteProperty(held, key);
  Object.assign(held, copy);
}
