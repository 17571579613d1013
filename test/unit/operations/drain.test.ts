import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { type DrainProgress, drain } from "../../../src/operations/drain.js";
import { DrainError } from "../../../src/operations/drain-error.js";
import {
  type DaemonSetState,
  type DrainedPod,
  type DrainRules,
  decideDrain,
} from "../../../src/operations/drain-plan.js";
import type { TransportRequest } from "../../../src/transport/transport.js";
import { fakeClock } from "../client/fake-clock.js";
import { type Answer, bodyOf, scripted } from "../client/scripted-transport.js";

const controlled = (kind: string, apiVersion = "apps/v1"): NonNullable<DrainedPod["metadata"]> => ({
  ownerReferences: [{ apiVersion, kind, name: "own", uid: "o", controller: true }],
});
const local = { spec: { volumes: [{ emptyDir: {} }] } };
const ended = { status: { phase: "Succeeded" } };
const ago = (ms: number): string => new Date(1_000_000 - ms).toISOString();

describe("drain decides on a pod", () => {
  it.each<[string, DrainedPod, DrainRules, DaemonSetState, string, string?]>([
    ["with a controller", { metadata: controlled("ReplicaSet") }, {}, "unknown", "take"],
    ["without a controller", {}, {}, "unknown", "refuse", "no controller"],
    ["without a controller, with force", {}, { force: true }, "unknown", "take", "no controller"],
    [
      "whose owner isn't a controller",
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "x" }] } },
      {},
      "unknown",
      "refuse",
      "no controller",
    ],
    ["that has ended", ended, {}, "unknown", "take"],
    ["that failed, with local storage", { ...local, status: { phase: "Failed" } }, {}, "unknown", "take"],
    [
      "with local storage",
      { metadata: controlled("Job", "batch/v1"), ...local },
      {},
      "unknown",
      "refuse",
      "emptyDir volumes",
    ],
    [
      "with local storage and force",
      { metadata: controlled("Job", "batch/v1"), ...local },
      { force: true },
      "unknown",
      "refuse",
      "emptyDir volumes",
    ],
    [
      "with local storage and deleteEmptyDirData",
      { metadata: controlled("Job", "batch/v1"), ...local },
      { deleteEmptyDirData: true },
      "unknown",
      "take",
      "emptyDir volumes",
    ],
    [
      "with local storage and deleteEmptyDirData but without a controller",
      local,
      { deleteEmptyDirData: true },
      "unknown",
      "refuse",
      "no controller",
    ],
    ["of a DaemonSet", { metadata: controlled("DaemonSet") }, {}, "exists", "refuse", 'DaemonSet "own"'],
    [
      "of a DaemonSet, with force",
      { metadata: controlled("DaemonSet") },
      { force: true },
      "exists",
      "refuse",
      "ignoreDaemonSets",
    ],
    [
      "of a DaemonSet, with ignoreDaemonSets",
      { metadata: controlled("DaemonSet"), ...local },
      { ignoreDaemonSets: true },
      "exists",
      "leave",
      "DaemonSet",
    ],
    [
      "of a missing DaemonSet",
      { metadata: controlled("DaemonSet") },
      { ignoreDaemonSets: true },
      "missing",
      "refuse",
      "doesn't exist; set force",
    ],
    [
      "of a missing DaemonSet, with force",
      { metadata: controlled("DaemonSet") },
      { force: true },
      "missing",
      "take",
      "doesn't exist",
    ],
    ["of a DaemonSet that has ended", { metadata: controlled("DaemonSet"), ...ended }, {}, "exists", "take"],
    [
      "of a DaemonSet in another API group",
      { metadata: controlled("DaemonSet", "example.com/v1") },
      {},
      "exists",
      "take",
    ],
    [
      "that mirrors a static pod",
      { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } },
      {},
      "unknown",
      "leave",
      "mirror",
    ],
    [
      "deleted longer ago than ignoreDeletedForMs",
      { metadata: { deletionTimestamp: ago(60_001) } },
      { ignoreDeletedForMs: 60_000 },
      "unknown",
      "leave",
      "long ago",
    ],
    [
      "deleted more recently than ignoreDeletedForMs",
      { metadata: { ...controlled("ReplicaSet"), deletionTimestamp: ago(59_000) } },
      { ignoreDeletedForMs: 60_000 },
      "unknown",
      "take",
    ],
    [
      "deleted long ago, without ignoreDeletedForMs",
      { metadata: { ...controlled("ReplicaSet"), deletionTimestamp: ago(1e6) } },
      {},
      "unknown",
      "take",
    ],
  ])("%s", (_, pod, rules, daemonSet, action, reason) => {
    const decision = decideDrain(pod, rules, daemonSet, 1_000_000);
    expect(decision.action).toBe(action);
    if (reason === undefined) expect(decision.reason).toBeUndefined();
    else expect(decision.reason).toContain(reason);
  });
});

