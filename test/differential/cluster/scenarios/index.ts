import type { Scenario } from "../scenario.js";
import { deployments } from "./deployments.js";
import { cronJobs, jobs } from "./jobs.js";
import { daemonSets, policies, scheduling } from "./others.js";
import { statefulSets } from "./stateful-sets.js";

/** All scenarios. */
export const scenarios: readonly Scenario[] = [
  ...deployments,
  ...statefulSets,
  ...daemonSets,
  ...jobs,
  ...cronJobs,
  ...scheduling,
  ...policies,
];
