export type { ManifestOutcome, ManifestSource } from "../errors/manifests-error.js";
export { ManifestsError } from "../errors/manifests-error.js";
export type { ApplySetMembership, ApplySetOptions, ApplySetParent } from "./apply-set.js";
export { applySet, applySetId } from "./apply-set.js";
export { formatManifests } from "./format-manifests.js";
export type { Manifest } from "./manifest.js";
export { getManifestSource } from "./manifest.js";
export type {
  ApplyManifestsOptions,
  DeleteManifestsOptions,
  ManifestPlacement,
} from "./manifests.js";
export { applyManifests, deleteManifests } from "./manifests.js";
export { parseManifests } from "./parse-manifests.js";