const podOf = (name: string): object => ({
  metadata: { name, namespace: "x", uid: `u-${name}`, ...controlled("ReplicaSet") },
});
const pods = (...names: string[]): Answer => ({
  body: { kind: "PodList", apiVersion: "v1", metadata: {}, items: names.map(podOf) },
});
const missing = (name: string): Answer => ({
  status: 404,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404, details: { name } },
});
const status = (code: number, reason: string, cause?: string): Answer => ({
  status: code,
  body: {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: `${reason} it is`,
    reason,
    code,
    ...(cause && { details: { causes: [{ reason: cause, message: "m" }] } }),
  },
});
const done: Answer = { body: { kind: "Status", apiVersion: "v1", status: "Success" } };

/** A node whose pods change with each list; `other` responds to all requests except the cordon and the lists. */
function setup(lists: Answer[], other: (request: TransportRequest, nth: number) => Answer) {
  let nth = 0;
  const transport = scripted(
    ...Array.from({ length: 200 }, () => (request: TransportRequest): Answer => {
      if (request.method === "PATCH") return { body: { kind: "Node", apiVersion: "v1", metadata: { name: "n" } } };
      if (request.path.startsWith("/api/v1/pods?")) return lists.length > 1 ? lists.shift()! : lists[0]!;
      return other(request, nth++);
    }),
  );
  const clock = fakeClock({ auto: true });
  const steps: DrainProgress[] = [];
  return {
    client: createClient({ transport, retry: false }),
    transport,
    clock,
    steps,
    options: { clock, onProgress: (step: DrainProgress) => void steps.push(step) },
  };
}

