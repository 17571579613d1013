import type { AggregatedApis } from "../aggregation/aggregated-apis.js";
import type { KubeletConnection } from "../kubelets/kubelet.js";
import type { RegistryServices } from "../registry/services.js";

/** Services that the controllers need. */
export interface ControllerServices extends RegistryServices {
  /** Connection to the nodes' kubelets; `undefined` if no kubelet runs pods. */
  readonly kubelets: KubeletConnection | undefined;
  /** The API versions that other servers serve. */
  readonly aggregated: AggregatedApis;
  /** Reports an error of a controller. */
  readonly reportError: (error: unknown) => void;
}
