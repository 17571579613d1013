import type { Scenario } from "../scenario.js";
import { cronEdges, jobEdges } from "./batch-edges.js";
import { clusterEdges } from "./cluster-edges.js";
import { clusterRoles } from "./cluster-roles.js";
import { componentRules } from "./component-rules.js";
import { conformance } from "./conformance.js";
import { batchRules, daemonSetRules, ownerRules, statefulSetRules } from "./controller-rules.js";
import { dataChanges } from "./data-changes.js";
import { deployments } from "./deployments.js";
import { deviceScenarios } from "./devices.js";
import { editedObjects } from "./edited-objects.js";
import { extendedResourceScenarios } from "./extended-resources.js";
import { cronJobs, jobs } from "./jobs.js";
import { mirroring, topologyHints } from "./network.js";
import { newerFeatures } from "./newer-features.js";
import { nodeEdges } from "./node-edges.js";
import { daemonSets, policies, scheduling } from "./others.js";
import { placement } from "./placement.js";
import { placementChanges } from "./placement-changes.js";
import { policyEdges } from "./policy-edges.js";
import { rolloutEdges } from "./rollout-edges.js";
import { statefulSets } from "./stateful-sets.js";
import { userEdges } from "./user-edges.js";
import { userFeatures } from "./user-features.js";
import { userHistories } from "./user-histories.js";
import { userPolicies } from "./user-policies.js";
import { volumes } from "./volumes.js";
import { workloadChanges } from "./workload-changes.js";
import { workloadEdges } from "./workload-edges.js";

/** Scenarios of clusters with a metrics API. */
export { autoscaling } from "./autoscaling.js";

/** Scenarios of clusters without a metrics API. */
export const scenarios: readonly Scenario[] = [
  ...deployments,
  ...statefulSets,
  ...daemonSets,
  ...jobs,
  ...cronJobs,
  ...scheduling,
  ...policies,
  ...mirroring,
  ...topologyHints,
  ...volumes,
  ...deviceScenarios,
  ...extendedResourceScenarios,
  ...clusterRoles,
  ...workloadEdges,
  ...jobEdges,
  ...cronEdges,
  ...placement,
  ...policyEdges,
  ...workloadChanges,
  ...placementChanges,
  ...dataChanges,
  ...rolloutEdges,
  ...nodeEdges,
  ...clusterEdges,
  ...userEdges,
  ...userFeatures,
  ...userHistories,
  ...userPolicies,
  ...statefulSetRules,
  ...daemonSetRules,
  ...batchRules,
  ...componentRules,
  ...ownerRules,
  ...editedObjects,
  ...newerFeatures,
  ...conformance,
];
