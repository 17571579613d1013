// Authorizers that need no webhook, compared with a kube-apiserver that reads the same files and flags.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type ServerPair, startPair } from "../server-pair.js";
import { type Action, decide, files, pods } from "./access-reviews.js";

const missing = missingReason();
let pair: ServerPair;

describe.skipIf(missing !== undefined)("authorizers compared with a real server", () => {
  afterEach(async () => {
    await pair.stop();
  });

  it("--authorization-mode=ABAC,AlwaysDeny evaluates the lines of the policy file", async () => {
    const folder = createServerFolder();
    const line = (spec: object): string =>
      JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });
    const policies = files(folder)(
      "policies.jsonl",
      [
        "# policies",
        line({ user: "ann", namespace: "*", resource: "*", apiGroup: "*" }),
        line({ group: "dev", namespace: "team", resource: "pods", readonly: true }),
        line({ user: "*", nonResourcePath: "/version*", readonly: true }),
        line({ user: "bea", nonResourcePath: "*" }),
        line({ user: "cid", namespace: "team", resource: "*", apiGroup: "apps" }),
        line({ user: "dot", group: "ops", namespace: "*", resource: "secrets", apiGroup: "*" }),
        '{"user":"old","resource":"pods"}',
        "",
      ].join("\n"),
    );
    pair = await startPair(folder, ["--authorization-mode=ABAC,AlwaysDeny", `--authorization-policy-file=${policies}`]);
    const loggedIn = ["system:authenticated"];
    const rows: readonly (readonly [string, readonly string[], Action, string])[] = [
      ["ann", [], { verb: "delete", group: "apps", resource: "deployments", namespace: "x" }, "allowed"],
      ["ann", [], { verb: "get", path: "/metrics" }, "no opinion"],
      ["joe", ["dev"], pods("list"), "allowed"],
      ["joe", ["dev"], pods("watch"), "allowed"],
      ["joe", ["dev"], pods("delete"), "no opinion"],
      ["joe", ["dev"], pods("list", "other"), "no opinion"],
      ["joe", ["dev"], pods("list", "team", { subresource: "log" }), "allowed"],
      ["joe", ["dev"], pods("get", "team", { group: "metrics.k8s.io" }), "no opinion"],
      ["joe", [], { verb: "get", path: "/version" }, "no opinion"],
      ["joe", loggedIn, { verb: "get", path: "/version" }, "allowed"],
      ["joe", loggedIn, { verb: "post", path: "/version" }, "no opinion"],
      ["joe", loggedIn, { verb: "get", path: "/versions/x" }, "allowed"],
      ["joe", loggedIn, { verb: "get", path: "/api" }, "no opinion"],
      ["bea", [], { verb: "delete", path: "/anything" }, "allowed"],
      ["bea", [], pods("get"), "no opinion"],
      ["cid", [], { verb: "create", group: "apps", resource: "deployments", namespace: "team" }, "allowed"],
      ["cid", [], { verb: "create", group: "batch", resource: "jobs", namespace: "team" }, "no opinion"],
      ["cid", [], { verb: "list", group: "apps", resource: "deployments" }, "no opinion"],
      ["dot", ["ops"], { verb: "get", resource: "secrets", namespace: "x" }, "allowed"],
      ["dot", [], { verb: "get", resource: "secrets", namespace: "x" }, "no opinion"],
      ["eve", ["ops"], { verb: "get", resource: "secrets", namespace: "x" }, "no opinion"],
      ["old", [], pods("delete", "any"), "allowed"],
      ["old", [], { verb: "get", resource: "secrets", namespace: "any" }, "no opinion"],
      ["", ["system:masters"], pods("delete"), "allowed"],
    ];
    for (const [user, groups, action, expected] of rows)
      expect([user, groups, action, await decide(pair, user, groups, action)]).toEqual([
        user,
        groups,
        action,
        expected,
      ]);
    for (const path of ["/version", "/api", "/apis/apps/v1/deployments", "/api/v1/namespaces/team/pods"]) {
      const { real, own } = await pair.both({ path, token: "alice-token" });
      expect([path, own.status]).toEqual([path, real.status]);
    }
  });

  it("--authorization-mode=RBAC,AlwaysAllow allows what RBAC doesn't, and --anonymous-auth=false refuses strangers", async () => {
    pair = await startPair(createServerFolder(), ["--authorization-mode=RBAC,AlwaysAllow", "--anonymous-auth=false"]);
    expect(await decide(pair, "anyone", [], pods("delete"))).toBe("allowed");
    for (const [path, status] of [
      ["/api/v1/secrets", 200],
      ["/metrics", 200],
      ["/debug/api_priority_and_fairness/dump_queues", 200],
    ] as const) {
      const { real, own } = await pair.both({ path, token: "alice-token" });
      expect([path, real.status, own.status]).toEqual([path, status, status]);
    }
    for (const path of ["/version", "/api", "/metrics", "/healthz", "/livez", "/readyz"]) {
      const { real, own } = await pair.both({ path, token: "" });
      expect([path, own.status]).toEqual([path, real.status]);
    }
  });
});

if (missing !== undefined) {
  beforeAll(() => console.log(`authorizers compared with a real server: skipped: ${missing}`));
}
