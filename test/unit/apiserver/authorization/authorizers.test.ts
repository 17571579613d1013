import { afterEach, describe, expect, it } from "vitest";
import type { AuthorizationOptions } from "../../../../src/apiserver/authorization/options.js";
import type { WebhookCall } from "../../../../src/apiserver/http/webhook-caller.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import type { Clock } from "../../../../src/internal/clock.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { startServer } from "../../../support/start-server.js";

let server: ApiServer;
afterEach(() => server.close());

const user = (name: string, ...groups: string[]): { name: string; uid: string; groups: string[]; extra: object } => ({
  name,
  uid: "",
  groups,
  extra: {},
});
const tokens = new Map([
  ["root", user("root", "system:masters")],
  ["jane", user("jane", "dev")],
]) as never;

function start(options: AuthorizationOptions, more: object = {}): void {
  server = createApiServer({ controllers: false, tokens, ...options, ...more });
}

async function get(path: string, token = "jane"): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await server.handle(new Request(`http://server${path}`, { headers }))).status;
}

async function review(kind: string, spec: object, token = "root"): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ apiVersion: "authorization.k8s.io/v1", kind, spec });
  const url = `http://server/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`;
  const response = await server.handle(new Request(url, { method: "POST", headers, body }));
  return ((await response.json()) as { status: Record<string, unknown> }).status;
}

const pods = { resourceAttributes: { verb: "list", resource: "pods", namespace: "team" } };

