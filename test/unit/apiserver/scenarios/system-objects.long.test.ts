import { describe, expect, it } from "vitest";
import type { Answer } from "./scenario-server.js";
import { base, maps, merge, openScenarios, pods } from "./scenario-server.js";

const { send } = openScenarios();

describe("service account tokens", () => {
  it("are valid only for their audiences in a TokenReview", async () => {
    await send("POST", `${base}/serviceaccounts`, { metadata: { name: "sa" } });
    const { body } = await send("POST", `${base}/serviceaccounts/sa/token`, { spec: { audiences: ["x"] } });
    const { token } = (body as unknown as { status: { token: string } }).status;
    const review = async (audiences?: readonly string[]): Promise<unknown> =>
      (
        (await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } }))
          .body as unknown as { status: unknown }
      ).status;
    expect(await review(["x", "y"])).toMatchObject({
      authenticated: true,
      audiences: ["x"],
      user: {
        username: "system:serviceaccount:default:sa",
        extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=/)] },
      },
    });
    expect(await review(["z"])).toEqual({
      user: {},
      error: '[invalid bearer token, token audiences ["x"] is invalid for the target audiences ["z"]]',
    });
    expect(await review()).toMatchObject({ user: {} });
  });
});

describe("system objects", () => {
  it("system priority classes, and namespaces with another uid, can't be deleted", async () => {
    expect(
      (await send("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical?dryRun=All")).body.message,
    ).toBe(
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    );
    expect((await send("DELETE", "/api/v1/namespaces/default?uid=nope&dryRun=All")).status).toBe(409);
  });

  it("a denied impersonation reports the mode that last succeeded", async () => {
    const rules = [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["bob"] }];
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "imp" }, rules });
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "imp" },
      roleRef: { kind: "ClusterRole", name: "imp" },
      subjects: [{ kind: "User", name: "alice" }],
    });
    const as = async (user: string): Promise<string | undefined> =>
      (await send("GET", `${maps}/held`, undefined, { authorization: "Bearer alice", "impersonate-user": user })).body
        .message;
    expect(await as("eve")).toContain("impersonate-on:user-info:get");
    await as("bob");
    expect(await as("eve")).toContain('users "eve" is forbidden: User "alice" cannot impersonate resource "users"');
  });

  it("an eviction reports why the budget doesn't allow it and when to retry", async () => {
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await send("POST", budgets, {
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { e: "1" } } },
    });
    await send("POST", pods, {
      metadata: { name: "e", labels: { e: "1" } },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    await send(
      "PATCH",
      `${pods}/e/status`,
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
      { "content-type": merge },
    );
    const evict = (): Promise<Answer> => send("POST", `${pods}/e/eviction`, { metadata: { name: "e" } });
    expect(await evict()).toMatchObject({ status: 429, body: { details: { retryAfterSeconds: 10 } } });
    await send(
      "PATCH",
      `${budgets}/b/status`,
      {
        status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1, disruptionsAllowed: 0 },
      },
      { "content-type": merge },
    );
    expect(await evict()).toMatchObject({
      status: 429,
      body: { details: { causes: [{ message: "The disruption budget b does not allow evicting pods currently" }] } },
    });
    await send("PATCH", `${budgets}/b/status`, { status: { disruptionsAllowed: 1 } }, { "content-type": merge });
    expect((await evict()).status).toBe(201);
    expect((await send("GET", `${budgets}/b`)).body).toMatchObject({
      status: {
        disruptionsAllowed: 0,
        conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
      },
    });
  });
});

describe("mandatory flow control objects", () => {
  const base = "/apis/flowcontrol.apiserver.k8s.io/v1";
  it.each([
    ["flowschemas/catch-all", { spec: { matchingPrecedence: 5 } }, "spec of 'catch-all' must equal the fixed value"],
    ["flowschemas/catch-all", { metadata: { labels: { a: "b" } } }, undefined],
    [
      "prioritylevelconfigurations/catch-all",
      { spec: { limited: { nominalConcurrencyShares: 6 } } },
      "spec of 'catch-all' must equal the fixed value",
    ],
    [
      "prioritylevelconfigurations/exempt",
      { spec: { type: "Limited", limited: {} } },
      "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
    ],
    ["prioritylevelconfigurations/exempt", { spec: { exempt: { nominalConcurrencyShares: 9 } } }, undefined],
    ["flowschemas/global-default", { spec: { matchingPrecedence: 9800 } }, undefined],
  ])("%s patched with %j", async (path, change, why) => {
    const { status, body } = await send("PATCH", `${base}/${path}?dryRun=All`, change, { "content-type": merge });
    expect(status, JSON.stringify(body)).toBe(why === undefined ? 200 : 422);
    if (why !== undefined) expect(body.message).toContain(why);
  });
});
