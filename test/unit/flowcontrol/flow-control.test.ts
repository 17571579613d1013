import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { createFlowControlLookup } from "../../../src/flowcontrol/flow-control.js";
import {
  parsePriorityLevelDump,
  parseQueueDump,
  parseRequestDump,
} from "../../../src/flowcontrol/flow-control-dumps.js";
import { type FlowSchemaRules, matchFlowSchema, prioritySeats } from "../../../src/flowcontrol/flow-schema-match.js";
import { fakeClock } from "../client/fake-clock.js";
import { scripted } from "../client/scripted-transport.js";

const recorded = (name: string): string => readFileSync(new URL(`recorded/${name}`, import.meta.url), "utf8");

describe("flow control dumps of a real server:", () => {
  it("parsePriorityLevelDump reads priority levels", () => {
    const levels = parsePriorityLevelDump(recorded("apf.dump_priority_levels.bin"));
    expect(levels.map((l) => l.priorityLevel)).toEqual([
      "catch-all",
      "exempt",
      "global-default",
      "leader-election",
      "node-high",
      "system",
      "workload-high",
      "workload-low",
    ]);
    expect(levels[1]).toEqual({
      priorityLevel: "exempt",
      activeQueues: 0,
      isIdle: false,
      isQuiescing: false,
      waitingRequests: 0,
      executingRequests: 1,
      dispatchedRequests: 609,
      rejectedRequests: 0,
      timedoutRequests: 0,
      cancelledRequests: 0,
    });
  });

  it("parseQueueDump reads queues", () => {
    expect(parseQueueDump(recorded("apf.dump_queues.bin"))[10]).toEqual({
      priorityLevel: "workload-low",
      index: 10,
      pendingRequests: 0,
      executingRequests: 0,
      seatsInUse: 0,
      nextDispatchR: 0,
      initialSeatsSum: 0,
      maxSeatsSum: 0,
      totalWorkSum: 0,
    });
  });

  it("parseRequestDump reads requests", () => {
    expect(parseRequestDump(recorded("apf.dump_requests.bin"))).toEqual([
      {
        priorityLevel: "exempt",
        flowSchema: "exempt",
        queueIndex: -1,
        requestIndex: -1,
        flowDistinguisher: "",
        arriveTime: "2026-11-20T14:02:37.166492333Z",
        startTime: "2026-11-20T14:02:37.166492333Z",
        initialSeats: 1,
        finalSeats: 0,
        additionalLatency: "0s",
        details: {
          userName: "admin",
          verb: "get",
          path: "/debug/api_priority_and_fairness/dump_requests",
          namespace: "",
          name: "",
          apiVersion: "",
          resource: "",
          subresource: "",
        },
      },
    ]);
  });

  it("parseRequestDump reads names with commas and non-ASCII characters", () => {
    const text = [
      "PriorityLevelName, FlowSchemaName, UserName,       Verb",
      "a,                 b,              jöe, the 😀,    get",
    ].join("\n");
    const row = () => parseRequestDump(text.replace("UserName", "UserName"));
    expect(row).toThrow("column QueueIndex is missing");
    const full = recorded("apf.dump_requests.bin").replace("admin,    get,", "a, bö 😀,  get,");
    expect(parseRequestDump(full)[0]!.details).toMatchObject({ userName: "a, bö 😀", verb: "get" });
  });

  it.each(["", "<html>", "PriorityLevelName, Other\nx, y"])("parsePriorityLevelDump rejects %j", (text) =>
    expect(() => parsePriorityLevelDump(text)).toThrow(/column .* is missing/),
  );
});

describe("createFlowControlLookup", () => {
  const list = (name: string, uid: string) => ({
    body: {
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: {},
      items: [{ metadata: { name, uid } }],
    },
  });
  it("lists names on demand, and for unknown UIDs at most every 30 s", async () => {
    const transport = scripted(list("fs", "1"), list("pl", "2"), list("fs3", "3"), list("pl", "2"));
    const clock = fakeClock();
    const lookup = createFlowControlLookup(createClient({ transport }), { clock });
    expect(await lookup.names({})).toEqual({});
    expect(transport.requests).toHaveLength(0);
    expect(await lookup.names({ flowSchemaUid: "1", priorityLevelUid: "2" })).toEqual({
      flowSchema: "fs",
      priorityLevel: "pl",
    });
    expect(await lookup.names({ flowSchemaUid: "3" })).toEqual({});
    expect(transport.requests).toHaveLength(2);
    await clock.advance(30_000);
    expect(await lookup.names({ flowSchemaUid: "3" })).toEqual({ flowSchema: "fs3" });
    expect(transport.requests).toHaveLength(4);
  });

  it("lists once for all waiting calls, and each ends with its own signal", async () => {
    const transport = scripted(list("fs", "1"), list("pl", "2"));
    const lookup = createFlowControlLookup(createClient({ transport }), { clock: fakeClock() });
    const first = new AbortController();
    const aborted = lookup.names({ flowSchemaUid: "1" }, { signal: first.signal });
    const others = [lookup.names({ flowSchemaUid: "1" }), lookup.names({ priorityLevelUid: "2" })];
    first.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect(await Promise.all(others)).toEqual([{ flowSchema: "fs" }, { priorityLevel: "pl" }]);
    expect(transport.requests).toHaveLength(2);
  });

  it("lists at most every 30 s if that fails", async () => {
    const refused = { status: 403, body: { kind: "Status", status: "Failure", reason: "Forbidden", code: 403 } };
    const transport = scripted(refused, refused, list("fs", "1"), list("pl", "2"));
    const clock = fakeClock();
    const lookup = createFlowControlLookup(createClient({ transport, retry: false }), { clock });
    await expect(lookup.names({ flowSchemaUid: "1" })).rejects.toMatchObject({ code: 403 });
    expect(await lookup.names({ flowSchemaUid: "1" })).toEqual({});
    await clock.advance(30_000);
    expect(await lookup.names({ flowSchemaUid: "1" })).toEqual({ flowSchema: "fs" });
  });
});

