import type { KubernetesObject } from "../../meta/object.js";
import type { PartialObjectMetadata } from "../../meta/table.js";

/** Builds an `Accept` value that requests metadata only and falls back to whole objects. */
export function metadataAccept(mediaTypes: readonly string[], what: "object" | "list" | "watch"): string {
  const as = `;as=PartialObjectMetadata${what === "list" ? "List" : ""};v=v1;g=meta.k8s.io`;
  return [...mediaTypes.map((type) => type + as), ...mediaTypes]
    .map((type, index) => (index === 0 ? type : `${type};q=${Math.max(0.1, 1 - index / 10).toFixed(1)}`))
    .join(",");
}

/** Reduces an object to its metadata if the server didn't. */
export function toMetadata(object: KubernetesObject): PartialObjectMetadata {
  if (object.kind === "PartialObjectMetadata") return object as PartialObjectMetadata;
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: object.metadata ?? {} };
}
