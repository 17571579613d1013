import type { DeviceTaint, DeviceToleration } from "../../../kinds/resource/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns true if a toleration covers a taint of a device. */
export function toleratesDevice(
  { key = "", effect, operator = "Equal", value = "" }: DeepReadonly<DeviceToleration>,
  taint: DeepReadonly<DeviceTaint>,
): boolean {
  if ((effect ?? taint.effect) !== taint.effect || (key !== "" && key !== taint.key)) return false;
  return operator === "Exists" || value === (taint.value ?? "");
}
