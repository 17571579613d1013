export type { Cluster, ClusterOptions, UntilOptions } from "./cluster.js";
export type { ControllerName } from "./controllers/all-controllers.js";
export { createCluster } from "./create-cluster.js";
export type { NodeTemplate } from "./nodes/node-agent.js";
export { ClusterTimeoutError } from "./until.js";
