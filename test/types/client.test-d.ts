import { type Client, createClient } from "../../src/client/client.js";
import { withDryRun } from "../../src/client/decorators/with-dry-run.js";
import { withFieldManager } from "../../src/client/decorators/with-field-manager.js";
import { withImpersonation } from "../../src/client/decorators/with-impersonation.js";
import type { ListChunk } from "../../src/client/resource/collection.js";
import type { DeleteResult, DynamicObject } from "../../src/client/resource/collection-handle.js";
import { isStatus } from "../../src/client/resource/collection-handle.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import type { Scale } from "../../src/kinds/autoscaling/v1.js";
import { ConfigMap, Namespace, Node, Pod } from "../../src/kinds/core/v1.js";
import { defineKind } from "../../src/meta/define-kind.js";
import type { Kind } from "../../src/meta/kind.js";
import type { List } from "../../src/meta/list.js";
import type { DeepReadonly } from "../../src/meta/object.js";
import type { Status } from "../../src/meta/status.js";
import type { PartialObjectMetadata } from "../../src/meta/table.js";
import type { WatchEvent } from "../../src/meta/watch-event.js";
import { connect } from "../../src/node/connection/connect.js";
import { createOrUpdate } from "../../src/objects/create-or-update.js";
import { addFinalizer } from "../../src/objects/finalizers.js";
import { evict } from "../../src/operations/evict.js";
import { scale } from "../../src/operations/scale.js";
import type { Transport } from "../../src/transport/transport.js";
import type { Equal, Expect } from "./assert.js";

declare const client: Client;
declare const transport: Transport;
declare const cached: DeepReadonly<Pod>;
declare const discovered: Kind;
const pods = client.resource(Pod).namespace("x");
const CronTab = defineKind<{ cron: string }, { seen?: boolean }>()({
  group: "example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  scope: "Namespaced",
});
const tabs = client.resource(CronTab).namespace("x");

export async function results(): Promise<void> {
  const one = await pods.get("a");
  const list = await client.resource(Pod).list();
  const page = (await pods.pages().next()).value as List<Pod>;
  const deleted = await pods.delete("a");
  const scaled = await client.resource(Deployment).namespace("x").subresource("scale").get("a");
  const status = await client.resource(Deployment).namespace("x").subresource("status").get("a");
  const evicted = await pods.subresource("eviction").create("a", {});
  const meta = await pods.metadataOnly().get("a");
  const metas = await client.resource(Pod).metadataOnly().list();
  const rows = await pods.asTable<Pod>({ includeObject: "Object" }).list();
  const tab = await tabs.get("a");
  const tabStatus = await tabs.subresource("status").get("a");
  const dynamic = await client.resource(discovered).namespace("x").get("a");
  const found = await scale(client.resource(Deployment).namespace("x"), "a", 3);
  const ensured = await createOrUpdate(pods, "a", (pod) => {
    pod.spec = { containers: [] };
  });
  const finalized = await addFinalizer(client.resource(Node), "n", "f");
  type _Checks = [
    Expect<Equal<typeof one, Pod>>,
    Expect<Equal<typeof list, List<Pod>>>,
    Expect<Equal<typeof page, List<Pod>>>,
    Expect<Equal<typeof deleted, DeleteResult<Pod>>>,
    Expect<Equal<typeof scaled, Scale>>,
    Expect<Equal<typeof status, Deployment>>,
    Expect<Equal<typeof evicted, Status>>,
    Expect<Equal<typeof meta, PartialObjectMetadata>>,
    Expect<Equal<typeof metas, List<PartialObjectMetadata>>>,
    Expect<Equal<(typeof rows)["items"][number]["object"], Pod | null>>,
    Expect<Equal<NonNullable<(typeof tab)["spec"]>, { cron: string }>>,
    Expect<Equal<(typeof tabStatus)["status"], { seen?: boolean } | undefined>>,
    Expect<Equal<typeof dynamic, DynamicObject>>,
    Expect<Equal<typeof found, Scale>>,
    Expect<Equal<typeof ensured.object, Pod>>,
    Expect<Equal<typeof finalized, Node>>,
  ];
  for await (const event of pods.watch()) {
    type _Event = Expect<Equal<typeof event, WatchEvent<Pod>>>;
    if (event.type === "BOOKMARK") {
      // @ts-expect-error a bookmark has no spec
      event.object.spec;
    } else event.object.spec?.nodeName?.trim();
  }
  for await (const item of client.resource(Node).items()) type_node(item);
  for await (const slice of pods.listChunks()) type_slice(slice);
  if (!isStatus(deleted)) deleted.spec?.containers;
}
declare function type_node(node: Node): void;
declare function type_slice(slice: ListChunk<Pod>): void;

