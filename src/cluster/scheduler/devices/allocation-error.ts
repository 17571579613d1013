import { KubestreamError } from "../../../errors/kubestream-error.js";

/** Error of claims or classes that can't be allocated, whatever the devices are. */
export class AllocationError extends KubestreamError {
  override readonly name = "AllocationError";

  static override get className(): string {
    return "AllocationError";
  }
}

/** Error of a search for devices that has taken too many steps. */
export class SearchTimeoutError extends KubestreamError {
  override readonly name = "SearchTimeoutError";

  static override get className(): string {
    return "SearchTimeoutError";
  }

  constructor() {
    super("timed out trying to allocate devices");
  }
}

/** Error of devices that their driver can't prepare for a pod. */
export class DeviceBindingError extends KubestreamError {
  override readonly name = "DeviceBindingError";

  static override get className(): string {
    return "DeviceBindingError";
  }
}
