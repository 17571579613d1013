import { describe, expect, it } from "vitest";
import { withImpersonation } from "../../../src/client/decorators/with-impersonation.js";
import { ConfigMap, ResourceQuota, Secret } from "../../../src/kinds/core/v1.js";
import { Role, RoleBinding } from "../../../src/kinds/rbac/v1.js";
import { applyPlan } from "../../../src/manifests/apply-plan.js";
import { applySet } from "../../../src/manifests/apply-set.js";
import { formatPlan } from "../../../src/manifests/format-plan.js";
import { type PlanManifestsOptions } from "../../../src/manifests/plan-manifests.js";
import { apply, deployment, map, object, options, plan } from "./make-plan.js";
import type { TestClient } from "./manifest-server.js";
import { withServer } from "./manifest-server.js";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "sites", kind: "Site" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const planOne = async (client: TestClient, manifest: object, more: Partial<PlanManifestsOptions> = {}) =>
  (await plan(client, [manifest], more)).items[0]!;

const policy = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "no-denied" },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      validations: [{ expression: "object.metadata.name != 'denied'" }],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "no-denied" },
    spec: { policyName: "no-denied", validationActions: ["Deny"] },
  },
];

describe("planManifests", () => {
  it("plans objects to create, to change and unchanged ones, and writes nothing", () =>
    withServer(async (client, api) => {
      await apply(client, [map("same"), deployment("shop:1", 2)]);
      const before = api.dump();
      const { items } = await plan(client, [map("same"), map("new"), deployment("shop:2", 3)]);
      expect(api.dump()).toEqual(before);
      expect(items.map(({ name, action }) => [name, action])).toEqual([
        ["same", "unchanged"],
        ["new", "create"],
        ["shop", "change"],
      ]);
      expect(items[1]).toMatchObject({ namespace: "web", changes: [], object: { data: { a: "1" } } });
      expect(items[1]!.stored).toBeUndefined();
      expect(items[2]!.changes).toEqual([
        { path: ".spec.replicas", before: 2, after: 3, owners: ["deployer"], conflict: false },
        {
          path: `.spec.template.spec.containers[name="web"].image`,
          before: "shop:1",
          after: "shop:2",
          owners: ["deployer"],
          conflict: false,
        },
      ]);
    }));

  it("lists the items of a keyed list that are added and removed", () =>
    withServer(async (client) => {
      const service = (ports: object[]) => object("Service", "shop", { spec: { ports } });
      await apply(client, [
        service([
          { name: "a", port: 80 },
          { name: "b", port: 81 },
        ]),
      ]);
      const item = await planOne(
        client,
        service([
          { name: "a", port: 80 },
          { name: "c", port: 82 },
        ]),
      );
      expect(item.changes).toMatchObject([
        { path: `.spec.ports[port=81,protocol="TCP"]`, before: { name: "b" }, owners: ["deployer"] },
        { path: `.spec.ports[port=82,protocol="TCP"]`, after: { name: "c" }, owners: [] },
      ]);
    }));

  it("lists conflicts with their owners, and none if the apply forces the change", () =>
    withServer(async (client) => {
      await apply(client, [deployment("shop:1", 2)], { fieldManager: "autoscaler" });
      const item = await planOne(client, deployment("shop:1", 5));
      expect(item).toMatchObject({ action: "refuse", refusal: { reason: "conflict", code: 409 } });
      expect(item.changes).toEqual([
        { path: ".spec.replicas", before: 2, after: 5, owners: ["autoscaler"], conflict: true },
      ]);
      const forced = await planOne(client, deployment("shop:1", 5), { force: true });
      expect(forced).toMatchObject({ action: "change", changes: [{ path: ".spec.replicas", conflict: false }] });
    }));

  it("plans a change without fields if the apply only takes ownership", () =>
    withServer(async (client) => {
      await client
        .resource(ConfigMap)
        .namespace("web")
        .create({ metadata: { name: "a" }, data: { a: "1" } });
      expect(await planOne(client, map("a"))).toMatchObject({ action: "change", changes: [] });
    }));

  it("plans objects of namespaces and definitions of the same manifests for later, in the order of the apply", () =>
    withServer(async (client) => {
      const site = { ...object("Site", "home", {}, "example.com/v1"), metadata: { name: "home", namespace: "new" } };
      const { items } = await plan(client, [
        site,
        { ...map("a"), metadata: { name: "a", namespace: "new" } },
        definition,
        object("Namespace", "new"),
      ]);
      expect(items.map(({ kind, action, after }) => [kind, action, after])).toEqual([
        ["Namespace", "create", undefined],
        ["CustomResourceDefinition", "create", undefined],
        ["ConfigMap", "later", [`Namespace "new"`]],
        ["Site", "later", [`CustomResourceDefinition "sites.example.com"`]],
      ]);
    }));

  it("refuses a kind that no definition of the same manifests defines, also in its group", () =>
    withServer(async (client) => {
      const { items } = await plan(client, [definition, object("Page", "home", {}, "example.com/v1")]);
      expect(items).toMatchObject([{ action: "create" }, { action: "refuse", refusal: { reason: "missingKind" } }]);
    }));

  it.each<[string, object, Partial<PlanManifestsOptions>, object]>([
    ["a missing namespace", map("a"), { namespace: "gone" }, { reason: "missingNamespace", code: 404 }],
    ["a missing kind", object("Site", "a", {}, "example.com/v1"), {}, { reason: "missingKind" }],
    [
      "an invalid field",
      object("Service", "a", { spec: { ports: [{ port: 0, targetPort: 80 }] } }),
      {},
      { reason: "invalid", causes: [{ field: "spec.ports[0].port" }] },
    ],
    [
      "a namespace on a cluster-scoped object",
      { ...object("Namespace", "a"), metadata: { name: "a", namespace: "b" } },
      {},
      { reason: "invalid" },
    ],
    [
      "a changed selector",
      {
        ...deployment("shop:1"),
        spec: {
          selector: { matchLabels: { app: "other" } },
          template: { metadata: { labels: { app: "other" } }, spec: { containers: [{ name: "web", image: "a" }] } },
        },
      },
      { force: true },
      { reason: "immutable", code: 422 },
    ],
    [
      "an exceeded quota",
      object("Service", "a", { spec: { ports: [{ port: 80 }] } }),
      {},
      { reason: "quota", code: 403 },
    ],
    ["a denial by a policy", map("denied"), {}, { reason: "denied", code: 422 }],
  ])("reports the reason of a refusal: %s", (_title, manifest, more, refusal) =>
    withServer(async (client) => {
      await apply(client, [deployment("shop:1")]);
      const quotas = client.resource(ResourceQuota).namespace("web");
      await quotas.create({ metadata: { name: "q" }, spec: { hard: { services: "0" } } });
      const quota = { hard: { services: "0" }, used: { services: "0" } };
      await quotas.subresource("status").patch("q", { type: "merge", patch: { status: quota } });
      await apply(client, policy as object[]);
      const item = await planOne(client, manifest, more);
      expect(item).toMatchObject({ action: "refuse", refusal });
    }),
  );

  it("reports a denial by RBAC, and plans the other objects", () =>
    withServer(
      async (client) => {
        const roles = client.resource(Role).namespace("web");
        const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "patch", "create"] }];
        await roles.create({ metadata: { name: "maps" }, rules });
        await client
          .resource(RoleBinding)
          .namespace("web")
          .create({
            metadata: { name: "maps" },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "maps" },
            subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
          });
        const jane = withImpersonation(client, { user: "jane" }) as TestClient;
        const { items } = await plan(jane, [object("Secret", "s"), map("a")]);
        expect(items).toMatchObject([
          { name: "s", action: "refuse", refusal: { reason: "forbidden", code: 403 } },
          { name: "a", action: "create" },
        ]);
      },
      { authorizationMode: "RBAC" },
    ));

  it("plans the pruning of an apply set, which then prunes the same objects", () =>
    withServer(async (client) => {
      const parent = { name: "app", namespace: "web" };
      await applySet(client, [map("a"), map("b"), map("c")] as never[], { ...options, parent });
      const planned = await plan(client, [map("a")], { applySet: { parent } });
      expect(planned.items.map(({ name, action }) => [name, action])).toEqual([
        ["a", "unchanged"],
        ["b", "prune"],
        ["c", "prune"],
      ]);
      expect((await plan(client, [map("a")], { applySet: { parent, prune: false } })).items).toHaveLength(1);
      const outcomes = await applyPlan(client, planned, { fieldManager: "deployer" });
      expect(outcomes.map(({ name, outcome }) => [name, outcome])).toEqual([
        ["a", "unchanged"],
        ["b", "pruned"],
        ["c", "pruned"],
      ]);
    }));

  it("shows no value of a Secret, neither in the plan nor in its text", () =>
    withServer(async (client) => {
      const secret = (data: object) => object("Secret", "s", { stringData: data });
      await apply(client, [secret({ token: "hunter2-old", other: "hunter2-same" })]);
      await client
        .resource(Secret)
        .namespace("web")
        .patch("s", {
          type: "merge",
          patch: { metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "hunter2" } } },
        });
      const result = await plan(client, [
        secret({ token: "hunter2-new", added: "hunter2-added" }),
        object("Secret", "new", { stringData: { a: "hunter2" } }),
      ]);
      const text = JSON.stringify(result) + formatPlan(result);
      expect(text).not.toMatch(/hunter2|aHVudGVyM/);
      expect(text).toContain("*** (after)");
      expect(result.items[0]!.changes.map(({ path }) => path)).toContain(".data.token");
    }));

  it("rejects a dry run, which it is itself", () =>
    withServer(async (client) => {
      await expect(plan(client, [], { dryRun: "All" } as object)).rejects.toThrow("options.dryRun is not supported");
    }));
});
