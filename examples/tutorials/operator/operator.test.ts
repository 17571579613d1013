import { readFileSync } from "node:fs";
import { type Client, createClient, handlerTransport } from "kubestream";
import { type ApiServer, createApiServer } from "kubestream/apiserver";
import { hasCondition, waitFor } from "kubestream/cache";
import type { Manager } from "kubestream/controller";
import { bearerToken } from "kubestream/interceptors";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { Deployment } from "kubestream/kinds/apps/v1";
import { Service } from "kubestream/kinds/core/v1";
import { Event } from "kubestream/kinds/events/v1";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOperator } from "./operator.js";
import { crd, Website } from "./website.js";

const timeoutMs = 20_000;
let server: ApiServer;
let admin: Client;
let operator: Client;
let manager: Manager;
let unpublished: string[];

/** Users of the test server by token. The operator is the service account of deploy.yaml, with its permissions and no more. */
const user = (name: string, groups: string[]) => ({ name, uid: name, groups, extra: {} });
const tokens = new Map([
  ["admin", user("admin", ["system:masters"])],
  ["operator", user("system:serviceaccount:website-operator:website-operator", ["system:authenticated"])],
]);
const login = (token: string): Client =>
  createClient({ transport: handlerTransport(server.handle), interceptors: [bearerToken(token)] });

beforeEach(async () => {
  server = createApiServer({ authorizationMode: "RBAC", tokens });
  await server.load(readFileSync(new URL("deploy.yaml", import.meta.url), "utf8"));
  admin = login("admin");
  operator = login("operator");
  await operator.resource(CustomResourceDefinition).apply(structuredClone(crd) as never, { fieldManager: "test" });
  await server.settled();
  unpublished = [];
  manager = createOperator({
    client: operator,
    namespace: "website-operator",
    unpublish: async (host) => void unpublished.push(host),
  });
  manager.start();
});

afterEach(async () => {
  await manager.stop();
  await operator.close();
  await admin.close();
  await server.close();
});

it("creates a Deployment and a Service, and reports when they are ready", async () => {
  const websites = admin.resource(Website).namespace("default");
  const deployments = admin.resource(Deployment).namespace("default");
  await websites.create({ metadata: { name: "docs" }, spec: { image: "docs:1", host: "docs.example.com" } });

  const waiting = await waitFor(websites, "docs", hasCondition("Ready", "False"), { timeoutMs });
  expect(waiting?.status?.conditions?.[0]?.message).toBe("0 of 1 replicas are ready");
  expect((await deployments.get("docs")).spec?.template.spec?.containers[0]?.image).toBe("docs:1");
  expect((await admin.resource(Service).namespace("default").get("docs")).spec?.ports?.[0]?.port).toBe(80);

  // No kubelet runs here: the test plays its part.
  await deployments
    .subresource("status")
    .patch("docs", { type: "merge", patch: { status: { replicas: 1, readyReplicas: 1 } } });
  await waitFor(websites, "docs", hasCondition("Ready", "True"), { timeoutMs });
  const events = admin.resource(Event).namespace("default");
  await expect.poll(async () => (await events.list()).items.map(({ reason }) => reason)).toEqual(["Published"]);
});

it("restores what someone else changed or deleted", async () => {
  const websites = admin.resource(Website).namespace("default");
  const services = admin.resource(Service).namespace("default");
  await websites.create({ metadata: { name: "shop" }, spec: { image: "shop:1", host: "shop.example.com" } });
  const first = await waitFor(services, "shop", (found) => found !== undefined, { timeoutMs });
  await services.delete("shop");
  const second = await waitFor(
    services,
    "shop",
    (found) => found !== undefined && found.metadata?.uid !== first?.metadata?.uid,
    { timeoutMs },
  );
  expect(second?.metadata?.ownerReferences?.[0]?.kind).toBe("Website");
});

it("removes the host from DNS before a Website disappears", async () => {
  const websites = admin.resource(Website).namespace("default");
  await websites.create({ metadata: { name: "old" }, spec: { image: "old:1", host: "old.example.com" } });
  await waitFor(websites, "old", hasCondition("Ready", "False"), { timeoutMs });
  await websites.delete("old");
  await waitFor(websites, "old", (found) => found === undefined, { timeoutMs });
  expect(new Set(unpublished)).toEqual(new Set(["old.example.com"]));
  // The garbage collector follows the owner reference.
  await waitFor(admin.resource(Deployment).namespace("default"), "old", (found) => found === undefined, { timeoutMs });
});
