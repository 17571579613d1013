import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Controller, ControllerOptions } from "../../../../src/controller/reconcile/controller.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../../src/controller/reconcile/enqueue.js";
import { kindSource } from "../../../../src/controller/reconcile/kind-source.js";
import { requestKey } from "../../../../src/controller/reconcile/reconcile-request.js";
import { ClosedError } from "../../../../src/errors/errors.js";
import { CustomResourceDefinition } from "../../../../src/kinds/apiextensions/v1.js";
import { ConfigMap, Secret } from "../../../../src/kinds/core/v1.js";
import type { Kind } from "../../../../src/meta/kind.js";
import type { KubernetesObject } from "../../../../src/meta/object.js";
import { openWorld, type TestWorld, until } from "../world.js";

let world: TestWorld;
let calls: string[];
let entries: LogEntry[];
const controllers: Controller[] = [];

beforeEach(() => {
  world = openWorld();
  calls = [];
  entries = [];
});
afterEach(async () => {
  for (const controller of controllers.splice(0)) await controller.stop();
  await world[Symbol.asyncDispose]();
});

function begin(options: Partial<ControllerOptions<ConfigMap>> = {}): Controller {
  const controller = createController<ConfigMap>({
    name: "test",
    for: world.client.resource(ConfigMap).namespace("default"),
    log: (entry) => entries.push(entry),
    reconcile: (request) => void calls.push(requestKey(request)),
    ...options,
  });
  controllers.push(controller);
  return controller;
}

const runs = (controller: Controller): Promise<void> =>
  until("the controller runs", () => controller.status.type === "running");
const seen = (...keys: string[]): Promise<void> =>
  until(`calls for ${keys.join()}`, () => keys.every((key) => calls.includes(key)));

/** Enqueues the ConfigMap that has the name of the changed object. */
const byName = enqueueMapped<KubernetesObject>(({ metadata }) => [{ namespace: "default", name: metadata!.name! }]);
const secrets = () => world.client.resource(Secret).namespace("default");
const createSecret = (name: string) => secrets().create({ metadata: { name } });

describe("controller.addSource", () => {
  it("starts a source on a running controller, and remove stops it", async () => {
    await createSecret("before");
    const controller = begin();
    controller.start();
    await runs(controller);
    const added = controller.addSource(kindSource(secrets(), byName));
    expect(controller.sources.map(({ description }) => description)).toEqual([
      'configmaps in "default"',
      'secrets in "default"',
    ]);
    await added.synced();
    await seen("default/before");
    expect(added.source.status.informer?.type).toBe("watching");
    await createSecret("during");
    await seen("default/during");
    await added.remove();
    expect(controller.sources).toHaveLength(1);
    calls.length = 0;
    await createSecret("after");
    controller.enqueue({ namespace: "default", name: "marker" });
    await seen("default/marker");
    expect(calls).toEqual(["default/marker"]);
    await added.remove();
  });

  it("starts a source that was added before the controller, which waits for its cache", async () => {
    await createSecret("before");
    const controller = begin();
    const added = controller.addSource(kindSource(secrets(), byName));
    await expect(added.synced()).rejects.toThrow('controller test: secrets in "default" hasn\'t been started');
    controller.start();
    expect(controller.status).toEqual({
      type: "syncing",
      waitingFor: ['configmaps in "default"', 'secrets in "default"'],
    });
    await runs(controller);
    expect(added.source.status.informer?.type).toBe("watching");
    await seen("default/before");
  });

  it("doesn't make the controller wait for a source that was removed while its cache was filled", async () => {
    const controller = begin();
    const never = controller.addSource({
      description: "never",
      start: () => ({ synced: () => new Promise(() => undefined), stop: () => Promise.resolve() }),
    });
    const rejecting = controller.addSource({
      description: "rejecting",
      start() {
        let reject: (error: Error) => void;
        const ended = new Promise<void>((_, no) => (reject = no));
        return {
          synced: () => ended,
          stop() {
            reject(new ClosedError("removed"));
            return Promise.resolve();
          },
        };
      },
    });
    await never.remove();
    controller.start();
    await until(
      "the other sources are there",
      () => controller.status.type === "syncing" && controller.status.waitingFor.join() === "rejecting",
    );
    await rejecting.remove();
    await runs(controller);
  });

  it("waits for all sources at a stop, also if stopping one of them fails", async () => {
    const controller = begin();
    const stopped: string[] = [];
    const source = (description: string, stop: () => Promise<void>) => ({
      description,
      start: () => ({ synced: () => Promise.resolve(), stop }),
    });
    controller.addSource(source("broken", () => Promise.reject(new Error("cannot stop"))));
    controller.addSource(
      source("slow", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        stopped.push("slow");
      }),
    );
    controller.start();
    await runs(controller);
    await controller.stop();
    expect(stopped).toEqual(["slow"]);
    expect(controller.status.type).toBe("stopped");
  });

  it("throws after a stop, and when the source throws at its start", async () => {
    const controller = begin();
    controller.start();
    await runs(controller);
    const broken = {
      description: "broken",
      start: () => {
        throw new Error("cannot start");
      },
    };
    expect(() => controller.addSource(broken)).toThrow("cannot start");
    expect(controller.sources).toHaveLength(1);
    await controller.stop();
    expect(() => controller.addSource(kindSource(secrets(), byName))).toThrow(
      new ClosedError("controller test was stopped"),
    );
  });

  it("forgets expected writes in the cache of a source that was removed", async () => {
    const controller = begin({
      consistencyTimeoutMs: 60_000,
      async reconcile({ name }, { recordWrite }) {
        calls.push(name);
        if (calls.length > 1) return;
        recordWrite({ apiVersion: "v1", kind: "Secret", metadata: { resourceVersion: "999999" } });
        await added.remove();
        controller.enqueue({ namespace: "default", name });
      },
    });
    const added = controller.addSource(kindSource(secrets(), byName));
    controller.start();
    controller.enqueue({ namespace: "default", name: "a" });
    await until("a second call", () => calls.length === 2);
    expect(controller.metrics.reconciles).toMatchObject({ error: 0 });
  });
});

