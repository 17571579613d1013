import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { type JsonResponse, sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

const maps = "/api/v1/namespaces/default/configmaps";
const group = "/apis/admissionregistration.k8s.io/v1";

const send = (method: string, path: string, body: unknown): Promise<JsonResponse<Record<string, unknown>>> =>
  sendJson(server, { method, path, body });

async function policy(spec: Record<string, unknown>, binding: Record<string, unknown> = {}): Promise<void> {
  const matchConstraints = {
    resourceRules: [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] },
    ],
  };
  const made = await send("POST", `${group}/validatingadmissionpolicies`, {
    metadata: { name: "p" },
    spec: { matchConstraints, ...spec },
  });
  expect(made.status).toBe(201);
  const bound = await send("POST", `${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"], ...binding },
  });
  expect(bound.status).toBe(201);
}

const create = async (
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): Promise<[number, string]> => {
  const { status, body } = await send("POST", maps, { metadata: { name, labels }, data });
  return [status, String(body["message"] ?? "").replace(/^.*denied request: /, "")];
};

describe("ValidatingAdmissionPolicy", () => {
  it("evaluates variables that depend on each other", async () => {
    await policy({
      variables: [
        { name: "keys", expression: "object.data.map(k, k)" },
        { name: "many", expression: "size(variables.keys) > 1" },
      ],
      validations: [
        { expression: "!variables.many", messageExpression: "'has ' + string(size(variables.keys)) + ' keys'" },
      ],
    });
    expect(await create("one", { a: "1" })).toEqual([201, ""]);
    expect(await create("two", { a: "1", b: "2" })).toEqual([422, "has 2 keys"]);
  });

  it("reads the parameters that the binding refers to", async () => {
    await policy(
      {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [{ expression: "size(object.data) <= int(params.data.most)", message: "too many" }],
        matchConditions: [{ name: "c", expression: "object.metadata.name != 'limits'" }],
      },
      { paramRef: { name: "limits", namespace: "default", parameterNotFoundAction: "Deny" } },
    );
    expect(await create("early")).toEqual([
      422,
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ]);
    await send("DELETE", `${group}/validatingadmissionpolicybindings/b`, {});
    expect(await create("limits", { most: "1" })).toEqual([201, ""]);
    await send("POST", `${group}/validatingadmissionpolicybindings`, {
      metadata: { name: "b" },
      spec: {
        policyName: "p",
        validationActions: ["Deny"],
        paramRef: { name: "limits", namespace: "default", parameterNotFoundAction: "Deny" },
      },
    });
    expect(await create("a", { x: "1" })).toEqual([201, ""]);
    expect(await create("b", { x: "1", y: "2" })).toEqual([422, "too many"]);
  });

  it.each([
    [
      "rejects the request",
      "Fail",
      [422, "expression 'object.data.missing == 'x'' resulted in error: no such key: missing"],
    ],
    ["accepts the request", "Ignore", [201, ""]],
  ])("%s if an expression can't be evaluated and the failure policy is %s", async (_title, failurePolicy, answer) => {
    await policy({ failurePolicy, validations: [{ expression: "object.data.missing == 'x'" }] });
    expect(await create("a", { k: "v" })).toEqual(answer);
  });

  it("applies its selectors and compares with the old object", async () => {
    await policy(
      { validations: [{ expression: "oldObject == null || object.data == oldObject.data", message: "frozen" }] },
      { matchResources: { objectSelector: { matchLabels: { frozen: "yes" } } } },
    );
    await create("a", { k: "1" }, { frozen: "yes" });
    await create("b", { k: "1" });
    const put = (name: string, labels: Record<string, string>): Promise<number> =>
      send("PUT", `${maps}/${name}`, { metadata: { name, labels }, data: { k: "2" } }).then(({ status }) => status);
    expect([await put("a", { frozen: "yes" }), await put("a", {}), await put("b", {})]).toEqual([422, 422, 200]);
  });

  it("sees the name of a deleted object, but not in a deletecollection", async () => {
    const matchConstraints = {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["configmaps"] }],
    };
    await policy({
      matchConstraints,
      validations: [
        {
          expression: "has(request.name) && request.name == oldObject.metadata.name + '?'",
          messageExpression: "has(request.name) ? request.name : 'no name'",
        },
      ],
    });
    await create("a");
    const message = async (path: string): Promise<unknown> => (await send("DELETE", path, {})).body["message"];
    const why = "is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request:";
    expect([await message(`${maps}/a`), await message(maps)]).toEqual([
      `configmaps "a" ${why} a`,
      `configmaps "Unknown" ${why} no name`,
    ]);
  });
});