describe("authorizers in order", () => {
  it.each([
    [["RBAC"], 403],
    [["AlwaysDeny"], 403],
    [["AlwaysDeny", "AlwaysAllow"], 200],
    [["RBAC", "AlwaysAllow"], 200],
    [["Node", "RBAC"], 403],
  ] as const)(
    "%j answers a user without rights with %d, and system:masters with 200",
    async (authorizationMode, code) => {
      start({ authorizationMode });
      expect(await get("/api/v1/pods")).toBe(code);
      expect(await get("/api/v1/pods", "root")).toBe(200);
    },
  );

  it("asks a function, whose denial is final", async () => {
    start({
      authorizationMode: [
        ({ resource, name }) => ({ allowed: name === "x", denied: resource === "secrets", reason: "mine" }),
        "AlwaysAllow",
      ],
    });
    expect(await get("/api/v1/namespaces/a/configmaps")).toBe(200);
    expect(await get("/api/v1/namespaces/a/secrets")).toBe(403);
    expect(await review("SubjectAccessReview", { user: "x", resourceAttributes: { resource: "secrets" } })).toEqual({
      allowed: false,
      denied: true,
      reason: "mine",
    });
  });

  it("answers 500 if no authorizer allows the request and one failed", async () => {
    const failing = (): never => {
      throw new Error("broken");
    };
    start({ authorizationMode: [failing, "RBAC"] });
    expect(await get("/api/v1/pods")).toBe(500);
    expect(await review("SubjectAccessReview", { user: "x", ...pods })).toEqual({
      allowed: false,
      evaluationError: "broken",
    });
  });

  it("lets CEL conditions wait for an asynchronous authorizer", async () => {
    const allowed = new Set<string>();
    start({
      authorizationMode: [
        async ({ verb, user: { name } }) => {
          await Promise.resolve();
          return { allowed: verb !== "mark" || allowed.has(name), reason: "" };
        },
      ],
    });
    const headers = { authorization: "Bearer jane", "content-type": "application/json" };
    const post = async (path: string, body: object): Promise<number> =>
      (
        await server.handle(
          new Request(`http://server${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
        )
      ).status;
    const group = "/apis/admissionregistration.k8s.io/v1";
    await post(`${group}/validatingadmissionpolicies`, {
      metadata: { name: "p" },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        },
        validations: [{ expression: 'authorizer.group("").resource("configmaps").check("mark").allowed()' }],
      },
    });
    await post(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name: "b" },
      spec: { policyName: "p", validationActions: ["Deny"] },
    });
    const create = (name: string): Promise<number> =>
      post("/api/v1/namespaces/default/configmaps", { metadata: { name } });
    expect(await create("a")).toBe(422);
    allowed.add("jane");
    expect(await create("b")).toBe(201);
  });
});

describe("authorization webhook", () => {
  let calls: WebhookCall[] = [];
  let nowMs = 0;
  const clock: Clock = { ...systemClock, monotonic: () => nowMs };
  const answering = (status: (spec: Record<string, unknown>) => object): object => {
    calls = [];
    nowMs = 0;
    return {
      clock,
      webhooks: (call: WebhookCall) => {
        calls.push(call);
        return Promise.resolve({ status: status((call.body as { spec: Record<string, unknown> }).spec) });
      },
    };
  };
  const authorizationWebhook = { url: "https://authz.example/", authorizedTtlMs: 1000, unauthorizedTtlMs: 100 };

  it("gets a SubjectAccessReview, whose result is cached for the time of its outcome", async () => {
    start(
      { authorizationMode: "Webhook", authorizationWebhook },
      answering((spec) => ({ allowed: JSON.stringify(spec).includes("services") })),
    );
    const statuses: number[] = [];
    for (const at of [0, 50, 200, 1100]) {
      nowMs = at;
      statuses.push(await get("/api/v1/namespaces/a/pods?labelSelector=x%3Dy"), await get("/api/v1/services"));
    }
    expect(statuses).toEqual([403, 200, 403, 200, 403, 200, 403, 200]);
    expect(calls.length).toBe(5);
    expect(calls[0]).toMatchObject({
      url: "https://authz.example/",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {
          user: "jane",
          groups: ["dev", "system:authenticated"],
          resourceAttributes: {
            verb: "list",
            namespace: "a",
            resource: "pods",
            labelSelector: { requirements: [{ key: "x", operator: "In", values: ["y"] }] },
          },
        },
      },
    });
    const { resourceAttributes } = (calls[0]!.body as { spec: { resourceAttributes: object } }).spec;
    expect(Object.keys(resourceAttributes).sort()).toEqual([
      "labelSelector",
      "namespace",
      "resource",
      "verb",
      "version",
    ]);
  });

  it.each([
    ["NoOpinion", 200],
    ["Deny", 500],
  ] as const)(
    "with failure policy %s answers %d if it is unreachable and a later authorizer allows",
    async (failurePolicy, code) => {
      start(
        {
          authorizationMode: ["Webhook", "AlwaysAllow"],
          authorizationWebhook: { ...authorizationWebhook, failurePolicy },
        },
        { webhooks: () => Promise.reject(new Error("unreachable")) },
      );
      expect(await get("/api/v1/pods")).toBe(code);
    },
  );

  it("is called only for requests that match its conditions", async () => {
    const matchConditions = [{ expression: "has(request.resourceAttributes) && request.user.startsWith('j')" }];
    start(
      { authorizationMode: "Webhook", authorizationWebhook: { ...authorizationWebhook, matchConditions } },
      answering(() => ({ allowed: true })),
    );
    expect([await get("/api/v1/pods"), await get("/version")]).toEqual([200, 403]);
    expect(calls.length).toBe(1);
  });
});

describe("authorization configuration", () => {
  const webhook = {
    authorizedTTL: "5m",
    unauthorizedTTL: "30s",
    timeout: "3s",
    subjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "Url", url: "https://authz.example/" },
  };
  const text = (authorizers: readonly object[]): string =>
    JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers });

  it("runs its authorizers in order", async () => {
    const authorizers = [
      { type: "Webhook", name: "first", webhook },
      { type: "AlwaysAllow", name: "allow" },
    ];
    start(
      { authorizationConfiguration: text(authorizers) },
      { webhooks: () => Promise.resolve({ status: { denied: true } }) },
    );
    expect(await get("/api/v1/pods")).toBe(403);
  });

  it.each<[AuthorizationOptions, string]>([
    [{ authorizationMode: "Rbac" as never }, 'authorizationMode: unknown mode "Rbac"'],
    [{ authorizationMode: ["RBAC", "RBAC"] }, "authorizationMode: duplicate mode RBAC"],
    [{ authorizationMode: [] }, "authorizationMode: at least one mode is required"],
    [{ authorizationMode: "ABAC" }, "abacPolicies is required for the mode ABAC"],
    [{ authorizationMode: "Webhook" }, "authorizationWebhook is required for the mode Webhook"],
    [
      { authorizationMode: "Webhook", authorizationWebhook: { url: "nowhere" } },
      'authorizationWebhook.url: invalid URL "nowhere"',
    ],
    [
      {
        authorizationMode: "Webhook",
        authorizationWebhook: { url: "http://x/", matchConditions: [{ expression: "request.nothing" }] },
      },
      "authorizationWebhook.matchConditions[0].expression: ",
    ],
    [
      { authorizationMode: "RBAC", authorizationConfiguration: text([{ type: "RBAC", name: "r" }]) },
      "authorizationConfiguration can't be combined with authorizationMode",
    ],
    [{ authorizationConfiguration: text([]) }, "authorizationConfiguration: authorizers: at least one authorizer"],
    [{ authorizationConfiguration: "[" }, "authorizationConfiguration: not valid YAML"],
    [{ authorizationConfiguration: "{}" }, "authorizationConfiguration: expected an AuthorizationConfiguration of"],
    [
      {
        authorizationConfiguration: text([
          { type: "RBAC", name: "r" },
          { type: "RBAC", name: "s" },
        ]),
      },
      "authorizers[1].type: duplicate authorizer RBAC",
    ],
    [
      { authorizationConfiguration: text([{ type: "Webhook", name: "w", webhook: { ...webhook, timeout: "31s" } }]) },
      'authorizers[0].webhook.timeout: invalid duration "31s"',
    ],
    [
      {
        authorizationConfiguration: text([
          {
            type: "Webhook",
            name: "w",
            webhook: {
              ...webhook,
              matchConditionSubjectAccessReviewVersion: "v1",
              matchConditions: [{ expression: "request.user" }],
            },
          },
        ]),
      },
      "authorizers[0].webhook.matchConditions[0].expression: must evaluate to bool",
    ],
  ])("rejects %j", async (options, message) => {
    await expect(startServer(options)).rejects.toThrow(message);
  });
});
