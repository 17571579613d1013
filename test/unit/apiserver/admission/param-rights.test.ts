// Responses of kube-apiserver 1.36 to a user who is allowed to write policies and little else.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const users = new Map([
  ["admin", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }],
  ["alice", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
]);
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [{ operations: ["CREATE"], apiGroups: ["x.example"], apiVersions: ["v9"], resources: ["none"] }],
};
const policy = (kind: string, apiVersion: string, name = "new"): unknown => ({
  metadata: { name },
  spec: { paramKind: { apiVersion, kind }, matchConstraints, validations: [{ expression: "true" }] },
});
const binding = (policyName: string, paramRef: unknown): unknown => ({
  metadata: { name: "new" },
  spec: {
    policyName,
    validationActions: ["Deny"],
    paramRef: { parameterNotFoundAction: "Deny", ...(paramRef as object) },
  },
});
let server: ApiServer;

async function post(
  path: string,
  body: unknown,
  token: string,
): Promise<{ status: number; field: string | undefined }> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await sendJson<{ details?: { causes?: { field: string }[] } }>(server, {
    method: "POST",
    path,
    body,
    headers,
  });
  return { status: answer.status, field: answer.body.details?.causes?.[0]?.field };
}

beforeAll(async () => {
  server = createApiServer({ controllers: false, authorizationMode: "RBAC", tokens: users });
  const rules = [
    { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] },
    { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  ];
  const subjects = [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }];
  await post(`${rbac}/clusterroles`, { metadata: { name: "policies" }, rules }, "admin");
  await post(
    `${rbac}/clusterrolebindings`,
    {
      metadata: { name: "policies" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "policies" },
      subjects,
    },
    "admin",
  );
  await post(`${group}/validatingadmissionpolicies`, policy("ConfigMap", "v1", "of-config-maps"), "admin");
  await post(`${group}/validatingadmissionpolicies`, policy("Secret", "v1", "of-secrets"), "admin");
});
afterAll(() => server.close());

describe("rights to a policy's parameters", () => {
  it.each([
    ["validatingadmissionpolicies", policy("ConfigMap", "v1"), "spec.paramKind"],
    ["validatingadmissionpolicies", policy("Nope", "x.y/v1"), "spec.paramKind"],
    ["validatingadmissionpolicies", policy("Secret", "v1"), undefined],
    [
      "validatingadmissionpolicybindings",
      binding("of-config-maps", { name: "a", namespace: "default" }),
      "spec.paramRef",
    ],
    ["validatingadmissionpolicybindings", binding("of-config-maps", { selector: {} }), "spec.paramRef"],
    ["validatingadmissionpolicybindings", binding("missing", { name: "a" }), "spec.paramRef"],
    ["validatingadmissionpolicybindings", binding("of-secrets", { name: "a" }), undefined],
    [
      "mutatingadmissionpolicybindings",
      {
        metadata: { name: "new" },
        spec: { policyName: "missing", paramRef: { name: "a", parameterNotFoundAction: "Deny" } },
      },
      "spec.paramRef",
    ],
  ])("POST to %s of %j", async (resource, body, field) => {
    expect(await post(`${group}/${resource}?dryRun=All`, body, "alice")).toEqual({
      status: field === undefined ? 201 : 422,
      field,
    });
    expect((await post(`${group}/${resource}?dryRun=All`, body, "admin")).status).toBe(201);
  });
});
