import { describe, expect, it } from "vitest";
import { PlainFailure } from "../../../../src/apiserver/errors/status.js";
import type { FlowControlResource } from "../../../../src/apiserver/flowcontrol/flow-config.js";
import type { FlowControl, FlowRequest } from "../../../../src/apiserver/flowcontrol/flow-control.js";
import { createFlowControl } from "../../../../src/apiserver/flowcontrol/flow-control.js";
import { danglingCondition } from "../../../../src/apiserver/flowcontrol/flow-schema.js";
import { parseRequestInfo } from "../../../../src/apiserver/http/request-info.js";
import type { UserInfo } from "../../../../src/apiserver/http/user-info.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { parsePriorityLevelDump, parseRequestDump } from "../../../../src/flowcontrol/flow-control-dumps.js";
import { bootstrapObjects } from "../../../../src/gen/bootstrap.js";
import type { Clock } from "../../../../src/internal/clock.js";

const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: "", groups, extra: {} });
const anyone = [{ kind: "Group", group: { name: "*" } }];
const anything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const schema = (name: string, level: string, matchingPrecedence: number, rules: unknown[]): ApiObject => ({
  metadata: { name, uid: `uid-${name}` },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    distinguisherMethod: { type: "ByUser" },
    rules,
  },
});
const level = (name: string, nominalConcurrencyShares: number, limitResponse: unknown): ApiObject => ({
  metadata: { name, uid: `uid-${name}` },
  spec: { type: "Limited", limited: { nominalConcurrencyShares, limitResponse } },
});

function manualClock(): Clock & { advance(ms: number): void } {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    setTimer(callback, delayMs) {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return {
        cancel: () => {
          timers = timers.filter((other) => other !== timer);
        },
      };
    },
    advance(ms) {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers = timers.filter((other) => other !== timer);
        timer.callback();
      }
    },
  };
}

function control(
  schemas: ApiObject[],
  levels: ApiObject[],
): { flow: FlowControl; clock: ReturnType<typeof manualClock> } {
  const clock = manualClock();
  const objects: Record<FlowControlResource, ApiObject[]> = {
    flowschemas: schemas,
    prioritylevelconfigurations: levels,
  };
  return {
    flow: createFlowControl({
      clock,
      source: { version: (resource) => objects[resource].length, list: (resource) => objects[resource] },
      seats: 600,
      stock: { objects: () => undefined, watches: () => 0 },
    }),
    clock,
  };
}

const get = (who: UserInfo, path = "/version"): FlowRequest => {
  const query = new URLSearchParams();
  return { user: who, info: parseRequestInfo("GET", path, query), query };
};
const open = new AbortController().signal;
const never = { signal: () => open };
const turnedAway = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "served",
    (error: unknown) => (error instanceof PlainFailure ? error.code : error),
  );

