import type { MetadataRules } from "./shared/metadata-rules.js";

/** Metadata rules of kinds that have no definition yet, by resource. */
export const metadataRules: Readonly<Record<string, MetadataRules>> = {
  "/endpoints": { checksOnUpdate: 2 },
  "/namespaces": { checksOnUpdate: 2, name: "label" },
  "/nodes": { checksOnUpdate: 2 },
  "/pods": { checksOnUpdate: 2, keptByStatus: ["ownerReferences"] },
  "/replicationcontrollers": { anyPrefix: true },
  "/services": { name: "label" },
};