export async function inputs(): Promise<void> {
  await pods.create(cached);
  await pods.update(cached);
  await pods.update({ ...cached, metadata: { ...cached.metadata, labels: { a: "b" } } });
  await pods.update("a", (pod) => {
    pod.metadata!.labels = {};
  });
  await pods.update("a", async (pod) => ({ ...pod }));
  await evict(pods, "a");
  await pods.patch("a", { type: "merge", patch: { spec: { nodeName: null } } });
  await tabs.patch("a", { type: "merge", patch: { spec: { cron: "x" } } });
  await tabs.apply(
    { apiVersion: "example.com/v1", kind: "CronTab", metadata: { name: "a" }, spec: { cron: "x" } },
    { fieldManager: "m" },
  );
}

export async function managed(): Promise<void> {
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: {} } as const;
  for (const mine of [
    withFieldManager(client, "m"),
    withDryRun(withFieldManager(client, "m")),
    withFieldManager(withImpersonation(client, { user: "x" }), "m"),
    client.derive({ fieldManager: "m" }),
    withFieldManager(client, "m").derive({ dryRun: "All" }),
    createClient({ transport, fieldManager: "m" }),
    await connect({ fieldManager: "m" }),
  ]) {
    const deployments = mine.resource(Deployment).namespace("x");
    const applied = await deployments.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } });
    await deployments.apply({ ...web, spec: { replicas: 3 } }, { force: true });
    await deployments
      .subresource("scale")
      .apply({ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas: 3 } });
    await mine.resource(Node).apply({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, {});
    await mine
      .resource(discovered)
      .namespace("x")
      .apply({ apiVersion: "v1", kind: "X", metadata: { name: "n" } });
    const list = await mine.resource(Pod).list();
    type _Checks = [Expect<Equal<typeof applied, Deployment>>, Expect<Equal<typeof list, List<Pod>>>];
    // @ts-expect-error no such field
    await deployments.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spek: {} });
    const plain: Client = mine;
    // @ts-expect-error a Client type without a field manager can't apply
    await plain.resource(Node).apply({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
    const dryRunNodes = withDryRun(plain).resource(Node);
    // @ts-expect-error decorating it with something else adds no field manager
    await dryRunNodes.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  }
}

export async function refused(): Promise<void> {
  // @ts-expect-error reading a namespaced object requires a namespace
  await client.resource(Pod).get("a");
  // @ts-expect-error deleting a collection requires a namespace
  await client.resource(Pod).deleteCollection();
  // @ts-expect-error nodes have no namespace
  client.resource(Node).namespace("x");
  // @ts-expect-error pods have no scale
  pods.subresource("scale");
  // @ts-expect-error config maps cannot be evicted
  await evict(client.resource(ConfigMap).namespace("x"), "a");
  // @ts-expect-error namespaces have no replicas
  await scale(client.resource(Namespace), "a", 1);
  // @ts-expect-error custom resources take no strategic merge patch
  await tabs.patch("a", { type: "strategic", patch: {} });
  // @ts-expect-error a remove has no value
  await pods.patch("a", { type: "json", operations: [{ op: "remove", path: "/a", value: 1 }] });
  // @ts-expect-error no such field
  await pods.patch("a", { type: "merge", patch: { spek: {} } });
  // @ts-expect-error apply needs a field manager
  await pods.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, {});
  // @ts-expect-error status is applied through its subresource
  await pods.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, status: {} }, { fieldManager: "m" });
  // @ts-expect-error objects from a cache are read-only
  cached.metadata!.labels!["a"] = "b";
  // @ts-expect-error dryRun only accepts "All"
  await pods.create({}, { dryRun: "Server" });
}
