import type { DecodeOptions } from "../meta/options.js";
import { sameValue } from "./lazy.js";

type Plain = Record<string, unknown>;

/** Returns the policy for `managedFields`, for decoders that can decode it lazily. */
export function managedFieldsOf(options: DecodeOptions | undefined): "keep" | "drop" | "lazy" {
  return options?.managedFields ?? (options?.lazy === true ? "lazy" : "keep");
}

/**
 * Applies decode options to a completely decoded object: drops `managedFields` and reuses equal parts of the previous
 * version. For encodings that can't do so earlier.
 */
export function applyDecodeOptions(object: object, options: DecodeOptions | undefined): object {
  if (options === undefined) return object;
  const metadata = (object as Plain)["metadata"] as (Plain & { namespace?: string; name?: string }) | null | undefined;
  if (typeof metadata !== "object" || metadata === null) return object;
  if (options.managedFields === "drop") delete metadata["managedFields"];
  if (options.previous !== undefined)
    reuseEqualParts(object as Plain, options.previous(metadata.namespace, metadata.name ?? "") as Plain | undefined);
  return object;
}

/** Reuses every part of the previous version that is equal, except the metadata. */
export function reuseEqualParts(object: Plain, previous: Plain | undefined): void {
  if (previous === undefined) return;
  for (const key of Object.keys(object)) {
    if (key === "metadata" || key === "__proto__" || !Object.hasOwn(previous, key)) continue;
    const value = object[key];
    if (typeof value === "object" && value !== null && sameValue(previous[key], value)) object[key] = previous[key];
  }
}
