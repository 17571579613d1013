import { encodeJson } from "../../codec/json/encode.js";
import type { Kind } from "../../meta/kind.js";
import type { Call } from "../call/requester.js";

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

/** A patch of any type. */
export type AnyPatch =
  | { readonly type: "json"; readonly operations: readonly object[] }
  | { readonly type: "merge" | "strategic"; readonly patch: unknown };

/** Encodes a patch. Throws a `TypeError` if the patch is malformed, or if the kind doesn't support its type. */
export function encodePatch(patch: AnyPatch, { custom }: Kind, description: string): NonNullable<Call["body"]> {
  const contentType = patchTypes[patch.type] as string | undefined;
  if (contentType === undefined)
    throw new TypeError(
      `patch ${description}: unknown patch type ${JSON.stringify((patch as { type: unknown }).type)}`,
    );
  if (patch.type === "strategic" && custom === true)
    throw new TypeError(`patch ${description}: custom resources don't support strategic merge patches`);
  const content = patch.type === "json" ? patch.operations : patch.patch;
  if (typeof content !== "object" || content === null)
    throw new TypeError(`patch ${description}: the patch must be ${patch.type === "json" ? "an array" : "an object"}`);
  return { bytes: encodeJson(content), contentType };
}
