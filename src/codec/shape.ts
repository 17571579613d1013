import type { DecodeOptions } from "../meta/options.js";
import { sameValue } from "./lazy.js";

type Plain = Record<string, unknown>;

/** What becomes of `managedFields`, for decoders that can leave it for later. */
export function managedFieldsOf(options: DecodeOptions | undefined): "keep" | "drop" | "lazy" {
  return options?.managedFields ?? (options?.lazy === true ? "lazy" : "keep");
}

/**
 * Does to an object that was decoded whole what the options ask of the decoding: leaves out `managedFields` and takes
 * equal parts over from the version before. For encodings in which nothing can be done earlier.
 */
export function shape(object: object, options: DecodeOptions | undefined): object {
  if (options === undefined) return object;
  const metadata = (object as Plain)["metadata"] as (Plain & { namespace?: string; name?: string }) | null | undefined;
  if (typeof metadata !== "object" || metadata === null) return object;
  if (options.managedFields === "drop") delete metadata["managedFields"];
  if (options.previous !== undefined)
    reuseEqualParts(object as Plain, options.previous(metadata.namespace, metadata.name ?? "") as Plain | undefined);
  return object;
}

/** Takes over every part but the metadata that is equal in the version before. */
export function reuseEqualParts(object: Plain, previous: Plain | undefined): void {
  if (previous === undefined) return;
  for (const key of Object.keys(object)) {
    if (key === "metadata" || key === "__proto__" || !Object.hasOwn(previous, key)) continue;
    const value = object[key];
    if (typeof value === "object" && value !== null && sameValue(previous[key], value)) object[key] = previous[key];
  }
}
