import { expect, it } from "vitest";
import { planFlowControl } from "../../../src/flowcontrol/plan-flow-control.js";

const request = { user: "jane", groups: [], verb: "get", group: "", resource: "pods", namespace: "web" };
const resourceRules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }];
const rules = [{ subjects: [{ kind: "Group", group: { name: "*" } }], resourceRules }];
const schemas = [{ metadata: { name: "all" }, spec: { priorityLevelConfiguration: { name: "low" }, rules } }];
const levels = [{ metadata: { name: "low" }, spec: { type: "Limited", limited: { nominalConcurrencyShares: 1 } } }];

it.each([
  ["many requests per second", { requestsPerSecond: 1e6, durationMs: 10 }],
  ["many clients", { clients: 1e9, durationMs: 10 }],
  ["short requests", { clients: 1, durationMs: 0.001 }],
])("planFlowControl rejects a flow of %s instead of simulating it for hours", (_name, flow) => {
  expect(() => planFlowControl({ schemas, levels, flows: [{ name: "flow", request, ...flow }] })).toThrow(
    "flows: more than 2000000 requests",
  );
});
