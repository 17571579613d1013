import type { RegistryServices } from "../registry/services.js";

/** Services that the controllers need. */
export interface ControllerServices extends RegistryServices {
  /** Reports what a controller failed at. */
  readonly reportError: (error: unknown) => void;
}
