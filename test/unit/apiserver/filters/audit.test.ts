import { afterEach, describe, expect, it } from "vitest";
import type { AuditEvent } from "../../../../src/apiserver/audit/event.js";
import { type AuditPolicyRule, evaluateAuditPolicy, parseAuditPolicy } from "../../../../src/apiserver/audit/policy.js";
import { parseRequestInfo } from "../../../../src/apiserver/http/request-info.js";
import { requestAttributes } from "../../../../src/apiserver/rbac/attributes.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { auditedRequests, auditPolicy } from "../../../support/audit-steps.js";

const alice = { name: "alice", uid: "u", groups: ["dev", "system:authenticated"], extra: {} };

describe("audit policy rule", () => {
  it.each<[Partial<AuditPolicyRule>, string, string, boolean]>([
    [{}, "GET", "/api/v1/pods", true],
    [{ users: ["alice"] }, "GET", "/version", true],
    [{ users: ["bob"] }, "GET", "/version", false],
    [{ userGroups: ["ops", "dev"] }, "GET", "/version", true],
    [{ userGroups: ["ops"] }, "GET", "/version", false],
    [{ verbs: ["list"] }, "GET", "/api/v1/pods", true],
    [{ verbs: ["get"] }, "GET", "/api/v1/pods", false],
    [{ verbs: ["get"] }, "GET", "/version", true],
    [{ namespaces: ["a"] }, "GET", "/api/v1/namespaces/a/pods", true],
    [{ namespaces: ["a"] }, "GET", "/api/v1/pods", false],
    [{ namespaces: [""] }, "GET", "/api/v1/pods", true],
    [{ namespaces: ["a"] }, "GET", "/version", false],
    [{ resources: [{}] }, "GET", "/api/v1/pods", true],
    [{ resources: [{}] }, "GET", "/apis/apps/v1/deployments", false],
    [{ resources: [{ group: "*" }] }, "GET", "/apis/apps/v1/deployments", true],
    [{ resources: [{ group: "apps", resources: ["deployments"] }] }, "GET", "/apis/apps/v1/deployments", true],
    [{ resources: [{ resources: ["pods"] }] }, "GET", "/api/v1/namespaces/a/pods/b/log", false],
    [{ resources: [{ resources: ["pods/log"] }] }, "GET", "/api/v1/namespaces/a/pods/b/log", true],
    [{ resources: [{ resources: ["pods/*"] }] }, "GET", "/api/v1/namespaces/a/pods/b/log", true],
    [{ resources: [{ resources: ["pods/*"] }] }, "GET", "/api/v1/namespaces/a/pods/b", true],
    [{ resources: [{ resources: ["*/log"] }] }, "GET", "/api/v1/namespaces/a/pods/b/log", true],
    [{ resources: [{ resources: ["*/log"] }] }, "GET", "/api/v1/namespaces/a/pods/b", false],
    [{ resources: [{ resources: ["*"] }] }, "GET", "/api/v1/namespaces/a/pods/b/log", true],
    [{ resources: [{ resources: ["pods"], resourceNames: ["b"] }] }, "GET", "/api/v1/namespaces/a/pods/b", true],
    [{ resources: [{ resources: ["pods"], resourceNames: ["c"] }] }, "GET", "/api/v1/namespaces/a/pods/b", false],
    [{ resources: [{}] }, "GET", "/version", false],
    [{ nonResourceURLs: ["/version"] }, "GET", "/version", true],
    [{ nonResourceURLs: ["/ver*"] }, "GET", "/version", true],
    [{ nonResourceURLs: ["/ver"] }, "GET", "/version", false],
    [{ nonResourceURLs: ["*"] }, "GET", "/api/v1/pods", false],
  ])("%j for %s %s matches: %s", (rule, method, path, fits) => {
    const asked = requestAttributes(alice, parseRequestInfo(method, path, new URLSearchParams()));
    expect(evaluateAuditPolicy({ rules: [{ level: "Metadata", ...rule }] }, asked).level).toBe(
      fits ? "Metadata" : "None",
    );
  });

  it("is the first that matches, and adds to the policy's omitted stages", () => {
    const asked = requestAttributes(alice, parseRequestInfo("GET", "/version", new URLSearchParams()));
    const rules: AuditPolicyRule[] = [
      { level: "Request", verbs: ["put"] },
      { level: "Metadata", omitStages: ["Panic"], omitManagedFields: false },
      { level: "None" },
    ];
    expect(evaluateAuditPolicy({ rules, omitStages: ["RequestReceived"], omitManagedFields: true }, asked)).toEqual({
      level: "Metadata",
      omitStages: ["RequestReceived", "Panic"],
      omitManagedFields: false,
    });
    expect(evaluateAuditPolicy({ rules: [{ level: "Metadata", users: ["alice"] }] }, asked, false).level).toBe("None");
  });
});

