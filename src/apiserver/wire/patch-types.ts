import type { PatchType } from "../registry/resources.js";

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": { kind: "json", encoding: "json" },
  "application/merge-patch+json": { kind: "merge", encoding: "json" },
  "application/strategic-merge-patch+json": { kind: "strategic", encoding: "json" },
  "application/apply-patch+yaml": { kind: "apply", encoding: "yaml" },
  "application/apply-patch+cbor": { kind: "apply", encoding: "cbor" },
};

/** Returns the patch type of a Content-Type, or `undefined` for any other media type. */
export function parsePatchType(contentType: string | undefined): PatchType | undefined {
  const bare = (contentType ?? "").split(";")[0]!.trim();
  return Object.hasOwn(patchTypes, bare) ? patchTypes[bare] : undefined;
}
