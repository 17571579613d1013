export type { Cluster, ClusterOptions, UntilOptions } from "./cluster.js";
export type { ControllerName } from "./controllers/all-controllers.js";
export { createCluster } from "./create-cluster.js";
export type { CrashOptions, EvictOptions, NodeHandle, PodHandles, PodSelector } from "./nodes/handles.js";
export type {
  ContainerOutput,
  ImageScript,
  ImageScripts,
  PortConnection,
  ProbeAttempt,
  ProcessContext,
  PullAttempt,
} from "./nodes/images.js";
export type { NodeTemplate } from "./nodes/node-agent.js";
export { ClusterTimeoutError } from "./until.js";
