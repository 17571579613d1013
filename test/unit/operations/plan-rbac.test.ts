import { describe, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import type { Client } from "../../../src/client/client.js";
import { createClient } from "../../../src/client/client.js";
import { isForbidden } from "../../../src/errors/predicates.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { ConfigMap, Namespace, Pod, Secret } from "../../../src/kinds/core/v1.js";
import type { PolicyRule } from "../../../src/kinds/rbac/v1.js";
import type { AuditedRequest } from "../../../src/operations/rbac/audited-request.js";
import { planRbac } from "../../../src/operations/rbac/plan-rbac.js";
import { bearerToken } from "../../../src/transport/bearer-token.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { createRandom } from "../../simulation/random.js";

const request = (verb: string, resource: string, more: Partial<NonNullable<AuditedRequest["objectRef"]>> = {}) =>
  ({ verb, user: { username: "op" }, objectRef: { resource, ...more }, responseStatus: { code: 200 } }) as const;
const rulesOf = (events: readonly AuditedRequest[], options: Partial<Parameters<typeof planRbac>[1]> = {}) =>
  planRbac(events, { name: "op", ...options }).objects.map((object) => [
    `${object.kind} ${object.metadata?.namespace ?? ""}`.trim(),
    ...("rules" in object ? (object.rules ?? []) : []),
  ]);
const core = (resources: string[], verbs: string[], resourceNames?: string[]): PolicyRule => ({
  apiGroups: [""],
  resources,
  ...(resourceNames && { resourceNames }),
  verbs,
});
const inWeb = { namespace: "web", name: "a" };

describe("the least roles for audited requests", () => {
  it.each<[string, AuditedRequest[], Partial<Parameters<typeof planRbac>[1]>, unknown[]]>([
    [
      "combine verbs and resources",
      [
        request("watch", "pods"),
        request("list", "pods"),
        request("list", "secrets"),
        request("watch", "secrets"),
        request("approve", "pods"),
        request("get", "deployments", { apiGroup: "apps" }),
      ],
      {},
      [
        [
          "ClusterRole",
          core(["pods"], ["list", "watch", "approve"]),
          core(["secrets"], ["list", "watch"]),
          { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
        ],
      ],
    ],
    [
      "are Roles for requests in namespaces, without what the ClusterRole allows",
      [
        request("get", "pods"),
        request("get", "pods", inWeb),
        request("get", "pods", { namespace: "db" }),
        request("update", "pods/status", inWeb),
      ],
      {},
      [
        ["ClusterRole", core(["pods"], ["get"])],
        ["Role web", core(["pods/status"], ["update"])],
      ],
    ],
    [
      "are one ClusterRole on request",
      [request("get", "pods", inWeb), request("get", "pods", { namespace: "db" })],
      { scope: "cluster" },
      [["ClusterRole", core(["pods"], ["get"])]],
    ],
    [
      "name objects on request, except for verbs that all objects need",
      [
        request("get", "secrets", inWeb),
        request("get", "secrets", { ...inWeb, name: "b" }),
        request("delete", "secrets", inWeb),
        request("list", "secrets", { namespace: "web" }),
        request("list", "secrets", inWeb),
        request("create", "secrets", inWeb),
        request("get", "pods", inWeb),
      ],
      { resourceNames: ["secrets"] },
      [
        [
          "Role web",
          core(["pods"], ["get"]),
          core(["secrets"], ["get", "delete"], ["a"]),
          core(["secrets"], ["get"], ["b"]),
          core(["secrets"], ["list", "create"]),
        ],
      ],
    ],
    [
      "allow creates by apply and update",
      [{ ...request("patch", "pods", inWeb), responseStatus: { code: 201 } }],
      {},
      [["Role web", core(["pods"], ["create", "patch"])]],
    ],
    [
      "leave out what every user may do",
      [
        request("create", "selfsubjectaccessreviews", { apiGroup: "authorization.k8s.io" }),
        { verb: "get", requestURI: "/apis/apps/v1?timeout=3s", user: { username: "op" } },
        { verb: "get", requestURI: "/metrics", user: { username: "op" } },
      ],
      {},
      [["ClusterRole", { nonResourceURLs: ["/metrics"], verbs: ["get"] }]],
    ],
    [
      "allow to act as others, and not what these do",
      [
        {
          ...request("delete", "pods"),
          impersonatedUser: { username: "system:serviceaccount:web:jane", groups: ["dev", "system:authenticated"] },
        },
        request("list", "pods"),
      ],
      { user: "op" },
      [
        ["ClusterRole", core(["groups"], ["impersonate"], ["dev"]), core(["pods"], ["list"])],
        ["Role web", core(["serviceaccounts"], ["impersonate"], ["jane"])],
      ],
    ],
    [
      "allow to act as privileged groups, with a UID and extra attributes",
      [
        {
          ...request("delete", "pods"),
          impersonatedUser: {
            username: "jane",
            groups: ["system:masters", "system:serviceaccounts", "system:authenticated"],
            uid: "7",
            extra: { scopes: ["view", "edit"] },
          },
        },
        request("list", "pods"),
      ],
      { user: "op" },
      [
        [
          "ClusterRole",
          core(["groups"], ["impersonate"], ["system:masters", "system:serviceaccounts"]),
          core(["users"], ["impersonate"], ["jane"]),
          core(["pods"], ["list"]),
          { ...core(["uids"], ["impersonate"], ["7"]), apiGroups: ["authentication.k8s.io"] },
          { ...core(["userextras/scopes"], ["impersonate"], ["edit", "view"]), apiGroups: ["authentication.k8s.io"] },
        ],
      ],
    ],
    [
      "treat Namespaces as cluster-scoped",
      [request("get", "namespaces", { namespace: "web", name: "web" })],
      {},
      [["ClusterRole", core(["namespaces"], ["get"])]],
    ],
    [
      "come with bindings for a ServiceAccount",
      [request("list", "pods"), request("get", "secrets", inWeb)],
      { serviceAccount: { namespace: "web", name: "op" } },
      [
        ["ClusterRole", core(["pods"], ["list"])],
        ["ClusterRoleBinding"],
        ["Role web", core(["secrets"], ["get"])],
        ["RoleBinding web"],
      ],
    ],
  ])("%s", (_, events, options, expected) => {
    const rules = rulesOf(events, options);
    const sorted = (lists: unknown[]) => lists.map((list) => JSON.stringify(list));
    for (const [index, list] of rules.entries())
      expect(sorted(list as unknown[]).sort()).toEqual(sorted(expected[index] as unknown[]).sort());
    expect(rules).toHaveLength(expected.length);
  });

  it("count the stages of a request once and skip failed logins", () => {
    const once = { ...request("get", "pods"), auditID: "1" };
    const plan = planRbac([once, once, { verb: "get", user: {}, responseStatus: { code: 401 } }], { name: "op" });
    expect(plan).toMatchObject({ requests: 1, user: "op", notes: [] });
  });

  it("need a user if several made requests, apart from the control plane", () => {
    const other = { ...request("get", "pods"), user: { username: "jane" } };
    const scheduler = { ...request("get", "pods"), user: { username: "system:kube-scheduler" } };
    expect(planRbac([request("get", "pods"), scheduler], { name: "op" }).user).toBe("op");
    expect(() => planRbac([request("get", "pods"), other], { name: "op" })).toThrow(
      "options.user is required: jane, op",
    );
    expect(() => planRbac([other], { name: "op", user: "op" })).toThrow('no request of user "op"; it has: jane');
    expect(() => planRbac([], { name: "op" })).toThrow("the audit has no requests");
  });

  it("come with notes about rights that an audit can't show", () => {
    const { notes } = planRbac([request("create", "clusterroles"), request("patch", "rolebindings")], { name: "op" });
    expect(notes).toHaveLength(2);
  });

  it.each(Array.from({ length: 4 }, (_, seed) => seed))(
    "let the same requests succeed, and fewer rights don't (seed %i)",
    async (seed) => {
      const events: AuditedRequest[] = [];
      const users = ["admin", "op"].map((name) => {
        const groups = ["system:authenticated", ...(name === "admin" ? ["system:masters"] : [])];
        return [name, { name, uid: "", groups, extra: {} }] as const;
      });
      const server = createApiServer({
        authorizationMode: "RBAC",
        tokens: new Map(users),
        controllers: false,
        audit: { policy: { rules: [{ level: "Metadata" }] }, sink: (event) => void events.push(event) },
      });
      const connect = (token: string): Client =>
        createClient({
          transport: handlerTransport(server.handle),
          interceptors: [bearerToken(() => token)],
          fieldManager: "t",
          retry: false,
        });
      const [admin, operator] = [connect("admin"), connect("op")];
      for (const name of ["web", "db"]) await admin.resource(Namespace).create({ metadata: { name } });
      /** The requests of one run; returns the number of refusals. */
      const run = async (client: Client, round: string): Promise<number> => {
        const random = createRandom(seed, "rbac");
        let refused = 0;
        for (let step = 0; step < 12; step++) {
          const kind = random.pick([ConfigMap, Secret]) as typeof ConfigMap;
          const handle = client.resource(kind).namespace(random.pick(["web", "db"]));
          const name = `${round}-${random.int(3)}`;
          const act = random.pick<() => Promise<unknown>>([
            () => handle.list(),
            () => handle.getOptional(name),
            () => handle.create({ metadata: { name: `${name}-${step}` } }),
            () =>
              handle.apply(
                { apiVersion: "v1", kind: kind.kind as "ConfigMap", metadata: { name } },
                { fieldManager: "t", force: true },
              ),
            () => handle.delete(name),
            () => client.resource(Pod).list(),
            () => client.resource(Deployment).namespace("web").subresource("scale").get(name),
            () => client.request({ path: "/metrics", accept: "*/*" }),
            () => client.request({ path: "/version" }),
          ]);
          await act().catch((error: unknown) => {
            if (isForbidden(error)) refused++;
          });
        }
        return refused;
      };
      events.length = 0;
      await run(admin, "a");
      const { objects } = planRbac(events, { name: "op", user: "admin" });
      const grant = async (
        rules: (given: readonly PolicyRule[], index: number) => readonly PolicyRule[],
      ): Promise<void> => {
        for (const [index, object] of objects.entries()) {
          if (!("rules" in object)) continue;
          const { namespace = "" } = object.metadata!;
          const changed = { ...object, rules: rules(object.rules ?? [], index) };
          const cluster = object.kind === "ClusterRole";
          const path = `/apis/rbac.authorization.k8s.io/v1/${cluster ? "" : `namespaces/${namespace}/`}`;
          const query = { fieldManager: "t", force: "true" };
          const binding = {
            apiVersion: object.apiVersion,
            kind: `${object.kind}Binding`,
            metadata: object.metadata,
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: object.kind, name: "op" },
            subjects: [{ kind: "User", name: "op", apiGroup: "rbac.authorization.k8s.io" }],
          };
          const kinds = cluster ? ["clusterroles", "clusterrolebindings"] : ["roles", "rolebindings"];
          for (const [at, body] of [changed, binding].entries())
            await admin.request({
              method: "PATCH",
              path: `${path}${kinds[at]}/op`,
              query,
              contentType: "application/apply-patch+yaml",
              body: JSON.stringify(body),
            });
        }
      };
      await grant((rules) => rules);
      expect(await run(operator, "b")).toBe(0);
      // Without any one verb, a request is refused.
      const places = objects.flatMap((object, index) =>
        "rules" in object
          ? (object.rules ?? []).flatMap((rule, at) => rule.verbs.map((verb) => ({ index, at, verb })))
          : [],
      );
      const missing = createRandom(seed, "missing").pick(places);
      await grant((rules, index) =>
        rules.map((rule, at) =>
          index === missing.index && at === missing.at
            ? { ...rule, verbs: [...rule.verbs.filter((verb) => verb !== missing.verb), "none"] }
            : rule,
        ),
      );
      expect(await run(operator, "c"), JSON.stringify(missing)).toBeGreaterThan(0);
      await Promise.all([admin.close(), operator.close()]);
      await server.close();
    },
  );
});