describe("drain", () => {
  it("cordons the node, evicts its pods by UID and waits until they are gone", async () => {
    const s = setup([pods("a", "b"), pods("a", "b"), pods("b"), pods()], () => done);
    expect(await drain(s.client, "n", { ...s.options, gracePeriodSeconds: 5, podSelector: "app=web" })).toEqual({
      taken: [
        { namespace: "x", name: "a" },
        { namespace: "x", name: "b" },
      ],
      left: [],
    });
    const [cordon, list, first] = s.transport.requests;
    expect([cordon!.path, bodyOf(cordon)]).toEqual(["/api/v1/nodes/n", { spec: { unschedulable: true } }]);
    expect(decodeURIComponent(list!.path)).toMatch(
      /^\/api\/v1\/pods\?labelSelector=app=web&fieldSelector=spec.nodeName=n/,
    );
    expect([first!.path, bodyOf(first)]).toEqual([
      "/api/v1/namespaces/x/pods/a/eviction",
      {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "a" },
        deleteOptions: { gracePeriodSeconds: 5, preconditions: { uid: "u-a" } },
      },
    ]);
    expect(s.steps.map(({ name, step }) => `${name} ${step}`).sort()).toEqual([
      "a ending",
      "a gone",
      "a taken",
      "b ending",
      "b gone",
      "b taken",
    ]);
    expect(s.clock.waits.filter((ms) => ms === 1000)).toHaveLength(2);
  });

  it("removes nothing if a pod may not be removed, and lists such pods", async () => {
    const bare = { metadata: { name: "bare", namespace: "x", uid: "1" } };
    const daemon = { metadata: { name: "daemon", namespace: "x", uid: "2", ...controlled("DaemonSet") } };
    const s = setup([{ body: { kind: "PodList", metadata: {}, items: [podOf("a"), bare, daemon] } }], (request) =>
      request.path.includes("/daemonsets/own")
        ? { body: { kind: "DaemonSet", apiVersion: "apps/v1", metadata: { name: "own" } } }
        : done,
    );
    const error = await drain(s.client, "n", s.options).catch((reason: unknown) => reason as DrainError);
    expect(error).toBeInstanceOf(DrainError);
    expect((error as DrainError).pods.map(({ name }) => name)).toEqual(["bare", "daemon"]);
    expect((error as DrainError).message).toMatch(
      /^drain node "n": 2 pods remain: x\/bare: has no controller .* \(and 1 more\)$/,
    );
    expect(s.transport.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it.each<[string, Answer[], number[]]>([
    [
      "a disruption budget blocks the eviction",
      [status(429, "TooManyRequests", "DisruptionBudget"), status(429, "TooManyRequests", "DisruptionBudget"), done],
      [70, 70],
    ],
    [
      "the server sends Retry-After",
      [{ ...status(429, "TooManyRequests", "DisruptionBudget"), headers: { "retry-after": "3" } }, done],
      [3000],
    ],
    [
      "the server sends a Retry-After of 0",
      [{ ...status(429, "TooManyRequests", "DisruptionBudget"), headers: { "retry-after": "0" } }, done],
      [70],
    ],
    [
      "its namespace is terminating",
      [
        status(403, "Forbidden", "NamespaceTerminating"),
        { body: { kind: "Pod", apiVersion: "v1", ...podOf("a") } },
        done,
      ],
      [70],
    ],
    [
      "the eviction conflicts",
      [status(409, "Conflict"), { body: { kind: "Pod", apiVersion: "v1", ...podOf("a") } }, done],
      [70],
    ],
  ])("retries if %s", async (_, answers, waits) => {
    const s = setup([pods("a"), pods()], (__, nth) => answers[nth]!);
    await drain(s.client, "n", { ...s.options, everyMs: 70 });
    expect(s.clock.waits).toEqual(waits);
  });

  it.each<[string, Answer[], string[]]>([
    ["is already gone", [missing("a")], ["taken", "gone"]],
    [
      "was replaced by another pod of the name",
      [
        status(409, "Conflict"),
        { body: { kind: "Pod", apiVersion: "v1", metadata: { name: "a", namespace: "x", uid: "new" } } },
      ],
      ["taken", "gone"],
    ],
    [
      "terminates with its namespace",
      [
        status(403, "Forbidden", "NamespaceTerminating"),
        {
          body: {
            kind: "Pod",
            apiVersion: "v1",
            metadata: { name: "a", namespace: "x", uid: "u-a", deletionTimestamp: ago(0) },
          },
        },
      ],
      ["taken", "ending", "gone"],
    ],
  ])("reports the steps of a pod that %s", async (_, answers, steps) => {
    const s = setup([pods("a"), pods()], (__, nth) => answers[nth]!);
    await drain(s.client, "n", s.options);
    expect(s.steps.map(({ step }) => step)).toEqual(steps);
  });

  it("removes the other pods if one fails, then rejects with a DrainError", async () => {
    const s = setup([pods("a", "b"), pods("a")], (request) =>
      request.path.includes("/a/") ? status(403, "Forbidden") : done,
    );
    const error = (await drain(s.client, "n", s.options).catch((reason: unknown) => reason)) as DrainError;
    expect(error.pods).toMatchObject([
      { namespace: "x", name: "a", reason: expect.stringContaining("Forbidden it is") as string, error: { code: 403 } },
    ]);
    expect(s.steps.at(-1)).toEqual({ namespace: "x", name: "b", step: "gone" });
  });

  it.each([false, true])(
    "does not count a pod as gone if the server doesn't serve its path (disableEviction: %s)",
    async (disableEviction) => {
      const s = setup([pods("a"), pods("a")], () => status(404, "NotFound"));
      const error = (await drain(s.client, "n", { ...s.options, disableEviction }).catch(
        (reason: unknown) => reason,
      )) as DrainError;
      expect(error.pods).toMatchObject([{ name: "a", error: { code: 404 } }]);
      expect(s.steps.map(({ step }) => step)).not.toContain("gone");
    },
  );

  it("ends by timeoutMs with the remaining pods, or by the caller's signal", async () => {
    const s = setup([pods("a")], () => status(429, "TooManyRequests", "DisruptionBudget"));
    const error = (await drain(s.client, "n", { ...s.options, timeoutMs: 12_000 }).catch(
      (reason: unknown) => reason,
    )) as DrainError;
    expect(error.pods).toMatchObject([
      { name: "a", reason: 'drain node "n": timed out after 12000 ms', error: { code: "ETIMEDOUT" } },
    ]);
    const controller = new AbortController();
    const stuck = setup([pods("a")], () => done);
    const ending = drain(stuck.client, "n", {
      clock: stuck.clock,
      signal: controller.signal,
      onProgress: ({ step }) => void (step === "ending" && controller.abort(new Error("enough"))),
    });
    await expect(ending).rejects.toThrow("enough");
    expect(stuck.clock.pending()).toBe(0);
  });

  it("deletes with disableEviction, and changes nothing in a dry run", async () => {
    const deleted = setup([pods("a"), pods()], () => done);
    await drain(deleted.client, "n", { ...deleted.options, disableEviction: true });
    expect(deleted.transport.requests[2]).toMatchObject({ method: "DELETE", path: "/api/v1/namespaces/x/pods/a" });
    expect(bodyOf(deleted.transport.requests[2])).toMatchObject({ preconditions: { uid: "u-a" } });
    const dry = setup([pods("a")], () => done);
    expect((await drain(dry.client, "n", { ...dry.options, dryRun: "All" })).taken).toHaveLength(1);
    expect(dry.transport.requests.map(({ path }) => path.includes("dryRun=All"))).toEqual([true, false, true]);
    expect(dry.clock.waits).toEqual([]);
  });
});
