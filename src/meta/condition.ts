import type { Time } from "./scalars.js";

/**
 * One aspect of an object's state, as controllers write it into `status.conditions`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/condition/
 */
export interface Condition {
  /** The aspect, as `Ready`; at most one condition of a type. */
  type: string;
  /** Whether it holds. */
  status: "True" | "False" | "Unknown" | (string & {});
  /** Why, as one CamelCase word. */
  reason: string;
  /** Why, for people. */
  message: string;
  /** When `status` last changed. */
  lastTransitionTime: Time;
  /** The `metadata.generation` that the condition was made from. */
  observedGeneration?: number;
}
