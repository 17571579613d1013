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

describe("RBAC", () => {
  it.each([
    ["a group's cluster role holds in every namespace", user("x", "dev"), "get", "pods", "b", true],
    ["and for the cluster as a whole", user("x", "dev"), "list", "pods", "", true],
    ["verbs that are not named are refused", user("x", "dev"), "delete", "pods", "b", false],
    ["subresources need their own entry", user("x", "dev"), "get", "pods/log", "b", true],
    ["a resource does not include its subresources", user("x", "dev"), "get", "pods/exec", "b", false],
    ["paths match exactly", user("x", "dev"), "get", "/metrics", "", true],
    ["or by prefix", user("x", "dev"), "get", "/logs/x/y", "", true],
    ["but not their parents", user("x", "dev"), "get", "/logs", "", false],
    ["a role holds in its namespace", user("ann"), "delete", "deployments@apps:web", "a", true],
    ["not in another", user("ann"), "delete", "deployments@apps:web", "b", false],
    ["resourceNames exclude other names", user("ann"), "delete", "deployments@apps:db", "a", false],
    ["and lists", user("ann"), "list", "deployments@apps", "a", false],
    ["a cluster role bound in a namespace holds there", user("ann"), "get", "pods", "a", true],
    ["and nowhere else", user("ann"), "get", "pods", "b", false],
    [
      "service accounts are users with a name of their own",
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
    ["masters may do everything", user("root", "system:masters"), "delete", "nodes", "", true],
    ["strangers nothing", user("eve"), "get", "pods", "a", false],
  ] as const)("%s", (_title, who, verb, what, namespace, allowed) => {
    expect(authorizer.authorize(ask(who, verb, what, namespace)).allowed).toBe(allowed);
  });

  it("reads changed objects anew", () => {
    const list: ApiObject[] = [];
    const changing = createRbacAuthorizer({
      version: (resource) => `${resource}${list.length}`,
      list: (resource) => (resource === "clusterrolebindings" ? list : objects[resource]),
    });
    expect(changing.authorize(ask(user("zoe"), "get", "pods")).allowed).toBe(false);
    list.push({
      metadata: meta("zoe"),
      subjects: [{ kind: "User", name: "zoe" }],
      roleRef: { kind: "ClusterRole", name: "reader" },
    });
    expect(changing.authorize(ask(user("zoe"), "get", "pods")).allowed).toBe(true);
  });
});

describe("rights that are missing", () => {
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
  ])("%s", (_title, wanted, missing) => {
    expect(missingRights(held, [wanted])).toEqual(missing);
  });
});