it.each([
  ["text", "must be an object"],
  [
    "{apiVersion: audit.k8s.io/v1beta1, kind: Policy}",
    'must be a Policy of audit.k8s.io/v1, not "Policy" of "audit.k8s.io/v1beta1"',
  ],
  ["{apiVersion: audit.k8s.io/v1, kind: Policy, rules: []}", "has no rules"],
  ["{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{}]}", "rules[0].level: Required value"],
  [
    "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: All}]}",
    'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  [
    "{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [None], rules: [{level: None}]}",
    'omitStages[0]: Invalid value: "None": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ],
  [
    "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, nonResourceURLs: [x]}]}",
    "rules[0].nonResourceURLs[0]: Invalid value: \"x\": must begin with '/' and may have '*' only at the end",
  ],
  [
    "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, nonResourceURLs: [/x], namespaces: [a]}]}",
    "rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs",
  ],
  [
    "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, resources: [{resourceNames: [a]}]}]}",
    'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
  ],
])("audit policy %s is rejected", (text, why) => {
  expect(() => parseAuditPolicy(text, "p.yaml")).toThrow(`audit policy p.yaml: ${why}`);
});

describe("audit log", () => {
  let server: ApiServer;
  let events: AuditEvent[] = [];

  afterEach(async () => {
    events = [];
    await server.close();
  });

  function start(options: Parameters<typeof createApiServer>[0] = {}, policy = auditPolicy): void {
    const tokens = new Map([
      ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
      ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
    ]);
    server = createApiServer({
      tokens,
      authorizationMode: "RBAC",
      controllers: false,
      audit: { policy: parseAuditPolicy(policy, "p.yaml"), sink: (event) => void events.push(event) },
      ...options,
    });
  }

  async function send({
    method,
    path,
    token = "admin-token",
    body,
    type,
    headers,
  }: (typeof auditedRequests)[number]): Promise<Response> {
    const response = await server.handle(
      new Request(`http://server${path.replace("NS", "default")}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    await response.clone().text();
    return response;
  }

  const allow = "authorization.k8s.io/decision allow";
  const forbid = "authorization.k8s.io/decision forbid";
  it.each<[string, string[]]>([
    ["create at level RequestResponse", ["RequestReceived", `ResponseComplete 201 ${allow} request response`]],
    ["create of an invalid object", ["RequestReceived", `ResponseComplete 422 Invalid ${allow} request response`]],
    ["create with a non-object body", ["RequestReceived", `ResponseComplete 400 BadRequest ${allow} response`]],
    ["get at level Request", ["RequestReceived", `ResponseComplete 404 NotFound ${allow}`]],
    ["apply", ["RequestReceived", `ResponseComplete 201 ${allow} request response`]],
    [
      "watch from an invalid resourceVersion",
      ["RequestReceived", `ResponseStarted 500 ${allow} response`, `ResponseComplete 500 ${allow} response`],
    ],
    ["create at level Metadata", [`ResponseComplete 201 ${allow}`]],
    ["a non-resource path", ["RequestReceived", `ResponseComplete 200 ${allow}`]],
    ["a path that no rule matches", []],
    ["a forbidden request", ["RequestReceived", `ResponseComplete 403 Forbidden ${forbid} response`]],
    ["an unauthenticated request", ["ResponseStarted 401 Unauthorized response"]],
  ])("records %s", async (title, expected) => {
    start();
    await send(auditedRequests.find((request) => request.title === title)!);
    expect(
      events.map(({ stage, responseStatus, annotations = {}, requestObject, responseObject }) =>
        [
          stage,
          responseStatus?.code,
          responseStatus?.reason,
          ...Object.entries(annotations)
            .filter(([, value]) => value !== "")
            .map(([key, value]) => `${key} ${value}`),
          requestObject === undefined ? "" : "request",
          responseObject === undefined ? "" : "response",
        ]
          .filter((word) => word !== "" && word !== undefined)
          .join(" "),
      ),
    ).toEqual(expected);
  });

  it("records user, impersonated user, object and source addresses", async () => {
    start();
    const own = {
      "audit-id": "mine",
      "user-agent": "tests/1.0",
      "x-forwarded-for": "10.1.2.3",
      "impersonate-user": "bob",
      "impersonate-group": "dev",
    };
    const response = await send({
      title: "",
      method: "GET",
      path: "/api/v1/namespaces/NS/configmaps/b?pretty=1",
      headers: own,
    });
    expect(response.headers.get("audit-id")).toBe("mine");
    expect(events[1]).toMatchObject({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "RequestResponse",
      auditID: "mine",
      stage: "ResponseComplete",
      requestURI: "/api/v1/namespaces/default/configmaps/b?pretty=1",
      verb: "get",
      user: { username: "admin", uid: "admin-uid", groups: ["system:masters", "system:authenticated"] },
      impersonatedUser: { username: "bob", groups: ["dev", "system:authenticated"] },
      sourceIPs: ["10.1.2.3"],
      userAgent: "tests/1.0",
      objectRef: { resource: "configmaps", namespace: "default", name: "b", apiVersion: "v1" },
      responseStatus: { metadata: {}, status: "Failure", reason: "Forbidden", code: 403 },
    });
  });

  it("keeps annotations of policies, webhooks and Pod Security", async () => {
    const webhooks = (call: { body: object }): Promise<unknown> => {
      const { uid } = (call.body as { request: { uid: string } }).request;
      return Promise.resolve({
        kind: "AdmissionReview",
        apiVersion: "admission.k8s.io/v1",
        response: {
          uid,
          allowed: true,
          auditAnnotations: { seen: "yes" },
          patchType: "JSONPatch",
          patch: btoa('[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]'),
        },
      });
    };
    start({ webhooks });
    const post = async (path: string, body: unknown): Promise<number> =>
      (await send({ title: "", method: "POST", path, body })).status;
    const group = "/apis/admissionregistration.k8s.io/v1";
    const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
    const spec = {
      matchConstraints: { resourceRules: rules },
      validations: [{ expression: "true" }, { expression: "false", message: "no" }],
      auditAnnotations: [
        { key: "k", valueExpression: "'pod ' + object.metadata.name" },
        { key: "none", valueExpression: "null" },
      ],
    };
    await send({
      title: "",
      method: "PATCH",
      path: "/api/v1/namespaces/default",
      type: "application/merge-patch+json",
      body: { metadata: { labels: { "pod-security.kubernetes.io/audit": "restricted" } } },
    });
    expect([
      await post(`${group}/validatingadmissionpolicies`, { metadata: { name: "p" }, spec }),
      await post(`${group}/validatingadmissionpolicybindings`, {
        metadata: { name: "b" },
        spec: { policyName: "p", validationActions: ["Audit"] },
      }),
      await post(`${group}/mutatingwebhookconfigurations`, {
        metadata: { name: "c" },
        webhooks: [
          {
            name: "w.example.com",
            clientConfig: { url: "https://hook" },
            rules,
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      }),
      await post("/api/v1/namespaces/NS/pods", {
        metadata: { name: "x" },
        spec: { containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] },
      }),
    ]).toEqual([201, 201, 201, 201]);
    const { annotations } = events.at(-1)!;
    expect(annotations).toMatchObject({
      "p/k": "pod x",
      "w.example.com/seen": "yes",
      "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
      "pod-security.kubernetes.io/audit-violations": expect.stringMatching(
        /^would violate PodSecurity "restricted:latest": privileged \(container "c"/,
      ),
      "mutation.webhook.admission.k8s.io/round_0_index_0":
        '{"configuration":"c","webhook":"w.example.com","mutated":true}',
      "validation.policy.admission.k8s.io/validation_failure":
        '[{"message":"no","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Audit"]}]',
    });
    expect(Object.keys(annotations!)).not.toContain("p/none");
  });

  it("records a watch when it starts and when it ends", async () => {
    start();
    const controller = new AbortController();
    const response = await server.handle(
      new Request("http://server/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=1", {
        headers: { authorization: "Bearer admin-token" },
        signal: controller.signal,
      }),
    );
    expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseStarted"]);
    await response.body!.cancel();
    controller.abort();
    expect(events.map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code ?? ""}`)).toEqual([
      "RequestReceived ",
      "ResponseStarted 200",
      "ResponseComplete 200",
    ]);
  });

  it("records an internal error once", async () => {
    start(
      { admission: [{ name: "Broken", admit: () => Promise.reject(new TypeError("no such thing")) }] },
      auditPolicy.replace("omitStages: [Panic]\n", ""),
    );
    expect((await send(auditedRequests[0]!)).status).toBe(500);
    expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.message])).toEqual([
      ["RequestReceived", undefined],
      ["Panic", "APIServer panic'd: no such thing"],
    ]);
  });

  it("records bodies of other encodings, and omits managed fields if the policy says so", async () => {
    start();
    await send(auditedRequests[0]!);
    events = [];
    await send({
      title: "",
      method: "GET",
      path: "/api/v1/namespaces/NS/configmaps/a",
      headers: { accept: "application/vnd.kubernetes.protobuf" },
    });
    await send({
      title: "",
      method: "GET",
      path: "/api/v1/namespaces/NS/configmaps",
      headers: { accept: "application/yaml" },
    });
    const [one, list] = events
      .filter(({ stage }) => stage === "ResponseComplete")
      .map(
        ({ responseObject }) =>
          responseObject as { kind: string; metadata: object; data: object; items: { metadata: object }[] },
      );
    expect(one).toMatchObject({ kind: "ConfigMap", metadata: { name: "a" }, data: { x: "1" } });
    expect(one!.metadata).not.toHaveProperty("managedFields");
    expect(list!.items[0]!.metadata).not.toHaveProperty("managedFields");
  });
});
