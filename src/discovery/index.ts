export { compareVersions } from "../meta/compare-versions.js";
export { parseApiVersion } from "../meta/kind.js";
export type {
  ApiCatalog,
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveredSubresource,
  DiscoveredVersion,
  DiscoveryFailure,
} from "./api-catalog.js";
export { findByCategory, findByKind, findByName, listResources } from "./api-catalog.js";
export type { Discovery, DiscoveryOptions } from "./discovery.js";
export { createDiscovery } from "./discovery.js";
export type { FormField, FormFieldLimits, FormFieldType } from "./form-fields.js";
export { getFormFields } from "./form-fields.js";
export type { OpenApi } from "./open-api.js";
export { createOpenApi } from "./open-api.js";
