import type { RegistryServices } from "../registry/services.js";

/** Services that the controllers need. */
export interface ControllerServices extends RegistryServices {
  /** Reports an error of a controller. */
  readonly reportError: (error: unknown) => void;
}
