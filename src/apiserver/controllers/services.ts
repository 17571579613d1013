import type { AggregatedApis } from "../aggregation/aggregated-apis.js";
import type { RegistryServices } from "../registry/services.js";

/** Services that the controllers need. */
export interface ControllerServices extends RegistryServices {
  /** The API versions that other servers serve. */
  readonly aggregated: AggregatedApis;
  /** Reports an error of a controller. */
  readonly reportError: (error: unknown) => void;
}
