import type { Time } from "./scalars.js";

/**
 * One aspect of an object's state, as controllers report it in `status.conditions`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/condition/
 */
export interface Condition {
  /** Name of the aspect, such as `Ready`; unique within the object. */
  type: string;
  /** Status of the condition. */
  status: "True" | "False" | "Unknown" | (string & {});
  /** Machine-readable reason in CamelCase. */
  reason: string;
  /** Human-readable explanation. */
  message: string;
  /** Time at which `status` last changed. */
  lastTransitionTime: Time;
  /** The `metadata.generation` that the condition was computed for. */
  observedGeneration?: number;
}
