import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { Node, Pod, Secret } from "../../../src/kinds/core/v1.js";
import { Role, RoleBinding } from "../../../src/kinds/rbac/v1.js";
import { type AccessQuery, createAccessCache } from "../../../src/stores/access-cache.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";
import { until } from "../controller/world.js";

const admin = { name: "admin", uid: "1", groups: ["system:masters", "system:authenticated"], extra: {} };
const jane = { name: "jane", uid: "2", groups: ["system:authenticated"], extra: {} };

/** A server with RBAC, where jane may read pods and one secret, and the reviews that she sent. */
async function openRbac(fail: (path: string) => Response | undefined = () => undefined) {
  const server = createApiServer({ authorizationMode: "RBAC" });
  const owner = createClient({ transport: handlerTransport((request) => server.handle(request, { user: admin })) });
  const reviews: string[] = [];
  const client = createClient({
    retry: false,
    transport: handlerTransport((request) => {
      const path = new URL(request.url).pathname.split("/").at(-1)!;
      reviews.push(path);
      const failure = fail(path);
      return failure === undefined ? server.handle(request, { user: jane }) : Promise.resolve(failure);
    }),
  });
  await owner
    .resource(Role)
    .namespace("default")
    .create({
      metadata: { name: "reader" },
      rules: [
        { apiGroups: [""], resources: ["pods", "*/log"], verbs: ["get", "list"] },
        { apiGroups: [""], resources: ["secrets"], resourceNames: ["tls"], verbs: ["get"] },
      ],
    });
  const binding = {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
  };
  await owner.resource(RoleBinding).namespace("default").create(binding);
  return {
    client,
    owner,
    reviews,
    async [Symbol.asyncDispose]() {
      await client.close();
      await owner.close();
      await server.close();
    },
  };
}

const cases: [what: string, query: AccessQuery, allowed: boolean][] = [
  ["list pods", { verb: "list", kind: Pod, namespace: "default" }, true],
  ["delete pods", { verb: "delete", kind: Pod, namespace: "default" }, false],
  ["get logs", { verb: "get", kind: Pod, subresource: "log", namespace: "default" }, true],
  ["create exec", { verb: "create", kind: Pod, subresource: "exec", namespace: "default" }, false],
  ["get any secret", { verb: "get", kind: Secret, namespace: "default" }, false],
  ["get one secret", { verb: "get", kind: Secret, namespace: "default", name: "tls" }, true],
  ["list deployments", { verb: "list", kind: Deployment, namespace: "default" }, false],
];

it.each(cases)("an access cache answers %s from the rules of the namespace", async (_what, query, allowed) => {
  await using world = await openRbac();
  const access = createAccessCache(world.client);
  expect(await access.check(query)).toBe(allowed);
  expect(world.reviews).toEqual(["selfsubjectrulesreviews"]);
});

it("one rules review answers all queries of a namespace for its lifetime", async () => {
  await using world = await openRbac();
  const clock = createVirtualClock();
  const access = createAccessCache(world.client, { clock, lifetimeMs: 1_000 });
  await Promise.all(cases.map(([, query]) => access.check(query)));
  expect(world.reviews.length).toBe(1);
  await clock.advance(999);
  await access.check(cases[0]![1]);
  expect(world.reviews.length).toBe(1);
  await clock.advance(1);
  await access.check(cases[0]![1]);
  access.invalidate();
  await access.check(cases[0]![1]);
  expect(world.reviews.length).toBe(3);
});

it.each([
  ["outside a namespace", { verb: "list", kind: Pod } satisfies AccessQuery, () => undefined],
  ["for a cluster-scoped kind", { verb: "list", kind: Node } satisfies AccessQuery, () => undefined],
  [
    "if the rules are incomplete",
    cases[0]![1],
    (path: string) =>
      path === "selfsubjectrulesreviews"
        ? Response.json({ status: { incomplete: true, resourceRules: [], nonResourceRules: [] } }, { status: 201 })
        : undefined,
  ],
  [
    "if rules reviews are forbidden",
    cases[0]![1],
    (path: string) => (path === "selfsubjectrulesreviews" ? new Response("no", { status: 403 }) : undefined),
  ],
])("an access review answers %s", async (_what, query, fail) => {
  await using world = await openRbac(fail);
  const access = createAccessCache(world.client);
  expect(await access.check(query)).toBe(query === cases[0]![1]);
  await access.check(query);
  expect(world.reviews.filter((path) => path === "selfsubjectaccessreviews").length).toBe(1);
});

it("an access store notifies its subscribers when the answer changes, and retries after a failure", async () => {
  let broken = false;
  await using world = await openRbac(() => (broken ? new Response("down", { status: 500 }) : undefined));
  const clock = createVirtualClock();
  const access = createAccessCache(world.client, { clock, lifetimeMs: 60_000 });
  const store = access.store(cases[0]![1]);
  expect([access.store(cases[0]![1]) === store, store.getSnapshot().allowed]).toEqual([true, undefined]);
  let notified = 0;
  const unsubscribe = store.subscribe(() => notified++);
  await until("allowed", () => store.getSnapshot().allowed === true);
  await world.owner.resource(RoleBinding).namespace("default").delete("reader");
  await settle();
  await clock.advance(60_000);
  await until("refused", () => store.getSnapshot().allowed === false);
  expect(notified).toBe(2);
  broken = true;
  await clock.advance(60_000);
  await until("failed", () => store.getSnapshot().error !== undefined);
  expect(store.getSnapshot().allowed).toBe(false);
  broken = false;
  await clock.advance(10_000);
  await until("recovered", () => store.getSnapshot().error === undefined);
  unsubscribe();
  expect(clock.pending).toBe(0);
});
