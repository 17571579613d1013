export type { PortStream, TerminalSize } from "../apiserver/kubelets/kubelet.js";
export type { ControllerName } from "./all-controllers.js";
export type { SignerOptions } from "./certificates/signer.js";
export type {
  Cluster,
  ClusterHandles,
  ClusterOptions,
  ClusterSnapshot,
  ControllerHandles,
  UntilOptions,
} from "./cluster.js";
export { createCluster } from "./create-cluster.js";
export type { ClusterEvent } from "./events.js";
export { isAvailable, type Workload } from "./is-available.js";
export { type JoinOptions, joinCluster } from "./join-cluster.js";
export type {
  ContainerOutput,
  ContainerUsage,
  ImageScript,
  ImageScripts,
  ProbeAttempt,
  ProcessContext,
  PullAttempt,
  UsageSample,
} from "./nodes/containers/images.js";
export type { CrashOptions, EvictOptions, NodeHandle, PodHandles, PodSelector } from "./nodes/handles.js";
export type { NodeTemplate } from "./nodes/node-agent.js";
export type { Stage, StageDelay, StageExpression, StageNext, StageSelector, StageSpec } from "./stages/stage.js";
export { ClusterTimeoutError } from "./until.js";