const Widget: Kind<KubernetesObject, "Namespaced"> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  custom: true,
};
const definitions = () => world.client.resource(CustomResourceDefinition);
const widgets = () => world.client.resource(Widget).namespace("default");
const optionalWidgets = () => kindSource(widgets(), byName, { optional: { definitions: definitions() } });
const createWidget = (name: string): Promise<unknown> =>
  widgets().create({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name } } as never);

async function define(): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await definitions().create({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  } as never);
  await until(
    "it is served",
    async () =>
      (await definitions().get("widgets.example.com")).status?.conditions?.some(
        ({ type, status }) => type === "Established" && status === "True",
      ) === true,
  );
}

async function undefine(): Promise<void> {
  await definitions().delete("widgets.example.com");
  await until("it is gone", async () => (await definitions().getOptional("widgets.example.com")) === undefined);
}

describe("an optional kind", () => {
  const descriptions = (controller: Controller): string[] => controller.sources.map(({ description }) => description);

  it("doesn't hold the start, starts when its definition appears and stops when that is deleted", async () => {
    const controller = begin({ watches: [optionalWidgets()] });
    controller.start();
    await runs(controller);
    expect(descriptions(controller)).toEqual(['configmaps in "default"', "the definition widgets.example.com"]);
    expect(controller.metrics.sourceFailures).toBe(0);
    for (const round of ["one", "two"]) {
      await define();
      await until("the kind is watched", () => controller.sources[2]?.status.informer?.type === "watching");
      expect(descriptions(controller)).toContain('widgets.example.com in "default"');
      await createWidget(round);
      await seen(`default/${round}`);
      calls.length = 0;
      await undefine();
      await until("the source is gone", () => controller.sources.length === 2);
      // The object went with its kind.
      await seen(`default/${round}`);
    }
    expect(entries.filter(({ level }) => level === "info").map(({ message }) => message)).toEqual([
      "started with concurrency 1",
      ...["one", "two"].flatMap(() => [
        'widgets.example.com in "default": the kind is served',
        'widgets.example.com in "default": the kind is gone',
      ]),
    ]);
    expect(entries.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("is waited for at the start if it is defined", async () => {
    await define();
    await createWidget("early");
    const controller = begin({ watches: [optionalWidgets()] });
    controller.start();
    await runs(controller);
    expect(controller.sources[2]?.status.informer?.type).toBe("watching");
    await seen("default/early");
  });

  it("stops when its version is no longer served, and reports its objects as deleted once", async () => {
    await define();
    await createWidget("a");
    const controller = begin();
    const types: string[] = [];
    const source = kindSource<KubernetesObject>(
      widgets(),
      (change) => {
        types.push(`${change.type} ${change.key}`);
        return [];
      },
      { optional: { definitions: definitions() } },
    );
    controller.start();
    await runs(controller);
    await controller.addSource(source).synced();
    await until("it is delivered", () => types.length === 1);
    await definitions().patch("widgets.example.com", {
      type: "json",
      operations: [
        {
          op: "add",
          path: "/spec/versions/-",
          value: { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
        },
        { op: "replace", path: "/spec/versions/0/served", value: false },
      ],
    });
    await until("the source is gone", () => controller.sources.length === 2);
    expect(types).toEqual(["added default/a", "deleted default/a"]);
  });

  it("is removed with its definition's source", async () => {
    await define();
    const controller = begin();
    controller.start();
    await runs(controller);
    const added = controller.addSource(optionalWidgets());
    await added.synced();
    expect(controller.sources).toHaveLength(3);
    await added.remove();
    expect(controller.sources).toHaveLength(1);
    await undefine();
    await define();
    expect(controller.sources).toHaveLength(1);
  });

  it("may be the controller's own: its objects are reconciled while it is served, and once more when it goes", async () => {
    const objects: string[] = [];
    const controller = createController<KubernetesObject>({
      name: "widgets",
      for: widgets(),
      optional: { definitions: definitions() },
      log: (entry) => entries.push(entry),
      reconcile: ({ name }, { object, store }) =>
        void objects.push(`${name} ${object === undefined ? "gone" : object.kind!} ${store.size}`),
    });
    controllers.push(controller);
    controller.start();
    await runs(controller);
    controller.enqueue({ namespace: "default", name: "early" });
    await until("a call without the kind", () => objects.length === 1);
    await define();
    await createWidget("a");
    await until("a call with the kind", () => objects.length === 2);
    await undefine();
    await until("a call after the kind", () => objects.length === 3);
    expect(objects).toEqual(["early gone 0", "a Widget 1", "a gone 0"]);
    expect(entries.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("requires a handle of a custom kind", () => {
    expect(() => kindSource(secrets(), byName, { optional: { definitions: definitions() } })).toThrow(
      new TypeError('secrets in "default": options.optional requires a handle of a custom kind'),
    );
  });
});