describe("flow control", () => {
  it.each([
    ["system:masters", user("admin", "system:masters"), "/api/v1/pods", "exempt", "exempt"],
    ["health probes", user("system:anonymous", "system:unauthenticated"), "/healthz", "probes", "exempt"],
    [
      "an anonymous user",
      user("system:anonymous", "system:unauthenticated"),
      "/version",
      "global-default",
      "global-default",
    ],
    [
      "a service account",
      user("system:serviceaccount:a:b", "system:serviceaccounts", "system:authenticated"),
      "/api/v1/pods",
      "service-accounts",
      "workload-low",
    ],
    [
      "a service account of kube-system",
      user(
        "system:serviceaccount:kube-system:b",
        "system:serviceaccounts:kube-system",
        "system:serviceaccounts",
        "system:authenticated",
      ),
      "/api/v1/pods",
      "kube-system-service-accounts",
      "workload-high",
    ],
  ])("classifies %s with the default configuration", async (_title, who, path, wantedSchema, wantedLevel) => {
    const all = (bootstrapObjects(["FlowSchema", "PriorityLevelConfiguration"]) as readonly ApiObject[]).map(
      (object) => ({
        ...object,
        metadata: { ...object.metadata, uid: object.metadata!.name! },
      }),
    );
    const { flow } = control(
      all.filter(({ kind }) => kind === "FlowSchema"),
      all.filter(({ kind }) => kind === "PriorityLevelConfiguration"),
    );
    const seat = await flow.enter(get(who, path), 60_000, never);
    expect(seat.headers).toEqual([
      ["X-Kubernetes-Pf-Flowschema-Uid", wantedSchema],
      ["X-Kubernetes-Pf-Prioritylevel-Uid", wantedLevel],
    ]);
    seat.release();
  });

  it("serves one request at a time on a Reject level without seats", async () => {
    const { flow } = control(
      [schema("s", "l", 1, [{ subjects: anyone, ...anything }])],
      [level("l", 0, { type: "Reject" })],
    );
    const first = await flow.enter(get(user("x")), 1000, never);
    await expect(flow.enter(get(user("x")), 1000, never)).rejects.toMatchObject({
      code: 429,
      message: "Too many requests, please try again later.\n",
      headers: [
        ["Cache-Control", "no-cache, private"],
        ["Retry-After", "1"],
        ["X-Kubernetes-Pf-Flowschema-Uid", "uid-s"],
        ["X-Kubernetes-Pf-Prioritylevel-Uid", "uid-l"],
      ],
    });
    first.release();
    first.release();
    const third = await flow.enter(get(user("x")), 1000, never);
    expect(parsePriorityLevelDump(flow.dump("dump_priority_levels", false)!).at(-1)).toMatchObject({
      priorityLevel: "l",
      isIdle: false,
      executingRequests: 1,
      dispatchedRequests: 2,
      rejectedRequests: 1,
    });
    expect(parseRequestDump(flow.dump("dump_requests", false)!)).toMatchObject([
      { priorityLevel: "l", queueIndex: -1, requestIndex: -1, startTime: "1970-01-01T00:00:00Z" },
    ]);
    third.release();
  });

  it("rejects a waiting request after a quarter of its time limit, and at once if the queue is full", async () => {
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 2 };
    const { flow, clock } = control(
      [schema("s", "l", 1, [{ subjects: anyone, ...anything }])],
      [level("l", 0, { type: "Queue", queuing })],
    );
    const slow = turnedAway(flow.enter(get(user("x")), 60_000, never));
    const quick = turnedAway(flow.enter(get(user("y")), 2000, never));
    expect(await turnedAway(flow.enter(get(user("z")), 2000, never))).toBe(429);
    const waiting = parseRequestDump(flow.dump("dump_requests", true)!);
    expect(waiting.map(({ requestIndex, startTime, details }) => [requestIndex, startTime, details?.userName])).toEqual(
      [
        [0, "0001-01-01T00:00:00Z", "x"],
        [1, "0001-01-01T00:00:00Z", "y"],
      ],
    );
    clock.advance(500);
    expect(await quick).toBe(429);
    clock.advance(14_500);
    expect(await slow).toBe(429);
  });

  it("gives a freed seat to the next in the queue, and forgets a client that left", async () => {
    const queuing = { queues: 2, handSize: 1, queueLengthLimit: 5 };
    const { flow } = control(
      [schema("s", "l", 1, [{ subjects: anyone, ...anything }])],
      [level("l", 1, { type: "Queue", queuing }), level("rest", 599, { type: "Reject" })],
    );
    const first = await flow.enter(get(user("x")), 1000, never);
    const gone = new AbortController();
    const second = flow.enter(get(user("y")), 1000, { signal: () => gone.signal });
    const third = flow.enter(get(user("z")), 1000, never);
    gone.abort(new Error("left"));
    await expect(second).rejects.toThrow("left");
    first.release();
    (await third).release();
  });

  it("maintains the Dangling condition and its time", () => {
    const dangling = schema("s", "l", 1, []);
    const condition = danglingCondition(dangling, new Set(), 1_700_000_000_123);
    expect(condition).toEqual({
      type: "Dangling",
      status: "True",
      lastTransitionTime: "2023-11-14T22:13:20Z",
      reason: "NotFound",
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "l" but there is no such object',
    });
    const held = { ...dangling, status: { conditions: [condition] } };
    expect(danglingCondition(held, new Set(), 1_800_000_000_000)).toBeUndefined();
    expect(danglingCondition(held, new Set(["l"]), 1_800_000_000_000)).toMatchObject({
      status: "False",
      reason: "Found",
    });
  });
});

it("server lists FlowSchemas in tables by precedence and then by name, and elsewhere by name", async () => {
  const server = createApiServer();
  const path = "http://server/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const table = (await (await server.handle(new Request(path, { headers: { accept } }))).json()) as {
    rows: { cells: unknown[] }[];
  };
  const rows = table.rows.map(({ cells }) => `${String(cells[2])} ${String(cells[0])}`);
  expect(rows).toHaveLength(11);
  expect(rows).toEqual([...rows].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1)));
  expect(rows[0]).toBe("1 exempt");
  const list = (await (await server.handle(new Request(path))).json()) as { items: { metadata: { name: string } }[] };
  expect(list.items[0]!.metadata.name).toBe("catch-all");
  await server.close();
});