describe("matchFlowSchema", () => {
  const schema = (name: string, matchingPrecedence: number, rule: object): FlowSchemaRules => ({
    metadata: { name },
    spec: { matchingPrecedence, priorityLevelConfiguration: { name: "p" }, rules: [rule as never] },
  });
  const all = {
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  };
  const schemas = [
    schema("z-everyone", 9900, { subjects: [{ kind: "Group", group: { name: "system:authenticated" } }], ...all }),
    schema("accounts", 9000, {
      subjects: [{ kind: "ServiceAccount", serviceAccount: { namespace: "ci", name: "*" } }],
      ...all,
    }),
    schema("b-leases", 200, {
      subjects: [{ kind: "User", user: { name: "*" } }],
      resourceRules: [
        {
          verbs: ["get", "update"],
          apiGroups: ["coordination.k8s.io"],
          resources: ["leases"],
          namespaces: ["kube-system"],
        },
      ],
    }),
    schema("a-leases", 200, {
      subjects: [{ kind: "User", user: { name: "joe" } }],
      resourceRules: [
        { verbs: ["get"], apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: ["kube-system"] },
      ],
    }),
    schema("probes", 2, {
      subjects: [{ kind: "Group", group: { name: "*" } }],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/livez/*"] }],
    }),
  ];
  it.each([
    [
      {
        user: "joe",
        groups: [],
        verb: "get",
        group: "coordination.k8s.io",
        resource: "leases",
        namespace: "kube-system",
      },
      "a-leases",
    ],
    [
      {
        user: "jane",
        groups: [],
        verb: "get",
        group: "coordination.k8s.io",
        resource: "leases",
        namespace: "kube-system",
      },
      "b-leases",
    ],
    [
      {
        user: "jane",
        groups: ["system:authenticated"],
        verb: "get",
        group: "coordination.k8s.io",
        resource: "leases",
        namespace: "other",
      },
      "z-everyone",
    ],
    [{ user: "jane", groups: [], verb: "get", group: "coordination.k8s.io", resource: "leases" }, undefined],
    [
      {
        user: "system:serviceaccount:ci:bot",
        groups: ["system:authenticated"],
        verb: "list",
        group: "",
        resource: "pods",
      },
      "accounts",
    ],
    [
      {
        user: "system:serviceaccount:ci2:bot",
        groups: ["system:authenticated"],
        verb: "list",
        group: "",
        resource: "pods",
      },
      "z-everyone",
    ],
    [{ user: "x", groups: [], verb: "get", path: "/livez/ping" }, "probes"],
    [{ user: "x", groups: [], verb: "get", path: "/livez" }, undefined],
    [{ user: "x", groups: [], verb: "post", path: "/healthz" }, undefined],
  ])("%j matches %s", (request, name) => expect(matchFlowSchema(schemas, request)?.metadata?.name).toBe(name));
});

it("prioritySeats computes the seats of priority levels like the server", () => {
  const limited = (
    name: string,
    nominalConcurrencyShares: number,
    lendablePercent: number,
    borrowingLimitPercent?: number,
  ) => ({
    metadata: { name },
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares,
        lendablePercent,
        ...(borrowingLimitPercent !== undefined && { borrowingLimitPercent }),
      },
    },
  });
  // The server's built-in levels at its default limits of 400 and 200.
  const levels = [
    limited("catch-all", 5, 0),
    limited("global-default", 20, 50),
    limited("leader-election", 10, 0),
    limited("node-high", 40, 25),
    limited("system", 30, 33),
    limited("workload-high", 40, 50),
    limited("workload-low", 100, 90, 10),
    { metadata: { name: "exempt" }, spec: { type: "Exempt", exempt: {} } },
  ];
  expect(prioritySeats(levels, 600).map((l) => `${l.name} ${l.nominal} ${l.lower} ${l.upper ?? "-"}`)).toEqual([
    "catch-all 13 13 -",
    "global-default 49 24 -",
    "leader-election 25 25 -",
    "node-high 98 73 -",
    "system 74 50 -",
    "workload-high 98 49 -",
    "workload-low 245 24 270",
    "exempt 0 0 -",
  ]);
  expect(prioritySeats([], 600)).toEqual([]);
});
