import { describe, expect, it } from "vitest";
import { readPlan } from "../../../src/cli/commands/flowcontrol.js";
import type { FlowPlan, PlannedFlow } from "../../../src/flowcontrol/flow-plan.js";
import {
  drawFlowPlan,
  formatFlowPlan,
  getShuffleShardingCollision,
} from "../../../src/flowcontrol/format-flow-plan.js";
import { planFlowControl } from "../../../src/flowcontrol/plan-flow-control.js";

const text = `
kind: PriorityLevelConfiguration
metadata: { name: small }
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    borrowingLimitPercent: 0
    limitResponse: { type: Queue, queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } }
---
kind: FlowSchema
metadata: { name: small }
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration: { name: small }
  distinguisherMethod: { type: ByUser }
  rules:
  - subjects: [{ kind: Group, group: { name: zoo } }]
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }]
---
flows:
- name: elephant
  request: { user: elephant, groups: [zoo], verb: list, resource: pods }
  clients: 60
  durationMs: 3000
- name: mouse
  request: { user: mouse, groups: [zoo], verb: get, resource: pods }
  clients: 20
  durationMs: 1.5
  fromSeconds: 20
`;
const plan = (seed = 1): FlowPlan => planFlowControl(readPlan(text, { serverSeats: 600, seconds: 60, seed }));
const once = plan();

describe("planFlowControl", () => {
  it("shows that a mouse gets through a crowd of elephants, which wait", () => {
    const { flows, levels } = once;
    const [elephant, mouse] = flows;
    expect(levels.find(({ name }) => name === "small")).toMatchObject({ nominal: 3, mostUsed: 3, borrowed: 0 });
    expect(mouse).toMatchObject({ flowSchema: "small", priorityLevel: "small", rejected: 0 });
    expect(mouse!.served / 40).toBeGreaterThan(20);
    expect(mouse!.waitMs.p50).toBeLessThan(200);
    expect(elephant!.waitMs.p50).toBeGreaterThan(10_000);
    expect(elephant!.timedOut).toBeGreaterThan(0);
    for (const { requests, served, rejected, timedOut } of flows) expect(served + rejected + timedOut).toBe(requests);
  });

  it("gives the same plan for the same seed", () => {
    expect(plan()).toEqual(once);
  });

  it("borrows seats from idle levels and counts them", () => {
    const busy: PlannedFlow = {
      name: "busy",
      request: {
        user: "alice",
        groups: ["system:authenticated"],
        verb: "get",
        group: "",
        resource: "pods",
        namespace: "a",
      },
      requestsPerSecond: 300,
      durationMs: 1000,
    };
    const base = readPlan(text, {});
    const { flows, levels } = planFlowControl({ ...base, flows: [busy], seconds: 40 });
    const level = levels.find(({ name }) => name === "global-default")!;
    expect(flows[0]!.priorityLevel).toBe("global-default");
    expect(level.nominal).toBeLessThan(60);
    expect(level.borrowed).toBeGreaterThan(100);
    expect(level.mostSeats).toBeGreaterThan(level.nominal + 100);
  });

  it.each([
    [{ seconds: 0 }, "seconds must be a number greater than 0"],
    [{ serverSeats: Number.NaN }, "serverSeats must be"],
    [{ levels: [] }, "flows[0].request: FlowSchema small refers to the missing level small"],
    [{ schemas: [] }, "flows[0].request: no FlowSchema matches"],
    [{ flows: [{ durationMs: 0 }] }, "flows[0].durationMs must be"],
    [{ flows: [{ clients: undefined }] }, "flows[0]: set either requestsPerSecond or clients"],
  ])("refuses %j", (change, message) => {
    const base = readPlan(text, { seconds: 10 });
    const [first] = base.flows;
    const flows = "flows" in change ? change.flows.map((flow) => ({ ...first!, ...flow })) : base.flows;
    expect(() => planFlowControl({ ...base, ...change, flows })).toThrow(message);
  });
});

describe("readPlan", () => {
  it.each([
    ["kind: Pod", "document 1: expected a FlowSchema"],
    ["flows: 3", "document 1: flows must be a list"],
    ["flows: [{ durationMs: 1 }]", "document 1: flows[0].request.user is required"],
    ["kind: FlowSchema", "the file has no document with flows"],
    ["3", "document 1: expected an object"],
  ])("refuses %j", (document, message) => expect(() => readPlan(document, {})).toThrow(message));
});

describe("the printed plan", () => {
  it("lists collisions, levels and flows", () => {
    const lines = formatFlowPlan(once).split("\n");
    const row = (start: string): string | undefined => lines.filter((line) => line.startsWith(start)).at(-1);
    expect(lines.find((line) => line.startsWith("small"))).toMatch(/^small +64 +8 +2\.26e-10 +0\.000489 +0\.359$/);
    expect(row("FLOW")).toContain("TIMED OUT");
    expect(row("mouse")).toMatch(/^mouse +small +small +\d+ +[\d.]+ +100\.0% +0\.0% +0\.0% /);
  });

  it("draws a bar for each flow, and escapes names", () => {
    const drawn = drawFlowPlan({ ...once, flows: [{ ...once.flows[0]!, name: "<b>&" }] });
    expect(drawn).toMatch(/^<svg /);
    expect(drawn).toContain("&#60;b&#62;&#38;");
    expect(drawn.match(/<rect /g)).toHaveLength(4);
  });
});

describe("getShuffleShardingCollision", () => {
  it("computes the documented figures", () => {
    expect(getShuffleShardingCollision({ queues: 32, handSize: 12, elephants: 1 })).toBeCloseTo(
      4.428838398950118e-9,
      22,
    );
  });
  it.each([
    [{ queues: 0, handSize: 1, elephants: 1 }, "queues"],
    [{ queues: 8, handSize: 9, elephants: 1 }, "handSize must be an integer from 1 to 8"],
    [{ queues: 8, handSize: 2, elephants: 0.5 }, "elephants"],
  ])("refuses %j", (options, message) => expect(() => getShuffleShardingCollision(options)).toThrow(message));
});
