import { describe, expect, it } from "vitest";
import { abacAuthorizer, parseAbacPolicies } from "../../../../src/apiserver/authorization/abac.js";
import { resourceAttributes } from "../../../../src/apiserver/rbac/attributes.js";

const line = (spec: object): string =>
  JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });
const policies = parseAbacPolicies(
  [
    "# comment",
    line({ user: "ann", namespace: "*", resource: "*", apiGroup: "*" }),
    line({ group: "dev", namespace: "team", resource: "pods", readonly: true }),
    line({ user: "*", nonResourcePath: "/version*", readonly: true }),
    '{"user":"old","resource":"pods"}',
    "",
  ].join("\n"),
  "policy.jsonl",
);
const authorizer = abacAuthorizer(policies);
const user = (name: string): { name: string; uid: string; groups: string[]; extra: object } => ({
  name,
  uid: "",
  groups: [...(name === "joe" ? ["dev"] : []), ...(name === "stranger" ? [] : ["system:authenticated"])],
  extra: {},
});

describe("ABAC", () => {
  it.each([
    ["ann", "delete", "deployments", "apps", "x", true],
    ["joe", "list", "pods", "", "team", true],
    ["joe", "delete", "pods", "", "team", false],
    ["joe", "list", "pods", "", "other", false],
    ["joe", "list", "pods", "metrics.k8s.io", "team", false],
    ["eve", "get", "pods", "", "team", false],
    ["old", "delete", "pods", "any", "any", true],
    ["old", "get", "secrets", "", "any", false],
  ] as const)("%s may %s %s of group %j in %s: %s", (name, verb, resource, group, namespace, allowed) => {
    expect(
      authorizer.authorize(resourceAttributes(user(name) as never, verb, { group, resource, namespace })),
    ).toMatchObject({ allowed });
  });

  it.each([
    ["/version", "get", true],
    ["/version/x", "get", true],
    ["/version", "post", false],
    ["/metrics", "get", false],
  ])("everyone may use %s with %s: %s", (path, verb, allowed) => {
    const attributes = resourceAttributes(user("eve") as never, verb, { resource: "" });
    expect(authorizer.authorize({ ...attributes, isResource: false, path })).toMatchObject({ allowed });
  });

  it("a user without credentials isn't meant by *", () => {
    const attributes = resourceAttributes(user("stranger") as never, "get", { resource: "" });
    expect(authorizer.authorize({ ...attributes, isResource: false, path: "/version" })).toMatchObject({
      allowed: false,
    });
  });

  it("lists the rules of a user", () => {
    expect(authorizer.rulesFor(user("joe") as never, "team")).toEqual({
      rules: [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"] }],
    });
  });

  it.each([
    ["{}\nnonsense", "policy file p, line 2: not a JSON object"],
    ['{"apiVersion":"v1","kind":"Policy","spec":{}}', "policy file p, line 1: expected a Policy of"],
    [line({ user: 1 }), "policy file p, line 1: user must be a string"],
    [line({ readonly: "yes" }), "policy file p, line 1: readonly must be true or false"],
  ])("rejects the file %j", (text, message) => {
    expect(() => parseAbacPolicies(text, "p")).toThrow(message);
  });
});
