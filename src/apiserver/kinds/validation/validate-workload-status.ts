import type { FieldError } from "../../errors/field-error.js";
import { invalid, nonNegative } from "../shared/field-errors.js";

interface Counted {
  readonly status?: object;
}

type Rule = (object: Counted, old: Counted) => FieldError[];

interface Counts {
  /** Numbers of zero or more. */
  readonly counts: readonly string[];
  /** Numbers that may not be over `replicas`. */
  readonly parts?: readonly string[];
  /** What is said of more available replicas than ready ones. */
  readonly available?: string;
  /** Whether `collisionCount` only grows. */
  readonly collisions?: boolean;
}

function rule({ counts, parts = [], available, collisions = false }: Counts): Rule {
  return (object, old) => {
    const status = (object.status ?? {}) as Readonly<Record<string, number | undefined>>;
    const before = (old.status ?? {}) as Readonly<Record<string, number | undefined>>;
    const errors = counts.flatMap((key) => nonNegative(`status.${key}`, status[key]));
    for (const key of parts)
      if ((status[key] ?? 0) > (status["replicas"] ?? 0))
        errors.push(invalid(`status.${key}`, status[key] ?? 0, "cannot be greater than status.replicas"));
    if (available !== undefined && (status["availableReplicas"] ?? 0) > (status["readyReplicas"] ?? 0))
      errors.push(invalid("status.availableReplicas", status["availableReplicas"], available));
    const known = before["collisionCount"];
    if (collisions && known !== undefined && (status["collisionCount"] ?? -1) < known)
      errors.push(invalid("status.collisionCount", status["collisionCount"] ?? 0, "cannot be decremented"));
    return errors;
  };
}

const READY = "cannot be greater than readyReplicas";
const replicas = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
const labeled = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

/** Rules on the numbers that controllers write down, by resource. */
export const workloadStatus: Readonly<
  Record<"deployment" | "replicaSet" | "replicationController" | "statefulSet" | "daemonSet", Rule>
> = {
  deployment: rule({
    counts: [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    parts: ["updatedReplicas", "readyReplicas", "availableReplicas"],
    available: READY,
    collisions: true,
  }),
  replicaSet: rule({ counts: [...replicas, "terminatingReplicas"], parts: labeled, available: READY }),
  replicationController: rule({ counts: replicas, parts: labeled, available: READY }),
  statefulSet: rule({
    counts: [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ],
    parts: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    available: "cannot be greater than status.readyReplicas",
    collisions: true,
  }),
  daemonSet: rule({
    counts: [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
    collisions: true,
  }),
};
