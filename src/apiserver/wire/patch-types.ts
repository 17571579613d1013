import type { PatchType } from "../registry/resources.js";

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": { kind: "json", encoding: "json" },
  "application/merge-patch+json": { kind: "merge", encoding: "json" },
  "application/strategic-merge-patch+json": { kind: "strategic", encoding: "json" },
  "application/apply-patch+yaml": { kind: "apply", encoding: "yaml" },
  "application/apply-patch+cbor": { kind: "apply", encoding: "cbor" },
};

/** Returns the kind of patch that a Content-Type names, or `undefined` if it names none. */
export function parsePatchType(contentType: string | undefined): PatchType | undefined {
  const bare = (contentType ?? "").split(";")[0]!.trim();
  return Object.hasOwn(patchTypes, bare) ? patchTypes[bare] : undefined;
}
