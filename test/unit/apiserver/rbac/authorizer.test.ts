import { describe, expect, it } from "vitest";
import type { UserInfo } from "../../../../src/apiserver/http/user-info.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import type { AuthorizationAttributes } from "../../../../src/apiserver/rbac/attributes.js";
import type { RbacResource } from "../../../../src/apiserver/rbac/authorizer.js";
import { createRbacAuthorizer } from "../../../../src/apiserver/rbac/authorizer.js";
import { missingRights, type PolicyRule } from "../../../../src/apiserver/rbac/policy-rule.js";

const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: "", groups, extra: {} });
const meta = (name: string, namespace?: string): ApiObject["metadata"] =>
  namespace === undefined ? { name } : { name, namespace };

const objects: Record<RbacResource, ApiObject[]> = {
  clusterroles: [
    {
      metadata: meta("reader"),
      rules: [
        { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "pods/log"] },
        { verbs: ["get"], nonResourceURLs: ["/metrics", "/logs/*"] },
      ],
    },
    { metadata: meta("statuses"), rules: [{ verbs: ["update"], apiGroups: ["*"], resources: ["*/status"] }] },
  ],
  roles: [
    {
      metadata: meta("one", "a"),
      rules: [{ verbs: ["*"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["web"] }],
    },
  ],
  clusterrolebindings: [
    {
      metadata: meta("readers"),
      subjects: [{ kind: "Group", name: "dev" }],
      roleRef: { kind: "ClusterRole", name: "reader" },
    },
    {
      metadata: meta("lost"),
      subjects: [{ kind: "User", name: "bob" }],
      roleRef: { kind: "ClusterRole", name: "gone" },
    },
    {
      metadata: meta("nodes"),
      subjects: [{ kind: "ServiceAccount", namespace: "a", name: "robot" }],
      roleRef: { kind: "ClusterRole", name: "statuses" },
    },
  ],
  rolebindings: [
    {
      metadata: meta("deployer", "a"),
      subjects: [{ kind: "User", name: "ann" }],
      roleRef: { kind: "Role", name: "one" },
    },
    {
      metadata: meta("local", "a"),
      subjects: [{ kind: "User", name: "ann" }],
      roleRef: { kind: "ClusterRole", name: "reader" },
    },
  ],
};

const authorizer = createRbacAuthorizer({
  version: (resource) => objects[resource].length,
  list: (resource) => objects[resource],
});

const ask = (who: UserInfo, verb: string, what: string, namespace = ""): AuthorizationAttributes => {
  if (what.startsWith("/"))
    return {
      user: who,
      verb,
      isResource: false,
      path: what,
      group: "",
      version: "",
      namespace: "",
      resource: "",
      subresource: "",
      name: "",
    };
  const [qualified = "", name = ""] = what.split(":");
  const [full = "", group = ""] = qualified.split("@");
  const [resource = "", subresource = ""] = full.split("/");
  return { user: who, verb, isResource: true, path: "", group, version: "v1", namespace, resource, subresource, name };
};

describe("RBAC authorizer", () => {
  it.each([
    ["a ClusterRole bound to a group applies in every namespace", user("x", "dev"), "get", "pods", "b", true],
    ["a ClusterRole bound to a group applies cluster-wide", user("x", "dev"), "list", "pods", "", true],
    ["other verbs are denied", user("x", "dev"), "delete", "pods", "b", false],
    ["subresources need their own entry", user("x", "dev"), "get", "pods/log", "b", true],
    ["a resource does not include its subresources", user("x", "dev"), "get", "pods/exec", "b", false],
    ["paths match exactly", user("x", "dev"), "get", "/metrics", "", true],
    ["paths match by prefix", user("x", "dev"), "get", "/logs/x/y", "", true],
    ["paths don't match their parents", user("x", "dev"), "get", "/logs", "", false],
    ["a Role applies in its namespace", user("ann"), "delete", "deployments@apps:web", "a", true],
    ["a Role doesn't apply in another namespace", user("ann"), "delete", "deployments@apps:web", "b", false],
    ["resourceNames exclude other names", user("ann"), "delete", "deployments@apps:db", "a", false],
    ["resourceNames exclude lists", user("ann"), "list", "deployments@apps", "a", false],
    ["a ClusterRole bound in a namespace applies there", user("ann"), "get", "pods", "a", true],
    ["a ClusterRole bound in a namespace doesn't apply elsewhere", user("ann"), "get", "pods", "b", false],
    [
      "a service account is bound by name and namespace",
      user("system:serviceaccount:a:robot"),
      "update",
      "nodes/status",
      "",
      true,
    ],
    [
      "another namespace's account is another user",
      user("system:serviceaccount:b:robot"),
      "update",
      "nodes/status",
      "",
      false,
    ],
    ["a user without bindings is denied", user("eve"), "get", "pods", "a", false],
  ] as const)("%s", (_title, who, verb, what, namespace, allowed) => {
    expect(authorizer.authorize(ask(who, verb, what, namespace))).toMatchObject({ allowed });
  });

  it("sees changed roles and bindings", () => {
    const list: ApiObject[] = [];
    const changing = createRbacAuthorizer({
      version: (resource) => `${resource}${list.length}`,
      list: (resource) => (resource === "clusterrolebindings" ? list : objects[resource]),
    });
    expect(changing.authorize(ask(user("zoe"), "get", "pods"))).toMatchObject({ allowed: false });
    list.push({
      metadata: meta("zoe"),
      subjects: [{ kind: "User", name: "zoe" }],
      roleRef: { kind: "ClusterRole", name: "reader" },
    });
    expect(changing.authorize(ask(user("zoe"), "get", "pods"))).toMatchObject({ allowed: true });
  });
});

describe("missing rights", () => {
  const onWeb = (...names: string[]): PolicyRule => ({
    verbs: ["get"],
    apiGroups: ["apps"],
    resources: ["deployments"],
    ...(names.length > 0 && { resourceNames: names }),
  });
  const held = [
    { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "*/status"] },
    { verbs: ["*"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["web"] },
  ];
  it.each([
    ["what is held", { verbs: ["get"], apiGroups: [""], resources: ["pods", "nodes/status"] }, []],
    [
      "another verb",
      { verbs: ["get", "delete"], apiGroups: [""], resources: ["pods"] },
      [{ verbs: ["delete"], apiGroups: [""], resources: ["pods"] }],
    ],
    ["all names, where one is held", onWeb(), [onWeb()]],
    ["the name that is held", onWeb("web"), []],
    ["another name", onWeb("web", "db"), [onWeb("db")]],
    ["a path", { verbs: ["get"], nonResourceURLs: ["/x"] }, [{ verbs: ["get"], nonResourceURLs: ["/x"] }]],
  ])("for %s", (_title, wanted, missing) => {
    expect(missingRights(held, [wanted])).toEqual(missing);
  });
});

it("a rule with millions of single rights is covered or missing as a whole", () => {
  const many = (letter: string): string[] => Array.from({ length: 300 }, (_, at) => `${letter}${String(at)}`);
  const wide: PolicyRule = { apiGroups: many("g"), resources: many("r"), verbs: many("v"), resourceNames: many("n") };
  const everything: PolicyRule = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  expect(missingRights([everything], [wide])).toEqual([]);
  expect(missingRights([{ ...everything, resourceNames: ["n0"] }], [wide])).toEqual([wide]);
  const { resourceNames: _names, ...unnamed } = wide;
  expect(missingRights([wide], [{ ...unnamed, resourceNames: [] }])).toEqual([{ ...unnamed, resourceNames: [] }]);
});
