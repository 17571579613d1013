export type { LevelSpec } from "../fairness/level-limits.js";
export type { FlowControlLookup, FlowControlNames, FlowControlUids } from "./flow-control.js";
export { createFlowControlLookup } from "./flow-control.js";
export type { PriorityLevelDump, QueueDump, RequestDump } from "./flow-control-dumps.js";
export { dumpFlowControl, parsePriorityLevelDump, parseQueueDump, parseRequestDump } from "./flow-control-dumps.js";
export type {
  FlowPlan,
  FlowPlanFlow,
  FlowPlanLevel,
  FlowPlanOptions,
  Percentiles,
  PlannedFlow,
} from "./flow-plan.js";
export type {
  ClassifiedRequest,
  FlowSchemaRules,
  PriorityLevelRules,
  PriorityLevelSeats,
} from "./flow-schema-match.js";
export { matchFlowSchema, prioritySeats } from "./flow-schema-match.js";
export { drawFlowPlan, formatFlowPlan, getShuffleShardingCollision } from "./format-flow-plan.js";
export { planFlowControl } from "./plan-flow-control.js";
