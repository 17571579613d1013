import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/index.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createInformerFactory } from "../../../src/cache/informer/informer-factory.js";
import { createClient } from "../../../src/client/client.js";
import { withDryRun } from "../../../src/client/decorators/with-dry-run.js";
import { cbor } from "../../../src/codec/cbor/index.js";
import { protobuf } from "../../../src/codec/protobuf/index.js";
import { createEventRecorder } from "../../../src/controller/events/create-event-recorder.js";
import { createLeaderElector } from "../../../src/controller/leader-election/create-leader-elector.js";
import { createManager } from "../../../src/controller/manager/create-manager.js";
import { createWorkQueue } from "../../../src/controller/queue/work-queue.js";
import { createController } from "../../../src/controller/reconcile/create-controller.js";
import { createDiscovery } from "../../../src/discovery/discovery.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { Lease } from "../../../src/kinds/coordination/v1.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { Event } from "../../../src/kinds/events/v1.js";
import { createOrUpdate } from "../../../src/objects/create-or-update.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { scripted } from "./scripted-transport.js";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } as const;

/** Returns options in which every optional property of an interface of the public API is `undefined`. */
function nothing(report: string, ...names: string[]): Record<string, undefined> {
  const file = join(import.meta.dirname, "../../../docs/api", `${report}.d.ts`);
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const properties = source.statements
    .filter((each) => ts.isInterfaceDeclaration(each))
    .filter((each) => names.includes(each.name.text))
    .flatMap((each) => each.members.filter((member) => member.questionToken));
  expect(properties.length).toBeGreaterThan(0);
  return Object.fromEntries(properties.map((property) => [property.name!.getText(source), undefined]));
}

describe("options that are undefined", () => {
  it("client.derive keeps the client's defaults", async () => {
    const transport = scripted({ body: object });
    const client = createClient({ transport, fieldManager: "me", headers: { "x-team": "a" }, timeoutMs: 5_000 });
    const derived = client.derive(nothing("index", "CallDefaults"));
    await derived.resource(ConfigMap).namespace("x").create({});
    expect(derived.fieldManager).toBe("me");
    expect(transport.requests[0]).toMatchObject({
      path: expect.stringMatching(/fieldManager=me.*timeout=5000ms/) as string,
      headers: { "x-team": "a" },
    });
  });

  it("a call keeps the client's field manager and dry run", async () => {
    const transport = scripted({ body: object });
    const maps = withDryRun(createClient({ transport, fieldManager: "me" }))
      .resource(ConfigMap)
      .namespace("x");
    await maps.create({}, nothing("index", "WriteOptions", "RequestOptions"));
    expect(transport.requests[0]!.path).toMatch(/\?dryRun=All&fieldManager=me$/);
  });

  it("an informer factory's defaults stay, and equal informers are shared", async () => {
    const server = await createApiServer();
    await using client = createClient({ transport: handlerTransport((request) => server.handle(request)) });
    const maps = client.resource(ConfigMap).namespace("default");
    await using factory = createInformerFactory({ labelSelector: "app=a", decode: { managedFields: "drop" } });
    await using first = factory.informer(maps);
    await using second = factory.informer(
      maps,
      nothing("cache", "SharedInformerOptions", "InformerOptions", "ReflectorOptions"),
    );
    expect(factory.size).toBe(1);
    expect(first.store).toBe(second.store);
    await server.close();
  });

  it("constructors accept them", async () => {
    const server = await createApiServer(nothing("apiserver", "ApiServerOptions"));
    const client = createClient({
      transport: handlerTransport((request) => server.handle(request)),
      ...nothing("index", "ClientOptions", "CallDefaults"),
    });
    const maps = client.resource(ConfigMap).namespace("default");
    const informer = createInformer(maps, nothing("cache", "InformerOptions", "ReflectorOptions"));
    await informer.synced(nothing("cache", "WaitOptions"));
    createDiscovery(client, nothing("discovery", "DiscoveryOptions"));
    createWorkQueue(nothing("controller", "WorkQueueOptions"));
    createEventRecorder({
      events: client.resource(Event),
      controller: "a/b",
      ...nothing("controller", "EventRecorderOptions"),
    });
    createController({
      name: "a",
      for: maps,
      reconcile: () => undefined,
      ...nothing("controller", "ControllerOptions"),
    });
    createManager(nothing("controller", "ManagerOptions"));
    const leases = client.resource(Lease).namespace("default");
    createLeaderElector({
      leases,
      name: "a",
      onStartedLeading: async () => undefined,
      ...nothing("controller", "LeaderElectionOptions", "LeaderCallbacks"),
    });
    await informer.close();
    await client.close();
    await server.close();
  });
});

describe("fields that are undefined", () => {
  it.each([
    ["JSON", undefined],
    ["CBOR", cbor()],
    ["Protobuf", protobuf()],
  ])("%s leaves them out of the request", async (_name, codec) => {
    const server = await createApiServer();
    await using client = createClient({
      transport: handlerTransport((request) => server.handle(request)),
      codecs: codec && [codec],
    });
    const created = await client
      .resource(ConfigMap)
      .namespace("default")
      .create({ metadata: { name: "a", labels: undefined }, data: { b: "c" }, immutable: undefined });
    expect(created.immutable).toBeUndefined();
    expect(created.metadata?.labels).toBeUndefined();
    expect(created.data).toEqual({ b: "c" });
    await server.close();
  });

  it("createOrUpdate doesn't send an update for them", async () => {
    const existing = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "a", namespace: "x", resourceVersion: "1" },
      spec: { selector: {}, template: {} },
    };
    const transport = scripted({ body: existing });
    const handle = createClient({ transport }).resource(Deployment).namespace("x");
    const { outcome } = await createOrUpdate(handle, "a", (current) => {
      current.spec = { ...current.spec!, replicas: undefined };
      return current;
    });
    expect(outcome).toBe("unchanged");
    expect(transport.requests.map(({ method }) => method)).toEqual(["GET"]);
  });
});
