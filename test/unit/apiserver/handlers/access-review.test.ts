import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
let server: ApiServer;
beforeEach(() => {
  server = createApiServer({
    controllers: false,
    authorizationMode: "RBAC",
    tokens: new Map([
      ["admin", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }],
      ["alice", { name: "alice", uid: "", groups: ["dev"], extra: {} }],
    ]),
  });
});
afterEach(() => server.close());

interface Review {
  status: Record<string, unknown>;
  message?: string;
  code?: number;
}

async function post(path: string, body: object, token = "admin"): Promise<Review> {
  const headers = { authorization: `Bearer ${token}` };
  return (await sendJson<Review>(server, { method: "POST", path, body, headers })).body;
}

const review = (name: "fieldSelector" | "labelSelector", selector: object): Promise<Review> =>
  post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    spec: { user: "bob", resourceAttributes: { verb: "list", resource: "pods", [name]: selector } },
  });
const all = (name: string): string => `spec.resourceAttributes.${name} ignored due to parse error`;
const part = (name: string): string => `spec.resourceAttributes.${name} partially ignored due to parse error`;

describe("selectors of an access review", () => {
  it.each([
    ["fieldSelector", { rawSelector: "metadata.name=a,spec.x!=y" }, undefined],
    ["fieldSelector", { rawSelector: "a in (b)" }, all("fieldSelector")],
    ["fieldSelector", { requirements: [{ key: "a", operator: "In", values: ["b"] }] }, undefined],
    ["fieldSelector", { requirements: [{ key: "a", operator: "In", values: ["b", "c"] }] }, all("fieldSelector")],
    [
      "fieldSelector",
      {
        requirements: [
          { key: "a", operator: "Exists" },
          { key: "a", operator: "NotIn", values: ["b"] },
        ],
      },
      part("fieldSelector"),
    ],
    ["labelSelector", { rawSelector: "a in (b),!c" }, undefined],
    ["labelSelector", { rawSelector: "a=b=c" }, all("labelSelector")],
    [
      "labelSelector",
      {
        requirements: [
          { key: "a", operator: "Exists" },
          { key: "b", operator: "In", values: ["c", "d"] },
        ],
      },
      undefined,
    ],
    ["labelSelector", { requirements: [{ key: "a", operator: "Newer", values: ["x"] }] }, all("labelSelector")],
    [
      "labelSelector",
      {
        requirements: [
          { key: "a", operator: "Newer" },
          { key: "a", operator: "Exists" },
        ],
      },
      part("labelSelector"),
    ],
  ] as const)("%s %j reports the requirements that were ignored", async (name, selector, evaluationError) => {
    expect((await review(name, selector)).status).toEqual({
      allowed: false,
      ...(evaluationError === undefined ? {} : { evaluationError }),
    });
  });

  it.each([
    [
      "fieldSelector",
      {},
      "spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required",
    ],
    [
      "labelSelector",
      { rawSelector: "a", requirements: [{ key: "a", operator: "Exists" }] },
      'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
    ],
    [
      "fieldSelector",
      { requirements: [{ operator: "In", values: ["a"] }] },
      "spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified",
    ],
    [
      "fieldSelector",
      { requirements: [{ key: "a", operator: "In" }] },
      "spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      "labelSelector",
      { requirements: [{ key: "a", operator: "Exists", values: ["x"] }] },
      "spec.resourceAttributes.labelSelector.requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
  ] as const)("%s %j is rejected", async (name, selector, why) => {
    const { code, message } = await review(name, selector);
    expect([code, message]).toEqual([422, `.authorization.k8s.io "" is invalid: ${why}`]);
  });
});

it("SelfSubjectRulesReview and denials list roles that are bound but missing", async () => {
  for (const [name, kind, role] of [
    ["a", "Role", "gone"],
    ["b", "ClusterRole", "gone"],
    ["c", "Role", "gone"],
    ["d", "Role", "writer"],
  ] as const) {
    await post(`${rbac}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: role },
      subjects: [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }],
    });
  }
  await post(`${rbac}/roles`, {
    metadata: { name: "writer" },
    rules: [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] }],
  });
  const { status } = await post(
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    { spec: { namespace: "default" } },
    "alice",
  );
  expect(status["evaluationError"]).toBe(
    '[role.rbac.authorization.k8s.io "gone" not found, clusterrole.rbac.authorization.k8s.io "gone" not found]',
  );
  const { message } = await post(
    `${rbac}/roles`,
    { metadata: { name: "more" }, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
    "alice",
  );
  expect(message).toMatch(/; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "gone" not found\]$/);
});
