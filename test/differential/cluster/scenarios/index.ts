import type { Scenario } from "../scenario.js";
import { clusterRoles } from "./cluster-roles.js";
import { deployments } from "./deployments.js";
import { cronJobs, jobs } from "./jobs.js";
import { mirroring } from "./network.js";
import { daemonSets, policies, scheduling } from "./others.js";
import { statefulSets } from "./stateful-sets.js";
import { volumes } from "./volumes.js";

/** All scenarios. */
export const scenarios: readonly Scenario[] = [
  ...deployments,
  ...statefulSets,
  ...daemonSets,
  ...jobs,
  ...cronJobs,
  ...scheduling,
  ...policies,
  ...mirroring,
  ...volumes,
  ...clusterRoles,
];
